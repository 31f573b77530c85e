import { parentOf, type TreePath } from '../../kernel/tree-path.ts'
import type { Created, CreateOptions } from '../../tree/tree.ts'
import { revisionOfBytes } from './hash.ts'
import { get, isAbsent } from './transaction.ts'
import { durability, fenced, type Writer } from './writer.ts'

/** Puts a leaf where neither a leaf nor a folder is. */
export async function createLeaf(
  writer: Writer,
  path: TreePath,
  bytes: Uint8Array,
  options: CreateOptions,
): Promise<Created> {
  const { keys, bodies, labels } = writer.parts
  const labelled = options.label === undefined ? {} : { label: options.label() }
  const elsewhere = bodies.put(bytes)
  for (;;) {
    const fence = await writer.fence(options)
    if (fence === 'fenced') return fenced
    const now = await writer.now()
    const about = { modifiedAt: now, changedAt: now, ...labelled, ...(elsewhere ? { elsewhere } : {}) }
    const committed = await writer.commit([parentOf(path)], now, (by) => ({
      compare: [...fence.compare, isAbsent(keys.leaf(path)), isAbsent(keys.folder(path))],
      writes: [writer.leafWrite(path, { ...about, by }, bytes), ...labels.writes(path, {}, labelled)],
      otherwise: [get(keys.leaf(path)), get(keys.folder(path)), ...fence.otherwise],
    }))
    if (committed.done) {
      writer.parts.whenDone(() => bodies.keep(elsewhere, bytes))
      return { outcome: 'created', durability, revision: revisionOfBytes(bytes) }
    }
    const [leaf = [], folder = [], holder] = committed.found
    if (holder?.length === 0) return fenced
    if (leaf.length > 0 || folder.length > 0) return { outcome: 'taken' }
    await writer.makeMissing(committed)
  }
}
