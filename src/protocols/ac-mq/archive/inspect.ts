/** What is wrong with an archive, for `doctor`. Reads every pack, one message at a time, and changes nothing. */
import { SignalboxError } from '../../../kernel/errors.ts'
import { largestMessage as standardLargestMessage } from '../../../kernel/problem.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import { isOddEntry } from '../../../messaging/leaves/tolerant.ts'
import { type Finding, finding, type Tree } from '../../../tree/tree.ts'
import type { PackFile } from './index-cache.ts'
import type { ReadOptions } from './indexes.ts'
import { readPack } from './member.ts'
import { type ArchivedEntry, causeText, indexPathOf, largestPack, readIndex } from './pack.ts'
import { readLoose, readShelf, shelvesIn } from './shelves.ts'

export async function inspectArchive(
  tree: Tree,
  archive: TreePath,
  { largestMessage = standardLargestMessage }: ReadOptions = {},
): Promise<Finding[]> {
  const findings: Finding[] = []
  const look = async <T>(path: TreePath, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      // The inspection of the folder above reports a file or link in place of a folder.
      if (!isOddEntry(error)) findings.push(unreadable(path, error))
      return undefined
    }
  }
  for (const folder of (await look(archive, () => shelvesIn(tree, archive))) ?? []) {
    const { loose, packs } = (await look(folder, () => readShelf(tree, folder))) ?? { loose: [], packs: [] }
    for (const pack of packs) {
      const found = await look(pack.path, () => inspectPack(tree, pack, largestMessage))
      if (found) findings.push(found)
    }
    for (const one of loose) await look(one.path, () => readLoose(tree, one, largestMessage))
  }
  return findings
}

async function inspectPack(tree: Tree, pack: PackFile, largest: number): Promise<Finding | undefined> {
  const { path } = pack
  if (!pack.pack) {
    const entries = await indexed(tree, pack)
    const message = `The pack is missing; by its index it holds ${entries.length === 0 ? 'nothing' : namesOf(entries)}.`
    const hint = `Restore ${path} from a copy. If there is none, delete ${indexPathOf(path)}: these messages are lost.`
    return finding('error', 'ARCHIVE_PACK_MISSING', path, message, hint)
  }
  const leaf = await tree.read(path, { atMost: largestPack(largest) })
  const { entries, damage } = leaf ? readPack(leaf.bytes, path, largest) : { entries: [], damage: [] }
  const [first] = damage
  if (!first) return undefined
  const readable = new Set(entries.map(({ offset }) => offset))
  const lost = (await indexed(tree, pack)).filter(({ offset }) => !readable.has(offset))
  const what = `The pack is damaged from byte ${first.offset} on (${first.reason}).`
  const left = `${entries.length} ${entries.length === 1 ? 'message' : 'messages'} in it can still be read and found`
  const message = `${what} ${left}${lost.length > 0 ? `; ${namesOf(lost)} cannot` : ''}.`
  return finding('error', 'ARCHIVE_PACK_DAMAGED', path, message, `Restore ${path} from a copy.`)
}

async function indexed(tree: Tree, { path, index }: PackFile): Promise<ArchivedEntry[]> {
  const leaf = index && (await tree.read(indexPathOf(path), { atMost: 64 * 1024 * 1024 }))
  return leaf ? [...readIndex(leaf.bytes, path)] : []
}

const mostNamed = 5

/** The first few ids, and how many more. They are quoted, because any program may have written the file. */
function namesOf(entries: readonly ArchivedEntry[]): string {
  const named = entries.slice(0, mostNamed).map(({ id }) => JSON.stringify(id.slice(0, 80)))
  const more = entries.length > mostNamed ? ` and ${entries.length - mostNamed} more` : ''
  return named.join(', ') + more
}

function unreadable(path: TreePath, error: unknown): Finding {
  if (error instanceof SignalboxError && error.kind === 'Unavailable') throw error
  const hint = (error instanceof SignalboxError ? error.hint : undefined) ?? 'Restore it from a copy, or move it away.'
  return finding('error', 'ARCHIVE_UNREADABLE', path, `It cannot be read: ${causeText(error)}`, hint)
}
