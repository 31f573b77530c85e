/**
 * The messages of a pack, by its index. The first reader that finds an index lost or wrong makes it again from the pack. A
 * damaged pack gets no index: it is searched each time.
 */

import { bufferOf } from '../../../formats/front-matter.ts'
import { largestMessage as standardLargestMessage } from '../../../kernel/problem.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import { unlessFailed, unlessUnreadable } from '../../../messaging/leaves/tolerant.ts'
import type { Tree } from '../../../tree/tree.ts'
import { IndexCache, type PackFile } from './index-cache.ts'
import { mostAfterLast, type PackContents, readPack } from './member.ts'
import { type ArchivedEntry, type ArchiveProblem, indexPathOf, largestPack, printEntry, readIndex } from './pack.ts'

export interface ReadOptions {
  /** How large a message may be, in bytes. Nothing is decompressed to more than this. */
  readonly largestMessage?: number
  readonly onProblem?: ((problem: ArchiveProblem) => void) | undefined
}

export async function entriesOf(
  tree: Tree,
  pack: PackFile,
  options: ReadOptions = {},
): Promise<readonly ArchivedEntry[]> {
  const bytes = await indexOf(tree, pack, options)
  const problems: ArchiveProblem[] = []
  const entries = [...readIndex(bytes, pack.path, (problem) => void problems.push(problem))]
  if (problems.length === 0) return entries
  const mended = pack.pack && (await mend(tree, pack, bytes, options))
  if (mended) return [...readIndex(mended, pack.path, options.onProblem)]
  for (const problem of problems) options.onProblem?.(problem)
  return entries
}

/** The messages of a pack whose id is or begins with `id`. Only lines that contain it are parsed. */
export async function searchPack(
  tree: Tree,
  pack: PackFile,
  id: string,
  options: ReadOptions = {},
): Promise<readonly ArchivedEntry[]> {
  if (IndexCache.of(tree).cannotHave(pack, id)) return []
  const read = await indexOf(tree, pack, options)
  const found: ArchivedEntry[] = []
  const wanted = JSON.stringify(id).slice(1, -1)
  let isDamaged = false
  for (let at = read.indexOf(wanted); at >= 0; ) {
    const start = read.lastIndexOf('\n', at) + 1
    const end = read.indexOf('\n', at)
    const line = read.subarray(start, end < 0 ? undefined : end + 1)
    for (const entry of readIndex(line, pack.path, () => (isDamaged = true))) {
      if (entry.id.startsWith(id)) found.push(entry)
    }
    at = end < 0 ? -1 : read.indexOf(wanted, end + 1)
  }
  return isDamaged ? (await entriesOf(tree, pack, options)).filter((entry) => entry.id.startsWith(id)) : found
}

function indexOf(tree: Tree, pack: PackFile, options: ReadOptions): Promise<Buffer> {
  return IndexCache.of(tree).read(pack, async () => {
    const path = indexPathOf(pack.path)
    const leaf = pack.index && (await unlessUnreadable(tree.read(path, { atMost: mostIndexBytes })))
    const bytes = bufferOf(leaf?.bytes ?? new Uint8Array())
    if (pack.pack === undefined || reachesEnd(bytes, pack.path, pack.pack.size)) return bytes
    return (await mend(tree, pack, bytes, options)) ?? bytes
  })
}

/** A thousand messages, each with the longest summary that a header can hold. */
const mostIndexBytes = 128 * 1024 * 1024

/** True when the last message of an index is the last of its pack. Also true when the end of the pack was cut off. */
function reachesEnd(index: Buffer, pack: TreePath, size: number): boolean {
  if (index.at(-1) !== 10) return false
  const lastLine = index.subarray(index.lastIndexOf('\n', index.length - 2) + 1)
  const [last] = readIndex(lastLine, pack)
  return last !== undefined && last.offset + last.length + mostAfterLast >= size
}

/** Makes an index again. If it cannot be written, the reader still gets its text. */
async function mend(tree: Tree, pack: PackFile, before: Buffer, options: ReadOptions): Promise<Buffer | undefined> {
  const contents = await contentsOf(tree, pack.path, options)
  if (!contents) return undefined
  const { entries, damage } = contents
  if (damage.length > 0) {
    const known = new Map([...readIndex(before, pack.path), ...entries].map((entry) => [entry.offset, entry]))
    return linesOf([...known.values()])
  }
  const index = linesOf(entries)
  const path = indexPathOf(pack.path)
  if (pack.index) await unlessFailed(tree.remove(path, { onlyIf: (bytes) => before.equals(bytes) }))
  await unlessFailed(tree.create(path, index))
  return index
}

const linesOf = (entries: readonly ArchivedEntry[]): Buffer => Buffer.from(entries.map(printEntry).join(''))

/** What is in a pack, found without its index. `undefined` when the pack is gone or cannot be read. */
export async function contentsOf(
  tree: Tree,
  pack: TreePath,
  { largestMessage = standardLargestMessage }: ReadOptions = {},
): Promise<PackContents | undefined> {
  const leaf = await unlessUnreadable(tree.read(pack, { atMost: largestPack(largestMessage) }))
  return leaf && readPack(leaf.bytes, pack, largestMessage)
}
