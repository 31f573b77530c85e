/** Entries of the wrong kind among what CIRCE keeps under `.signalbox/`. */
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { type Odd, oddAmong } from '../../../messaging/inspection/expected.ts'
import { listIfFolder } from '../../../messaging/leaves/tolerant.ts'
import { cacheOf, stateOf } from '../../../tree/home.ts'
import type { Entry, Tree } from '../../../tree/tree.ts'
import {
  allCopiesPath,
  allHandedPath,
  cacheFolder,
  sentPath,
  stagedPath,
  stateFolder,
  unfinishedPath,
} from '../layout.ts'

export async function oddNotes(tree: Tree): Promise<Odd[]> {
  const odd: Odd[] = []
  const list = (folder: TreePath) => listIfFolder(tree, folder)
  const look = async (folder: TreePath, expectedOf: (name: string) => 'leaf' | 'folder' | undefined) => {
    const entries = await list(folder)
    odd.push(...oddAmong(folder, entries, expectedOf))
    return entries
  }
  const foldersIn = (folder: TreePath, entries: readonly Entry[]) =>
    entries.flatMap(({ name, kind }) => (kind === 'folder' ? [childOf(folder, name)] : []))
  const ours = (name: string) => (name === 'circe' ? ('folder' as const) : undefined)
  const leaf = () => 'leaf' as const
  const folder = () => 'folder' as const

  for (const kind of ['delivery', 'presence'] as const) await look(stateOf(kind), ours)
  await look(cacheOf('circe').slice(0, -'/circe'.length) as TreePath, ours)
  await look(stateFolder, folder)
  for (const notes of [unfinishedPath, sentPath, stagedPath]) await look(notes, leaf)
  for (const top of [allCopiesPath, allHandedPath]) {
    for (const one of foldersIn(top, await look(top, folder))) await look(one, leaf)
  }
  const kept = await look(cacheFolder, (name) => (name === 'book' || name === 'logged' ? 'leaf' : 'folder'))
  for (const one of foldersIn(cacheFolder, kept)) await look(one, leaf)
  return odd
}
