/**
 * The archive of a mission: finished messages, packed by month, readable one by one. AC-MQ §9.2. A message is moved from its
 * queue to `archive/<month>/<status>/`, then written into a pack, which appears as a whole, then removed from that folder. After
 * a crash the next archiving finishes these steps.
 */

import { notFound, SignalboxError } from '../../../kernel/errors.ts'
import { compareTexts } from '../../../kernel/order.ts'
import { largestMessage as standardLargestMessage } from '../../../kernel/problem.ts'
import { thoseMeant } from '../../../kernel/short-id.ts'
import { nameOf, type TreePath } from '../../../kernel/tree-path.ts'
import type { Tree } from '../../../tree/tree.ts'
import type { PackFile } from './index-cache.ts'
import { contentsOf, entriesOf, type ReadOptions, searchPack } from './indexes.ts'
import { unzip } from './member.ts'
import { type ArchivedEntry, causeText, damaged, largestPack, parsePackName } from './pack.ts'
import { cannotBe, type LooseFile, readLoose, readLooseBytes, readShelf, shelfOf, shelvesIn } from './shelves.ts'

export type { ArchivedEntry, ArchiveProblem } from './pack.ts'
export { archiveMessages, isUnfinished, type ToArchive } from './write.ts'

export async function listArchived(tree: Tree, archive: TreePath, options?: ReadOptions): Promise<ArchivedEntry[]> {
  const found: ArchivedEntry[] = []
  for await (const entry of eachArchived(tree, archive, options)) found.push(entry)
  return found.sort((a, b) => a.finishedAt - b.finishedAt || compareTexts(a.id, b.id))
}

export const eachArchived = (tree: Tree, archive: TreePath, options: ReadOptions = {}) =>
  eachOnce(tree, archive, { ...options, readPack: (pack) => entriesOf(tree, pack, options) })

/** The archived messages with this id, or whose id begins with it. Reads indexes, no packs. */
export async function findArchived(
  tree: Tree,
  archive: TreePath,
  id: string,
  options: ReadOptions = {},
): Promise<readonly ArchivedEntry[]> {
  if (id === '') return []
  const found: ArchivedEntry[] = []
  const readPack = (pack: PackFile) => searchPack(tree, pack, id, options)
  const isWanted = (loose: LooseFile) => !cannotBe(loose, id)
  for await (const entry of eachOnce(tree, archive, { ...options, readPack, isWanted })) found.push(entry)
  return thoseMeant(id, found)
}

/** Makes lost indexes again. */
export async function mendIndexes(tree: Tree, archive: TreePath, options: ReadOptions = {}): Promise<void> {
  for (const folder of await shelvesIn(tree, archive)) {
    for (const pack of (await readShelf(tree, folder)).packs) if (!pack.index) await entriesOf(tree, pack, options)
  }
}

interface Reading extends ReadOptions {
  readonly readPack: (pack: PackFile) => Promise<readonly ArchivedEntry[]>
  readonly isWanted?: (loose: LooseFile) => boolean
}

/** A message may be there twice: two processes packed it, or its file was not removed after it was packed. */
async function* eachOnce(
  tree: Tree,
  archive: TreePath,
  { readPack, isWanted = () => true, ...options }: Reading,
): AsyncGenerator<ArchivedEntry> {
  const packed = new Set<string>()
  const known = new Set<string>()
  const loose: ArchivedEntry[] = []
  for (const folder of await shelvesIn(tree, archive)) {
    const shelf = await readShelf(tree, folder)
    for (const pack of shelf.packs) {
      for (const entry of await readPack(pack)) {
        const { id, name, finishedAt, size } = entry
        known.add(`${id}\n${size}`)
        if (isNew(packed, `${id}\n${name}\n${finishedAt}\n${size}`)) yield entry
      }
    }
    loose.push(...(await readAll(tree, shelf.loose.filter(isWanted), options)))
  }
  // Single files come last: another process may have packed some while the packs were read.
  for (const entry of loose) if (isNew(known, `${entry.id}\n${entry.size}`)) yield entry
}

function isNew(seen: Set<string>, key: string): boolean {
  const before = seen.size
  return seen.add(key).size > before
}

export async function readArchived(tree: Tree, entry: ArchivedEntry, options: ReadOptions = {}): Promise<Uint8Array> {
  const isPack = parsePackName(nameOf(entry.pack)) !== undefined
  try {
    const bytes = isPack
      ? await readPacked(tree, entry, options)
      : (await readLooseBytes(tree, entry.pack, options.largestMessage))?.bytes
    if (bytes) return bytes
  } catch (error) {
    if (error instanceof SignalboxError) throw error
    const found = isPack ? await readByPack(tree, entry, options) : undefined
    if (found) return found
    throw damaged(entry, error)
  }
  return isPack ? readElsewhere(entry) : readPackedMeanwhile(tree, entry, options)
}

async function readPacked(tree: Tree, entry: ArchivedEntry, { largestMessage = standardLargestMessage }: ReadOptions) {
  const { pack, offset, length, size } = entry
  const end = offset + length
  if (end > largestPack(largestMessage)) throw new Error('no pack is as long as its index says')
  const leaf = await tree.read(pack, { atMost: end })
  if (!leaf) return undefined
  if (leaf.bytes.length < end) throw new Error(`the file has only ${leaf.size} bytes`)
  const bytes = unzip(leaf.bytes.subarray(offset, end), largestMessage)
  if (bytes.length !== size) throw new Error(`it has ${bytes.length} bytes instead of ${size}`)
  return bytes
}

/** For a message that is not where the index says: finds it in the pack without the index. */
async function readByPack(tree: Tree, { pack, id, offset }: ArchivedEntry, options: ReadOptions) {
  const { entries = [] } = (await contentsOf(tree, pack, options)) ?? {}
  const elsewhere = entries.find((entry) => entry.id === id && entry.offset !== offset)
  return elsewhere && readPacked(tree, elsewhere, options)
}

async function readPackedMeanwhile(tree: Tree, entry: ArchivedEntry, options: ReadOptions): Promise<Uint8Array> {
  for (const pack of (await readShelf(tree, shelfOf(entry.pack))).packs) {
    const packed = await searchPack(tree, pack, entry.id, options)
    const same = packed.find(({ id, size }) => id === entry.id && size === entry.size)
    if (same) return readArchived(tree, same, options)
  }
  return readElsewhere(entry)
}

function readElsewhere({ id, pack }: ArchivedEntry): never {
  throw notFound('ARCHIVE_GONE', `Message ${id} should be in ${pack}, which is not there.`, {
    hint: 'Restore that file from a copy, or look the message up again if it was moved.',
    details: { id, pack },
  })
}

async function readAll(
  tree: Tree,
  files: readonly LooseFile[],
  { onProblem, largestMessage }: ReadOptions,
): Promise<ArchivedEntry[]> {
  const entries: ArchivedEntry[] = []
  for (const loose of files) {
    try {
      const entry = await readLoose(tree, loose, largestMessage)
      if (entry) entries.push(entry)
    } catch (error) {
      if (error instanceof SignalboxError && error.kind === 'Unavailable') throw error
      const message = `It cannot be read: ${causeText(error)}`
      onProblem?.({ path: loose.path, message, hint: 'Restore it, or move it away.' })
    }
  }
  return entries
}
