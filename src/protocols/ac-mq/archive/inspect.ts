/** What is wrong with an archive, for `doctor`. Reads every pack, one message at a time, and changes nothing. */
import { SignalboxError } from '../../../kernel/errors.ts'
import { largestMessage as standardLargestMessage } from '../../../kernel/problem.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import { isOddEntry } from '../../../messaging/leaves/tolerant.ts'
import { type Finding, finding, type Tree } from '../../../tree/tree.ts'
import type { PackFile } from './index-cache.ts'
import type { IndexOptions } from './indexes.ts'
import { readPack } from './member.ts'
import { type ArchivedEntry, causeText, indexPathOf, largestPack, readIndex } from './pack.ts'
import { type LooseFile, readLoose, readShelf, shelvesIn } from './shelves.ts'

export async function inspectArchive(tree: Tree, archive: TreePath, options: IndexOptions = {}): Promise<Finding[]> {
  const { largestMessage = standardLargestMessage } = options
  const findings: Finding[] = []
  const look = async <T>(folder: TreePath, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      // A file or link where a folder should be is reported by the inspection of the folder above.
      if (!isOddEntry(error)) findings.push(unreadable(folder, error))
      return undefined
    }
  }
  for (const folder of (await look(archive, () => shelvesIn(tree, archive))) ?? []) {
    const { loose, packs } = (await look(folder, () => readShelf(tree, folder))) ?? { loose: [], packs: [] }
    for (const pack of packs) findings.push(...(await inspectPack(tree, pack, largestMessage)))
    for (const one of loose) findings.push(...(await inspectLoose(tree, one, largestMessage)))
  }
  return findings
}

async function inspectPack(tree: Tree, pack: PackFile, largest: number): Promise<Finding[]> {
  const { path } = pack
  if (!pack.pack) return inspectIndexAlone(tree, pack)
  try {
    const leaf = await tree.read(path, { atMost: largestPack(largest) })
    if (!leaf) return []
    const { entries, damage } = readPack(leaf.bytes, path, largest)
    const [first] = damage
    if (!first) return []
    const readable = new Set(entries.map(({ offset }) => offset))
    const lost = (await indexed(tree, pack)).filter(({ offset }) => !readable.has(offset))
    const what = `The pack is damaged from byte ${first.offset} on (${first.reason}).`
    const left = `${entries.length} ${entries.length === 1 ? 'message' : 'messages'} in it can still be read and found`
    const message = `${what} ${left}${lost.length > 0 ? `; ${namesOf(lost)} cannot` : ''}.`
    return [found('ARCHIVE_PACK_DAMAGED', path, message, `Restore ${path} from a copy.`)]
  } catch (error) {
    return [unreadable(path, error)]
  }
}

async function inspectIndexAlone(tree: Tree, pack: PackFile): Promise<Finding[]> {
  const { path } = pack
  try {
    const entries = await indexed(tree, pack)
    const message = `The pack is missing; by its index it holds ${entries.length === 0 ? 'nothing' : namesOf(entries)}.`
    const hint = `Restore ${path} from a copy. If there is none, delete ${indexPathOf(path)}: these messages are lost.`
    return [found('ARCHIVE_PACK_MISSING', path, message, hint)]
  } catch (error) {
    return [unreadable(path, error)]
  }
}

async function indexed(tree: Tree, { path, index }: PackFile): Promise<ArchivedEntry[]> {
  const leaf = index && (await tree.read(indexPathOf(path), { atMost: 64 * 1024 * 1024 }))
  return leaf ? [...readIndex(leaf.bytes, path)] : []
}

async function inspectLoose(tree: Tree, loose: LooseFile, largest: number): Promise<Finding[]> {
  try {
    await readLoose(tree, loose, largest)
    return []
  } catch (error) {
    return [unreadable(loose.path, error)]
  }
}

const mostNamed = 5

/** The first few ids, and how many more. They come from a file of strangers, so they are quoted. */
function namesOf(entries: readonly ArchivedEntry[]): string {
  const named = entries.slice(0, mostNamed).map(({ id }) => JSON.stringify(id.slice(0, 80)))
  const more = entries.length > mostNamed ? ` and ${entries.length - mostNamed} more` : ''
  return named.join(', ') + more
}

function unreadable(path: TreePath, error: unknown): Finding {
  if (error instanceof SignalboxError && error.kind === 'Unavailable') throw error
  const hint = (error instanceof SignalboxError ? error.hint : undefined) ?? 'Restore it from a copy, or move it away.'
  return found('ARCHIVE_UNREADABLE', path, `It cannot be read: ${causeText(error)}`, hint)
}

const found = (code: string, path: TreePath, message: string, hint: string): Finding =>
  finding('error', code, path, message, hint)
