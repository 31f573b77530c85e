import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { spanInPlace } from './in-place.ts'

const bytes = (text: string) => Buffer.from(text)

describe('spanInPlace', () => {
  it.each([
    ['nothing differs', 'same', 'same', { start: 4, end: 4 }],
    ['a status within one line', 'status: pending   \n', 'status: processing\n', { start: 9, end: 18 }],
    ['another length', 'short', 'longer', undefined],
    ['more than ten bytes apart', `a${'-'.repeat(20)}b`, `x${'-'.repeat(20)}y`, undefined],
    ['across the end of a 64-byte line', `${' '.repeat(60)}pending   `, `${' '.repeat(60)}processing`, undefined],
    [
      'at the very end of a line',
      `${' '.repeat(54)}pending   .`,
      `${' '.repeat(54)}completed .`,
      { start: 54, end: 63 },
    ],
  ])('%s', (_title, before, after, span) => {
    expect(spanInPlace(bytes(before), bytes(after))).toEqual(span)
  })

  it('is small, within one line, and turns the one into the other', () => {
    const pair = fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(), fc.uint8Array({ maxLength: 12 }))
    fc.assert(
      fc.property(pair, ([before, at, patch]) => {
        const after = Uint8Array.from(before)
        after.set(patch.subarray(0, Math.max(0, before.length - (at % before.length))), at % before.length)
        const span = spanInPlace(before, after)
        if (!span) return
        expect(span.end - span.start).toBeLessThanOrEqual(10)
        if (span.end > span.start) expect(Math.floor(span.start / 64)).toBe(Math.floor((span.end - 1) / 64))
        const written = Uint8Array.from(before)
        written.set(after.subarray(span.start, span.end), span.start)
        expect(written).toEqual(after)
      }),
    )
  })
})
