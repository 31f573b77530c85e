/**
 * The archive of a mission: finished messages, packed by month, readable one by one. AC-MQ §9.2.
 *
 * A message goes in three steps: it moves from its queue to `archive/<month>/<status>/`, where it counts as archived
 * already; it is written into a pack and, the moment that counts, the pack's index is created; then it is removed from
 * where it lay. A crash leaves it in one of these places, and the next archiving carries on from there.
 */
import { notFound, SignalboxError } from '../../../kernel/errors.ts'
import { compareTexts } from '../../../kernel/order.ts'
import { thoseMeant } from '../../../kernel/short-id.ts'
import { nameOf, type TreePath } from '../../../kernel/tree-path.ts'
import type { Tree } from '../../../tree/tree.ts'
import type { IndexFile } from './index-cache.ts'
import { type ArchivedEntry, damaged, parsePackName, unzip, unzipMember } from './pack.ts'
import {
  cannotBe,
  entriesOf,
  type LooseFile,
  type OnProblem,
  readLoose,
  readShelf,
  searchIndex,
  shelfOf,
  shelvesIn,
} from './shelves.ts'

export type { ArchivedEntry, ArchiveProblem, FinalStatus } from './pack.ts'
export { type Archived, type ArchiveOptions, archiveMessages, type ToArchive } from './write.ts'

/** What is damaged is told to `onProblem`; the rest is read all the same. */
interface ReadOptions {
  readonly onProblem?: OnProblem
}

/** Every archived message once, the first finished first. */
export async function listArchived(tree: Tree, archive: TreePath, options?: ReadOptions): Promise<ArchivedEntry[]> {
  const found: ArchivedEntry[] = []
  for await (const entry of eachArchived(tree, archive, options)) found.push(entry)
  return found.sort((a, b) => a.finishedAt - b.finishedAt || compareTexts(a.id, b.id))
}

/** Every archived message once, as the indexes are read. */
export const eachArchived = (tree: Tree, archive: TreePath, { onProblem }: ReadOptions = {}) =>
  eachOnce(tree, archive, { readIndex: (index) => entriesOf(tree, index, onProblem), onProblem })

/**
 * The archived messages with this id, or whose id begins with it (eight characters at least). Reads indexes, no packs.
 * More than one: the short id is ambiguous.
 */
export async function findArchived(tree: Tree, archive: TreePath, id: string): Promise<readonly ArchivedEntry[]> {
  if (id === '') return []
  const found: ArchivedEntry[] = []
  const readIndex = (index: IndexFile) => searchIndex(tree, index, id)
  const isWanted = (loose: LooseFile) => !cannotBe(loose, id)
  for await (const entry of eachOnce(tree, archive, { readIndex, isWanted })) found.push(entry)
  return thoseMeant(id, found)
}

interface Reading {
  readonly readIndex: (index: IndexFile) => Promise<readonly ArchivedEntry[]>
  /** Of the messages that lie loose, those worth opening. */
  readonly isWanted?: (loose: LooseFile) => boolean
  readonly onProblem?: OnProblem | undefined
}

/** The same message may be there again: packed by two at once, or still lying where it was when it was packed. */
async function* eachOnce(
  tree: Tree,
  archive: TreePath,
  { readIndex, isWanted = () => true, onProblem }: Reading,
): AsyncGenerator<ArchivedEntry> {
  const packed = new Set<string>()
  const known = new Set<string>()
  const loose: ArchivedEntry[] = []
  for (const folder of await shelvesIn(tree, archive)) {
    const shelf = await readShelf(tree, folder)
    for (const index of shelf.indexes) {
      for (const entry of await readIndex(index)) {
        const { id, name, finishedAt, size } = entry
        known.add(`${id}\n${size}`)
        if (isNew(packed, `${id}\n${name}\n${finishedAt}\n${size}`)) yield entry
      }
    }
    loose.push(...(await readAll(tree, shelf.loose.filter(isWanted), onProblem)))
    for (const path of shelf.orphans) onProblem?.({ path, message: 'A pack has no index.', hint: 'Archive again.' })
  }
  // Last: what lies loose may have been packed while the shelves were read.
  for (const entry of loose) if (isNew(known, `${entry.id}\n${entry.size}`)) yield entry
}

function isNew(seen: Set<string>, key: string): boolean {
  const before = seen.size
  return seen.add(key).size > before
}

/** The message as it was, byte for byte. Unfolds that one alone. */
export async function readArchived(tree: Tree, entry: ArchivedEntry): Promise<Uint8Array> {
  const { pack, offset, length } = entry
  const isPack = parsePackName(nameOf(pack)) !== undefined
  const leaf = await tree.read(pack, isPack ? { atMost: offset + length } : {})
  if (!leaf) return isPack ? readElsewhere(entry) : readPackedMeanwhile(tree, entry)
  if (!isPack && !pack.endsWith('.gz')) return leaf.bytes
  try {
    if (!isPack) return unzip(leaf.bytes)
    if (leaf.bytes.length < offset + length) throw new Error(`the file has only ${leaf.size} bytes`)
    return unzipMember(leaf.bytes, entry)
  } catch (error) {
    throw damaged(entry, error)
  }
}

/** It lay in a place of its own when it was found, and has been packed since. */
async function readPackedMeanwhile(tree: Tree, entry: ArchivedEntry): Promise<Uint8Array> {
  for (const index of (await readShelf(tree, shelfOf(entry.pack))).indexes) {
    const packed = await searchIndex(tree, index, entry.id)
    const same = packed.find(({ id, size }) => id === entry.id && size === entry.size)
    if (same) return readArchived(tree, same)
  }
  return readElsewhere(entry)
}

function readElsewhere({ id, pack }: ArchivedEntry): never {
  throw notFound('ARCHIVE_GONE', `Message ${id} should be in ${pack}, which is not there.`, {
    hint: 'Restore that file from a copy, or look the message up again if it was moved.',
    details: { id, pack },
  })
}

async function readAll(tree: Tree, files: readonly LooseFile[], onProblem?: OnProblem): Promise<ArchivedEntry[]> {
  const entries: ArchivedEntry[] = []
  for (const loose of files) {
    try {
      const entry = await readLoose(tree, loose)
      if (entry) entries.push(entry)
    } catch (error) {
      if (error instanceof SignalboxError && error.kind === 'Unavailable') throw error
      const reason = error instanceof Error ? error.message : String(error)
      onProblem?.({ path: loose.path, message: `It cannot be read: ${reason}`, hint: 'Restore it, or move it away.' })
    }
  }
  return entries
}
