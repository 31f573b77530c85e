import { describe, expect, it } from 'vitest'
import { readFields } from './front-matter.ts'
import { printFrontMatter, printScalar } from './front-matter-print.ts'

describe('scalars', () => {
  it.each([
    ['claude', 'claude'],
    ['a1b2c3d4-e5f6', 'a1b2c3d4-e5f6'],
    ['2025-07-04T10:30:00Z', '2025-07-04T10:30:00Z'],
    ['12345678', '"12345678"'],
    ['00123456', '"00123456"'],
    ['12e45678', '"12e45678"'],
    ['0x1F', '"0x1F"'],
    ['9f8e7d6c', '"9f8e7d6c"'],
    ['true', '"true"'],
    ['No', '"No"'],
    ['null', '"null"'],
    ['', '""'],
    [' x', '" x"'],
    ['a: b', '"a: b"'],
    ['a #b', '"a #b"'],
    ['- a', '"- a"'],
    ['say "hi"\n\tthere\\', '"say \\"hi\\"\\n\\tthere\\\\"'],
    ['\u0000\u0085\u202e', '"\\u0000\\u0085\\u202e"'],
    ['😀', '"😀"'],
    [1, '1'],
    [-0, '-0'],
    [1.5e300, '1.5e+300'],
    [Number.NaN, '.nan'],
    [Number.NEGATIVE_INFINITY, '-.inf'],
    [true, 'true'],
    [null, 'null'],
  ])('%j is written %s', (value, written) => {
    expect(printScalar(value)).toBe(written)
    expect(readFields(`a: ${written}\n`).get('a')?.value).toBe(value)
  })
})

describe('a header', () => {
  const entries = [
    ['id', '12345678'],
    ['status', 'pending'],
    ['priority', 1],
    ['dependencies', ['msg:1', 'path:./a b']],
    ['none', []],
    ['absent', undefined],
    ['summary', 'A: b'],
  ] as const

  it('is printed in the order given, the status padded', () => {
    expect(printFrontMatter(entries, { pad: { status: 10 } })).toBe(
      '---\nid: "12345678"\nstatus: pending   \npriority: 1\ndependencies:\n  - "msg:1"\n  - "path:./a b"\nnone: []\nsummary: "A: b"\n---\n',
    )
  })

  it('is refused when it is too long to be read back', () => {
    expect(() => printFrontMatter([['a', 'é'.repeat(20_000)]])).toThrow(
      expect.objectContaining({ code: 'HEADER_TOO_LONG' }),
    )
  })

  it('is printed with the line ends asked for', () => {
    expect(printFrontMatter(entries.slice(0, 1), { eol: '\r\n' })).toBe('---\r\nid: "12345678"\r\n---\r\n')
  })
})
