import { describe, expect, it } from 'vitest'
import { holdsArray, printJsonLine, readJsonLines } from './json-lines.ts'

const read = (text: string | Uint8Array) =>
  [...readJsonLines(Buffer.from(text))].map((entry) => [entry.line, entry.kind === 'record' ? entry.value : entry.kind])

describe('lines', () => {
  it.each([
    [
      'records',
      '{"a":1}\n[2]\n3\n',
      [
        [1, { a: 1 }],
        [2, [2]],
        [3, 3],
      ],
    ],
    [
      'CRLF, blank lines, a byte-order mark',
      '\ufeff{"a":1}\r\n\r\n \t\n2\r\n',
      [
        [1, { a: 1 }],
        [4, 2],
      ],
    ],
    [
      'a fragment in the middle',
      '{"a":1}\n{"b":\n{"c":3}\n',
      [
        [1, { a: 1 }],
        [2, 'bad'],
        [3, { c: 3 }],
      ],
    ],
    [
      'a torn last line',
      '{"a":1}\n{"b":2',
      [
        [1, { a: 1 }],
        [2, 'torn'],
      ],
    ],
    [
      'a number that may go on',
      '1\n12',
      [
        [1, 1],
        [2, 'torn'],
      ],
    ],
    ['a whole record without a line end', '{"a":1}', [[1, { a: 1 }]]],
    [
      'bytes that are not UTF-8',
      Buffer.from('"\xff"\n1\n', 'latin1'),
      [
        [1, 'bad'],
        [2, 1],
      ],
    ],
    ['nothing', '', []],
  ])('%s', (_, text, expected) => {
    expect(read(text)).toEqual(expected)
  })

  it('reports why a line cannot be read, and reads on past one that is too long', () => {
    const [first, second] = [...readJsonLines(Buffer.from(`"${'x'.repeat(100)}"\n1\n`), { maxBytes: 50 })]
    expect(first).toMatchObject({ kind: 'bad', line: 1, error: { code: 'BAD_JSON' } })
    expect(second).toEqual({ kind: 'record', line: 2, value: 1 })
  })

  it('prints one line, whatever the value holds', () => {
    expect(printJsonLine({ a: 'x\n\u2028\u0085y' })).toBe('{"a":"x\\n\\u2028\\u0085y"}\n')
  })

  it.each([
    ['[\n]', true],
    ['\ufeff \n [', true],
    ['{"a":[]}', false],
    ['', false],
  ])('%j holds an array: %s', (head, expected) => {
    expect(holdsArray(Buffer.from(head))).toBe(expected)
  })
})
