/** Applies an `Overwrite`, for engines that always write all bytes. */
import type { Overwrite } from './tree.ts'

/** The bytes after the change. */
export function bytesAfter(before: Uint8Array, change: Uint8Array | Overwrite | undefined): Uint8Array | undefined {
  if (change === undefined || change instanceof Uint8Array) return change
  const after = before.slice()
  after.set(change.bytes, change.at)
  return after
}
