/** Changes of a few bytes, for engines that write all of them. */
import type { Overwrite } from './tree.ts'

/** What arrives when `before` is changed like this. */
export function bytesAfter(before: Uint8Array, change: Uint8Array | Overwrite | undefined): Uint8Array | undefined {
  if (change === undefined || change instanceof Uint8Array) return change
  const after = before.slice()
  after.set(change.bytes, change.at)
  return after
}
