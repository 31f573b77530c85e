/**
 * What is in an archive: packs by month, messages on their way into one, and files that somebody moved there by hand.
 *
 * A message on its way is taken out of its place only after the index that has it is there. So places are listed
 * first and indexes afterwards: whoever reads while another archives sees each message at least once, and what is
 * seen twice is told apart by id and size.
 */

import { childOf, nameOf, parentOf, type TreePath } from '../../../kernel/tree-path.ts'
import type { TimedEntry, Tree } from '../../../tree/tree.ts'
import { isMessageName, parseFileName } from '../file-name.ts'
import { parseAnyMessage } from '../format.ts'
import type { MissionAddress } from '../names.ts'
import { standardTimeout } from '../schema.ts'
import { fromCompact } from '../times.ts'
import { IndexCache, type IndexFile } from './index-cache.ts'
import {
  type ArchivedEntry,
  type ArchiveProblem,
  type FinalStatus,
  type PackedMessage,
  parsePackName,
  readIndex,
  unzip,
} from './pack.ts'

export type OnProblem = (problem: ArchiveProblem) => void

const finalStatuses: readonly FinalStatus[] = ['completed', 'failed']

export const isMonth = (name: string): boolean => /^\d{4}-\d\d$/.test(name)

/** Copies that reconciling set aside are not messages of their own. */
const setAside = 'duplicates'

/** A file that holds one message: on its way into a pack, or put there by somebody. */
export interface LooseFile {
  readonly path: TreePath
  readonly status: FinalStatus | undefined
  readonly file: TimedEntry
}

/** The folders of the archive, itself first. */
export async function shelvesIn(tree: Tree, archive: TreePath): Promise<TreePath[]> {
  const folders = (await tree.list(archive)).filter(({ kind, name }) => kind === 'folder' && name !== setAside)
  return [archive, ...folders.filter(({ name }) => !name.startsWith('.')).map(({ name }) => childOf(archive, name))]
}

/** What lies in a folder of the archive. `orphans`: packs whose index is not there, because it is not yet or was lost. */
export async function readShelf(tree: Tree, folder: TreePath) {
  const loose: LooseFile[] = []
  for (const status of finalStatuses) loose.push(...(await looseIn(tree, childOf(folder, status), status)))
  const listed = await tree.list(folder, { times: true })
  loose.push(...looseAmong(folder, listed, undefined))
  const ours = listed.flatMap((file) => {
    const parsed = file.kind === 'leaf' ? parsePackName(file.name) : undefined
    return parsed ? [{ ...parsed, file, path: childOf(folder, file.name) }] : []
  })
  const indexes = ours.filter(({ kind }) => kind === 'index')
  const stems = new Set(indexes.map(({ stem }) => stem))
  const orphans = ours.filter(({ kind, stem }) => kind === 'pack' && !stems.has(stem)).map(({ path }) => path)
  return { loose, indexes, orphans }
}

export const looseIn = async (tree: Tree, folder: TreePath, status: FinalStatus | undefined): Promise<LooseFile[]> =>
  looseAmong(folder, await tree.list(folder, { times: true }), status)

const looseAmong = (folder: TreePath, listed: readonly TimedEntry[], status: FinalStatus | undefined): LooseFile[] =>
  listed.flatMap((file) => {
    const isOne = file.kind === 'leaf' && isMessageName(file.name.replace(/\.gz$/, '')) && !parsePackName(file.name)
    return isOne ? [{ path: childOf(folder, file.name), status, file }] : []
  })

/** Reads what a loose file is. Its folder says how it ended, else its header. `undefined` when it has just gone. */
export async function readLoose(tree: Tree, loose: LooseFile): Promise<ArchivedEntry | undefined> {
  const { path, file } = loose
  const isZipped = path.endsWith('.gz')
  const leaf = await tree.read(path, isZipped ? {} : { atMost: headBytes })
  if (!leaf) return undefined
  const bytes = isZipped ? unzip(leaf.bytes, largestZipped) : leaf.bytes
  const message = describe(bytes, file.name.replace(/\.gz$/, ''), loose.status, file.modifiedAt)
  return { ...message, pack: path, offset: 0, length: leaf.size, size: isZipped ? bytes.length : leaf.size }
}

/** Enough for any header. */
const headBytes = 64 * 1024
const largestZipped = 64 * 1024 * 1024

/** A message by its own words; where it has none that can be read, by its file name. */
export function describe(
  bytes: Uint8Array,
  name: string,
  known: FinalStatus | undefined,
  finishedAt: number,
): PackedMessage {
  const read = parseAnyMessage(bytes, {
    fileName: name,
    address: '' as MissionAddress,
    timeoutSeconds: standardTimeout,
  })
  if (read.outcome === 'malformed') {
    const { shortId = name.replace(/\.md$/, ''), from = '', to = '', timestamp = '' } = parseFileName(name) ?? {}
    const time = fromCompact(timestamp) ?? ''
    return { id: shortId, name, status: known ?? 'completed', from, to, summary: '', timestamp: time, finishedAt }
  }
  const { record } = read.message
  const { id, from, to, summary, timestamp } = record
  const status = known ?? (record.status.trim() === 'failed' ? 'failed' : 'completed')
  return { id, name, status, from, to, summary, timestamp, finishedAt }
}

/** True when a name by itself tells that the message has another id. */
export function cannotBe({ file }: LooseFile, id: string): boolean {
  const shortId = parseFileName(file.name.replace(/\.gz$/, ''))?.shortId
  return shortId !== undefined && !id.startsWith(shortId) && !shortId.startsWith(id)
}

/** Every message of an index. */
export async function entriesOf(
  tree: Tree,
  index: IndexFile,
  onProblem?: OnProblem,
): Promise<readonly ArchivedEntry[]> {
  const read = await IndexCache.of(tree).read(tree, index)
  return read ? [...readIndex(read, index.path, onProblem)] : []
}

/** The messages of an index whose id is or begins with `id`. Only lines that contain it are parsed. */
export async function searchIndex(tree: Tree, index: IndexFile, id: string): Promise<ArchivedEntry[]> {
  const cache = IndexCache.of(tree)
  const read = cache.cannotHave(index, id) ? undefined : await cache.read(tree, index)
  const found: ArchivedEntry[] = []
  const wanted = JSON.stringify(id).slice(1, -1)
  for (let at = read?.indexOf(wanted) ?? -1; read && at >= 0; ) {
    const start = read.lastIndexOf('\n', at) + 1
    const end = read.indexOf('\n', at)
    const line = read.subarray(start, end < 0 ? undefined : end + 1)
    for (const entry of readIndex(line, index.path)) if (entry.id.startsWith(id)) found.push(entry)
    at = end < 0 ? -1 : read.indexOf(wanted, end + 1)
  }
  return found
}

/** The shelf that a loose file belongs to. */
export function shelfOf(path: TreePath): TreePath {
  const folder = parentOf(path)
  return (finalStatuses as readonly string[]).includes(nameOf(folder)) ? parentOf(folder) : folder
}
