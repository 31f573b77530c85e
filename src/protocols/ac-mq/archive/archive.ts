/**
 * The archive of a mission: finished messages, packed by month, readable one by one. AC-MQ §9.2.
 *
 * A message goes in three steps: it moves from its queue to `archive/<month>/<status>/`, where it counts as archived
 * already; it is written into a pack and, the moment that counts, the pack's index is created; then it is removed from
 * where it lay. A crash leaves it in one of these places, and the next archiving carries on from there.
 */
import { notFound, SignalboxError } from '../../../kernel/errors.ts'
import { isMeant, thoseMeant } from '../../../kernel/short-id.ts'
import { nameOf, type TreePath } from '../../../kernel/tree-path.ts'
import type { Tree } from '../../../tree/tree.ts'
import { type ArchivedEntry, damaged, parsePackName, unzip, unzipMember } from './pack.ts'
import {
  cannotBe,
  entriesOf,
  type LooseFile,
  type OnProblem,
  readLoose,
  readShelf,
  Seen,
  searchIndex,
  shelfOf,
  shelvesIn,
} from './shelves.ts'

export type { ArchivedEntry, ArchiveProblem, FinalStatus } from './pack.ts'
export { type Archived, type ArchiveOptions, archiveMessages, type ToArchive } from './write.ts'

export interface ArchiveReadOptions {
  /** Told what is damaged; the rest is read all the same. */
  readonly onProblem?: OnProblem
}

/** Every archived message once, the first finished first. */
export async function listArchived(
  tree: Tree,
  archive: TreePath,
  options?: ArchiveReadOptions,
): Promise<ArchivedEntry[]> {
  const found: ArchivedEntry[] = []
  for await (const entry of eachArchived(tree, archive, options)) found.push(entry)
  return found.sort((a, b) => a.finishedAt - b.finishedAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
}

/** Every archived message once, as the indexes are read. */
export async function* eachArchived(
  tree: Tree,
  archive: TreePath,
  { onProblem }: ArchiveReadOptions = {},
): AsyncGenerator<ArchivedEntry> {
  const seen = new Seen()
  const loose: ArchivedEntry[] = []
  for (const folder of await shelvesIn(tree, archive)) {
    const shelf = await readShelf(tree, folder)
    for (const index of shelf.indexes) {
      for (const entry of await entriesOf(tree, index, onProblem)) if (seen.isNewPacked(entry)) yield entry
    }
    loose.push(...(await readAll(tree, shelf.loose, onProblem)))
    for (const path of shelf.orphans) onProblem?.({ path, message: 'A pack has no index.', hint: 'Archive again.' })
  }
  // Last: what lies loose may have been packed while the shelves were read.
  for (const entry of loose) if (seen.isNewLoose(entry)) yield entry
}

/**
 * The archived messages with this id, or whose id begins with it (eight characters at least). Reads indexes, no packs.
 * More than one: the short id is ambiguous.
 */
export async function findArchived(
  tree: Tree,
  archive: TreePath,
  id: string,
  { onProblem }: ArchiveReadOptions = {},
): Promise<readonly ArchivedEntry[]> {
  if (id === '') return []
  const areMeant = (entries: readonly ArchivedEntry[]) => entries.filter((entry) => isMeant(id, entry.id))
  const seen = new Seen()
  const found: ArchivedEntry[] = []
  const loose: ArchivedEntry[] = []
  for (const folder of await shelvesIn(tree, archive)) {
    const shelf = await readShelf(tree, folder)
    for (const index of shelf.indexes) {
      const entries = areMeant(await searchIndex(tree, index, id))
      found.push(...entries.filter((entry) => seen.isNewPacked(entry)))
    }
    const candidates = shelf.loose.filter((one) => !cannotBe(one, id))
    loose.push(...areMeant(await readAll(tree, candidates, onProblem)))
  }
  found.push(...loose.filter((entry) => seen.isNewLoose(entry)))
  return thoseMeant(id, found)
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
