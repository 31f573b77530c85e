/**
 * Whether a change can be written over the old bytes without any reader seeing it half done. Ten bytes within one
 * 64-byte line were never seen torn; across two lines they were. Measured on Linux, ext4 and tmpfs.
 */
import type { Overwrite } from '../../tree/tree.ts'

const line = 64
const mostBytes = 10

/** The few bytes that differ; `undefined` when overwriting them would not be safe. */
export function spanInPlace(before: Uint8Array, change: Uint8Array | Overwrite): Overwrite | undefined {
  if (change instanceof Uint8Array) return difference(before, change)
  const { at, bytes } = change
  const end = at + bytes.length
  return bytes.length <= mostBytes && (at % line) + bytes.length <= line && end <= before.length ? change : undefined
}

function difference(before: Uint8Array, after: Uint8Array): Overwrite | undefined {
  if (before.length !== after.length) return undefined
  let start = 0
  while (start < before.length && before[start] === after[start]) start++
  const furthest = Math.min(before.length, start + mostBytes, start - (start % line) + line)
  let end = furthest
  while (end > start && before[end - 1] === after[end - 1]) end--
  const { length } = before
  if (bufferOf(before).compare(after, furthest, length, furthest, length) !== 0) return undefined
  return { at: start, bytes: after.slice(start, end) }
}

const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
