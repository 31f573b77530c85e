import { parentOf, type TreePath } from '../../kernel/tree-path.ts'
import type { Guard, Replaced, Revision, Touched } from '../../tree/tree.ts'
import { revisionOfBytes } from './hash.ts'
import { isSeen } from './leaves.ts'
import { isUnchanged } from './transaction.ts'
import { durability, fenced, type Writer } from './writer.ts'

/** Replaces the bytes of `revision` by others. */
export async function replaceLeaf(
  writer: Writer,
  path: TreePath,
  bytes: Uint8Array,
  revision: Revision,
  guard: Guard,
): Promise<Replaced> {
  const { keys, bodies, leaves } = writer.parts
  const elsewhere = bodies.put(bytes)
  const isMeant = (found: Awaited<ReturnType<typeof leaves.findToWrite>>) =>
    isSeen(found) && revisionOfBytes(found.bytes()) === revision
  let seen = await leaves.findToWrite(path)
  for (;;) {
    const fence = await writer.fence(guard)
    if (fence === 'fenced') return fenced
    // A copy of the folder may lag behind. Ask the cluster before answering 'stale'.
    if (!isMeant(seen)) seen = await leaves.ask(path)
    if (!isSeen(seen)) return { outcome: 'gone' }
    if (!isMeant(seen)) return { outcome: 'stale' }
    const now = await writer.now()
    const before = seen
    const { label } = before.about
    const labelled = label === undefined ? {} : { label }
    const about = { modifiedAt: now, changedAt: now, ...labelled, ...(elsewhere ? { elsewhere } : {}) }
    const committed = await writer.commit([parentOf(path)], now, (by) => ({
      compare: [...fence.compare, isUnchanged(keys.leaf(path), before.revision)],
      writes: [writer.leafWrite(path, { ...about, by }, bytes)],
      ...writer.dropsLog(before, path),
      otherwise: [...writer.lookAgain(path), ...fence.otherwise],
    }))
    if (committed.done) {
      writer.parts.whenDone(() => bodies.keep(elsewhere, bytes))
      return { outcome: 'replaced', durability, revision: revisionOfBytes(bytes) }
    }
    if (committed.found[2]?.length === 0) return fenced
    seen = writer.seenAgain(path, committed.found)
  }
}

/** Sets the time of a leaf to now. */
export async function touchLeaf(writer: Writer, path: TreePath): Promise<Touched> {
  const { keys, leaves } = writer.parts
  let seen = await leaves.findToWrite(path)
  for (;;) {
    if (!isSeen(seen)) return { outcome: 'gone' }
    const { about, revision } = seen
    const bytes = about.elsewhere || about.isLog ? new Uint8Array() : seen.bytes()
    const now = await writer.now()
    const committed = await writer.commit([parentOf(path)], now, (by) => ({
      compare: [isUnchanged(keys.leaf(path), revision)],
      writes: [writer.leafWrite(path, { ...about, modifiedAt: now, changedAt: now, by }, bytes)],
      otherwise: writer.lookAgain(path),
    }))
    if (committed.done) return { outcome: 'touched', durability }
    seen = writer.seenAgain(path, committed.found)
  }
}
