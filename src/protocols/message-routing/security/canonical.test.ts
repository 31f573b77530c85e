import { describe, expect, it } from 'vitest'
import { printCanonical } from './canonical.ts'

describe('canonical JSON', () => {
  // As in RFC 8785: sorting by UTF-16 units, numbers as ECMAScript prints them, few escapes.
  const cases: [title: string, value: unknown, text: string][] = [
    ['keys are sorted', { b: 1, a: { d: 2, c: 3 } }, '{"a":{"c":3,"d":2},"b":1}'],
    ['lists keep their order', [3, 1, 2], '[3,1,2]'],
    [
      'numbers have one spelling',
      JSON.parse('[1E30, 4.50, 2e-3, 0.000000000000000000000000001, 0.80, -0, 333333333.33333329]'),
      '[1e+30,4.5,0.002,1e-27,0.8,0,333333333.3333333]',
    ],
    [
      'texts are escaped as little as can be',
      '\u20ac$\u000f\nA\'B"\\\\"/\u007f',
      '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\u007f"',
    ],
    [
      'sorting is by UTF-16 units',
      { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, '\u0080': 6, ö: 7 },
      '{"\\r":2,"1":4,"\u0080":6,"ö":7,"\u20ac":1,"\u{1f600}":5,"\ufb33":3}',
    ],
    ['what has no value is left out', { a: undefined, b: null }, '{"b":null}'],
    ['nothing is special about a prototype', JSON.parse('{"b":1,"__proto__":{"a":2}}'), '{"__proto__":{"a":2},"b":1}'],
  ]
  for (const [title, value, text] of cases) {
    it(title, () => {
      expect(printCanonical(value)).toBe(text)
    })
  }

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 10n, () => 1, undefined, ['\ud800'], { '\udc00': 1 }])(
    'refuses what has no one text: %s',
    (value) => {
      expect(() => printCanonical(value)).toThrow('This cannot be signed')
    },
  )
})
