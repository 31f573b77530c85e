/** The verbs that write to one leaf where it is: create, replace, touch and remove. */
import { parentOf, type TreePath } from '../../kernel/tree-path.ts'
import { notALeaf } from '../../tree/for-engines.ts'
import type {
  Created,
  CreateOptions,
  Guard,
  Removed,
  RemoveOptions,
  Replaced,
  Revision,
  Touched,
} from '../../tree/tree.ts'
import { askForLeaf, findToWrite, isSeen, type NotSeen, type Seen } from './leaves.ts'
import { get, isAbsent, isUnchanged } from './transaction.ts'
import { revisionOfBytes } from './value.ts'
import { durability, fenced, type Writer } from './writer.ts'

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

export async function replaceLeaf(
  writer: Writer,
  path: TreePath,
  bytes: Uint8Array,
  revision: Revision,
  guard: Guard,
): Promise<Replaced> {
  const { keys, bodies } = writer.parts
  const elsewhere = bodies.put(bytes)
  const isMeant = (found: Seen | NotSeen) => isSeen(found) && revisionOfBytes(found.bytes()) === revision
  let seen = await findToWrite(writer.parts, path)
  for (;;) {
    const fence = await writer.fence(guard)
    if (fence === 'fenced') return fenced
    // A copy of the folder may lag behind. Ask the cluster before answering 'stale'.
    if (!isMeant(seen)) seen = await askForLeaf(writer.parts, path)
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

export async function touchLeaf(writer: Writer, path: TreePath): Promise<Touched> {
  const { keys } = writer.parts
  let seen = await findToWrite(writer.parts, path)
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

/** Removes a leaf with its label and the lines of a log. It is read first, because the label is in it. */
export async function removeLeaf(writer: Writer, path: TreePath, options: RemoveOptions): Promise<Removed> {
  const { keys, labels } = writer.parts
  const folder = parentOf(path)
  let seen = await findToWrite(writer.parts, path)
  for (;;) {
    const fence = await writer.fence(options)
    if (fence === 'fenced') return fenced
    if (!isSeen(seen) && seen.folderChangedAt !== undefined) throw notALeaf(path)
    if (!isSeen(seen)) return { outcome: 'gone' }
    const { about, revision } = seen
    if (options.onlyIf && !options.onlyIf(Buffer.from(seen.bytes()).subarray(0, options.atMost), about)) {
      if (!seen.isRemembered) return { outcome: 'kept' }
      seen = await askForLeaf(writer.parts, path)
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
