/**
 * What is in an archive: packs by month, messages that are yet to be packed, and files that a person put there. The folders of
 * unpacked messages are listed before the packs, so that a reader misses no message while another process archives.
 */

import { largestMessage as standardLargestMessage } from '../../../kernel/problem.ts'
import { childOf, nameOf, parentOf, type TreePath } from '../../../kernel/tree-path.ts'
import type { TimedEntry, Tree } from '../../../tree/tree.ts'
import { isMessageName, parseFileName } from '../file-name.ts'
import type { PackFile } from './index-cache.ts'
import { unzip } from './member.ts'
import { type ArchivedEntry, describeMessage, type FinalStatus, packNameOf, parsePackName } from './pack.ts'

export const finalStatuses: readonly FinalStatus[] = ['completed', 'failed']

export const isMonth = (name: string): boolean => /^\d{4}-\d\d$/.test(name)

/** Holds the second copies of messages, which `reconcile` set aside. */
const setAside = 'duplicates'

export interface LooseFile {
  readonly path: TreePath
  readonly status: FinalStatus | undefined
  readonly file: TimedEntry
}

export async function shelvesIn(tree: Tree, archive: TreePath): Promise<TreePath[]> {
  const folders = (await tree.list(archive)).filter(({ kind, name }) => kind === 'folder' && name !== setAside)
  return [archive, ...folders.filter(({ name }) => !name.startsWith('.')).map(({ name }) => childOf(archive, name))]
}

export async function readShelf(tree: Tree, folder: TreePath) {
  const loose: LooseFile[] = []
  for (const status of finalStatuses) loose.push(...(await looseIn(tree, childOf(folder, status), status)))
  const listed = await tree.list(folder, { times: true })
  loose.push(...looseAmong(folder, listed, undefined))
  const packs = new Map<string, PackFile>()
  for (const file of listed) {
    const parsed = file.kind === 'leaf' ? parsePackName(file.name) : undefined
    if (!parsed) continue
    const { stem, kind } = parsed
    const one = packs.get(stem) ?? { path: childOf(folder, packNameOf(stem)), pack: undefined, index: undefined }
    packs.set(stem, { ...one, [kind]: file })
  }
  return { loose, packs: [...packs.values()] }
}

export const looseIn = async (tree: Tree, folder: TreePath, status: FinalStatus | undefined): Promise<LooseFile[]> =>
  looseAmong(folder, await tree.list(folder, { times: true }), status)

const looseAmong = (folder: TreePath, listed: readonly TimedEntry[], status: FinalStatus | undefined): LooseFile[] =>
  listed.flatMap((file) => {
    const isOne = file.kind === 'leaf' && isMessageName(nameWithin(file.name)) && !parsePackName(file.name)
    return isOne ? [{ path: childOf(folder, file.name), status, file }] : []
  })

/** Describes a loose message. Its folder says how it ended, or else its header. `undefined` when it is gone. */
export async function readLoose(
  tree: Tree,
  loose: LooseFile,
  largest = standardLargestMessage,
): Promise<ArchivedEntry | undefined> {
  const { path, file } = loose
  const read = isZipped(path)
    ? await readLooseBytes(tree, path, largest)
    : await tree.read(path, { atMost: headBytes }).then((leaf) => leaf && { bytes: leaf.bytes, leaf })
  if (!read) return undefined
  const message = describeMessage(read.bytes, nameWithin(file.name), loose.status, file.modifiedAt)
  const size = isZipped(path) ? read.bytes.length : read.leaf.size
  return { ...message, pack: path, offset: 0, length: read.leaf.size, size }
}

const headBytes = 64 * 1024

/** The bytes of a loose message, decompressed, and its file. Throws when it is too large or cannot be decompressed. */
export async function readLooseBytes(tree: Tree, path: TreePath, largest = standardLargestMessage) {
  const leaf = await tree.read(path, { atMost: largest + 1 })
  if (!leaf) return undefined
  if (leaf.size > largest) throw new Error(`it has ${leaf.size} bytes, and a message has at most ${largest}`)
  return { leaf, bytes: isZipped(path) ? unzip(leaf.bytes, largest) : leaf.bytes }
}

const isZipped = (path: TreePath): boolean => path.endsWith('.gz')

export const nameWithin = (name: string): string => name.replace(/\.gz$/, '')

/** True when the file name shows that the message has another id. */
export function cannotBe({ file }: LooseFile, id: string): boolean {
  const shortId = parseFileName(nameWithin(file.name))?.shortId
  return shortId !== undefined && !id.startsWith(shortId) && !shortId.startsWith(id)
}

export function shelfOf(path: TreePath): TreePath {
  const folder = parentOf(path)
  return (finalStatuses as readonly string[]).includes(nameOf(folder)) ? parentOf(folder) : folder
}
