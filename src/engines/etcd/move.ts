import { parentOf, type TreePath } from '../../kernel/tree-path.ts'
import { bytesAfter } from '../../tree/for-engines.ts'
import type { Moved, MoveOptions } from '../../tree/tree.ts'
import { askForLeaf, findToWrite, isSeen, type Seen } from './leaves.ts'
import { get, isAbsent, isUnchanged } from './transaction.ts'
import type { LeafHeader } from './value.ts'
import { durability, fenced, type Writer } from './writer.ts'

/**
 * Moves a leaf, if it was not changed since it was read and nothing is at the target. If it was, the same transaction reads
 * it again, so a lost race costs one request.
 */
export async function moveLeaf(writer: Writer, from: TreePath, to: TreePath, options: MoveOptions): Promise<Moved> {
  const { keys, bodies, indexes, labels } = writer.parts
  const { change } = options
  const isEdit = from === to
  let seen = await findToWrite(writer.parts, from)
  let changed: Changed | undefined
  for (;;) {
    const fence = await writer.fence(options)
    if (fence === 'fenced') return fenced
    if (!isSeen(seen)) return { outcome: 'gone' }
    if (isEdit && !change) return { outcome: 'taken' }
    // Do not call `change` twice for the same bytes, as when only the target folder was missing.
    if (changed?.revision !== seen.revision) {
      const answer = await changedBy(options, seen)
      if (answer === 'look first') {
        seen = await askForLeaf(writer.parts, from)
        continue
      }
      changed = answer
    }
    const { bytes, isWhole } = changed
    if (change && bytes === undefined) return { outcome: 'kept' }
    const now = await writer.now()
    const before = seen
    const arrival = arrivalOf(writer, before, bytes, now, options.touched === true)
    const label = options.label?.() ?? (isEdit ? before.about.label : undefined)
    const labelled = label === undefined ? {} : { label }
    const committed = await writer.commit(foldersOf(from, to), now, (by) => ({
      compare: [
        ...fence.compare,
        isUnchanged(keys.leaf(from), before.revision),
        ...(isEdit ? [] : [isAbsent(keys.leaf(to)), isAbsent(keys.folder(to))]),
      ],
      writes: [
        ...(isEdit ? [] : [{ key: keys.leaf(from), value: undefined, folder: parentOf(from) }]),
        writer.leafWrite(to, { ...arrival.about, ...labelled, by }, arrival.bytes),
        ...(isEdit
          ? labels.writes(to, before.about, labelled)
          : [...labels.writes(from, before.about, {}), ...labels.writes(to, {}, labelled)]),
      ],
      ...writer.dropsLog(before, from),
      otherwise: [...writer.lookAgain(from), get(keys.leaf(to)), get(keys.folder(to)), ...fence.otherwise],
    }))
    if (committed.done) {
      if (arrival.bytes.length > 0) writer.parts.whenDone(() => bodies.keep(arrival.about.elsewhere, arrival.bytes))
      return { outcome: 'moved', durability, ...(bytes && isWhole ? { bytes } : {}) }
    }
    const [, , leaf = [], folder = [], holder] = committed.found
    if (holder?.length === 0) return fenced
    seen = writer.seenAgain(from, committed.found)
    if (!isSeen(seen)) indexes.learnAbsence(parentOf(from), keys.leaf(from), committed.revision)
    if (isSeen(seen) && !isEdit && (leaf.length > 0 || folder.length > 0)) return { outcome: 'taken' }
    if (isSeen(seen)) await writer.makeMissing(committed)
  }
}

interface Changed {
  readonly revision: number
  readonly bytes: Uint8Array | undefined
  /** `change` gave all the bytes. */
  readonly isWhole: boolean
}

/** Remembered bytes may be out of date. They are enough to move, since the transaction compares; before refusing, ask the cluster. */
async function changedBy(
  { change, atMost }: MoveOptions,
  { revision, bytes, about, isRemembered }: Seen,
): Promise<Changed | 'look first'> {
  try {
    const before = Buffer.from(bytes())
    const shown = before.subarray(0, atMost)
    const answered = await change?.(shown, about)
    const given = answered === shown ? before : answered
    const changed = { revision, bytes: bytesAfter(before, given), isWhole: given instanceof Uint8Array }
    return isRemembered && change && changed.bytes === undefined ? 'look first' : changed
  } catch (error) {
    if (isRemembered) return 'look first'
    throw error
  }
}

/** What arrives at the target. New bytes get a new time, the same bytes keep theirs. */
function arrivalOf(
  writer: Writer,
  { about, bytes }: Seen,
  changed: Uint8Array | undefined,
  now: number,
  isTouched: boolean,
) {
  const { isLog, elsewhere, modifiedAt } = about
  const isSame = changed === undefined || Buffer.compare(changed, bytes()) === 0
  const times = { modifiedAt: isSame && !isTouched ? modifiedAt : now, changedAt: now }
  // A body that is kept in a file need not be read.
  if (isSame && elsewhere && !isLog) return { about: { ...times, elsewhere }, bytes: new Uint8Array() } as const
  const arriving = changed ?? bytes()
  const large = writer.parts.bodies.put(arriving)
  const arrived: Omit<LeafHeader, 'by'> = { ...times, ...(large ? { elsewhere: large } : {}) }
  return { about: arrived, bytes: arriving }
}

function foldersOf(from: TreePath, to: TreePath): [TreePath, ...TreePath[]] {
  const [source, target] = [parentOf(from), parentOf(to)]
  return source === target ? [source] : [source, target]
}
