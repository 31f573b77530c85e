import { expect, it } from 'vitest'
import { revisionOf } from './revision.ts'

it.each([10, 100_000, 17_000_000])('is the same for the same bytes and no others, %i of them', (length) => {
  const bytes = Buffer.alloc(length, 'x')
  const first = revisionOf(bytes)
  expect(revisionOf(Buffer.from(bytes))).toBe(first)
  // The bytes that were hashed may change afterwards.
  bytes[length - 1] = 0
  expect(revisionOf(bytes)).not.toBe(first)
  expect(revisionOf(Buffer.alloc(length, 'x'))).toBe(first)
})
