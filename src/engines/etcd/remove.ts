import { parentOf, type TreePath } from '../../kernel/tree-path.ts'
import type { Removed, RemoveOptions } from '../../tree/tree.ts'
import { isSeen, notALeaf } from './leaves.ts'
import { isUnchanged } from './transaction.ts'
import { durability, fenced, type Writer } from './writer.ts'

/** Removes a leaf with its label and the lines of a log. It is read first, because the label is in it. */
export async function removeLeaf(writer: Writer, path: TreePath, options: RemoveOptions): Promise<Removed> {
  const { keys, leaves, labels } = writer.parts
  const folder = parentOf(path)
  let seen = await leaves.findToWrite(path)
  for (;;) {
    const fence = await writer.fence(options)
    if (fence === 'fenced') return fenced
    if (!isSeen(seen) && seen.folderChangedAt !== undefined) throw notALeaf(path)
    if (!isSeen(seen)) return { outcome: 'gone' }
    const { about, revision } = seen
    if (options.onlyIf && !options.onlyIf(Buffer.from(seen.bytes()).subarray(0, options.atMost), about)) {
      if (!seen.isRemembered) return { outcome: 'kept' }
      seen = await leaves.ask(path)
      continue
    }
    const committed = await writer.commit([folder], await writer.now(), () => ({
      compare: [...fence.compare, isUnchanged(keys.leaf(path), revision)],
      writes: [{ key: keys.leaf(path), value: undefined, folder }, ...labels.writes(path, about, {})],
      dropped: keys.log(path),
      otherwise: [...writer.lookAgain(path), ...fence.otherwise],
    }))
    if (committed.done) return { outcome: 'removed', durability }
    if (committed.found[2]?.length === 0) return fenced
    seen = writer.seenAgain(path, committed.found)
  }
}
