import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { spanInPlace } from './in-place.ts'

const bytes = (text: string) => Buffer.from(text)

describe('spanInPlace', () => {
  it.each([
    ['nothing differs', 'same', 'same', { at: 4, bytes: bytes('') }],
    ['a status within one line', 'status: pending   \n', 'status: processing\n', { at: 9, bytes: bytes('rocessing') }],
    ['another length', 'short', 'longer', undefined],
    ['more than ten bytes apart', `a${'-'.repeat(20)}b`, `x${'-'.repeat(20)}y`, undefined],
    ['across the end of a 64-byte line', `${' '.repeat(60)}pending   `, `${' '.repeat(60)}processing`, undefined],
    [
      'at the very end of a line',
      `${' '.repeat(54)}pending   .`,
      `${' '.repeat(54)}completed .`,
      { at: 54, bytes: bytes('completed') },
    ],
  ])('%s', (_title, before, after, span) => {
    expect(spanInPlace(bytes(before), bytes(after))).toEqual(span)
  })

  it.each([
    ['at the very end of a line', 64, 54, true],
    ['across the end of a line', 128, 55, false],
    ['beyond the end of the file', 60, 54, false],
    ['at the end of the file', 64, 54, true],
  ])('takes an overwrite of ten bytes as it is, or not at all: %s', (_title, length, at, isTaken) => {
    const overwrite = { at, bytes: bytes('processing') }
    expect(spanInPlace(Buffer.alloc(length), overwrite)).toBe(isTaken ? overwrite : undefined)
  })

  it('takes no overwrite of more than ten bytes', () => {
    expect(spanInPlace(Buffer.alloc(64), { at: 0, bytes: bytes('12345678901') })).toBeUndefined()
  })

  it('is small, within one line, and turns the one into the other', () => {
    const pair = fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(), fc.uint8Array({ maxLength: 12 }))
    fc.assert(
      fc.property(pair, ([before, at, patch]) => {
        const after = Uint8Array.from(before)
        after.set(patch.subarray(0, Math.max(0, before.length - (at % before.length))), at % before.length)
        const span = spanInPlace(before, after)
        if (!span) return
        const { length } = span.bytes
        expect(length).toBeLessThanOrEqual(10)
        if (length > 0) expect(Math.floor(span.at / 64)).toBe(Math.floor((span.at + length - 1) / 64))
        const written = Uint8Array.from(before)
        written.set(span.bytes, span.at)
        expect(written).toEqual(after)
      }),
    )
  })
})
