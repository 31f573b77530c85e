import { expect, it } from 'vitest'
import { isSeenWhole } from './changing-moves.ts'

it.each([
  ['at the very end of a line', 64, 54, 10, true],
  ['across the end of a line', 128, 55, 10, false],
  ['beyond the end of the file', 60, 54, 10, false],
  ['within the second line', 128, 70, 10, true],
  ['of more than ten bytes', 64, 0, 11, false],
])('an overwrite %s is seen whole, or the leaf is rewritten', (_title, size, at, length, isWhole) => {
  expect(isSeenWhole({ at, bytes: Buffer.alloc(length) }, size)).toBe(isWhole)
})
