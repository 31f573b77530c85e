/** Which leaves of a tree belong to a workspace, and are worth carrying elsewhere. */
import { text } from '../../kernel/field.ts'
import { childOf, isWithin, type TreePath, treeRoot } from '../../kernel/tree-path.ts'
import { cacheHome, gitignorePath, isReserved, stateOf } from '../../tree/home.ts'
import type { Tree } from '../../tree/tree.ts'
import { messageFolders, messageLeaves, type StoresPlace } from '../stores.ts'
import { configurationFile } from '../workspace/settings.ts'

/** The directory at the other end, as a word of the command. */
export const directory = (help: string) =>
  text(help, {
    positional: true,
    required: true,
    placeholder: 'DIR',
    expected: 'the path of a directory, of at most 4096 bytes',
    completes: 'folder',
    pattern: /./,
    longest: 4096,
  })

/** A root of files is often a whole repository: of that only what Signalbox and its protocols keep. */
export async function workspaceFolders(...places: readonly StoresPlace[]): Promise<TreePath[]> {
  const all = new Set<TreePath>()
  for (const place of places)
    for (const path of [...(await messageFolders(place)), ...(await messageLeaves(place))]) all.add(path)
  const folders = [...all]
  return folders.filter((folder) => !folders.some((other) => other !== folder && isWithin(folder, other)))
}

/** On a cluster there is nothing else. */
export const everything: readonly TreePath[] = [treeRoot]

/**
 * Keys stay where they are: they belong to one user on one machine, and to no cluster or copy. A tree of files makes its own
 * `.gitignore` with its first file.
 */
export const isCarried = (path: TreePath): boolean =>
  ![cacheHome, stateOf('keys'), gitignorePath].some((folder) => isWithin(path, folder)) && !isReserved(path)

/** Something in the directory of a workspace that is not carried, and why. */
export interface LeftBehind {
  readonly path: TreePath
  readonly reason: string
}

/** What lies beside what is carried. Of a folder that holds nothing of the workspace only the name is told. */
export async function besides(tree: Tree, folders: readonly TreePath[]): Promise<LeftBehind[]> {
  const found: LeftBehind[] = []
  const into = async (folder: TreePath): Promise<void> => {
    for (const { name, kind } of await tree.list(folder)) {
      const path = childOf(folder, name)
      if (folders.some((carried) => isWithin(path, carried))) continue
      if (kind === 'folder' && folders.some((carried) => isWithin(carried, path))) await into(path)
      else
        found.push({ path, reason: path === configurationFile ? 'settings are for one place' : 'no protocol keeps it' })
    }
  }
  await into(treeRoot)
  const keys = stateOf('keys')
  if (await tree.look(keys)) found.push({ path: keys, reason: 'keys stay where they are' })
  return found
}

export interface Walked {
  readonly leaves: readonly TreePath[]
  /** Folders without anything in them, which a copy of the leaves alone would leave out. */
  readonly emptyFolders: readonly TreePath[]
  /** Links, pipes and the like: they stay behind. */
  readonly others: readonly TreePath[]
}

export async function walk(tree: Tree, folders: readonly TreePath[]): Promise<Walked> {
  const leaves: TreePath[] = []
  const emptyFolders: TreePath[] = []
  const others: TreePath[] = []
  const into = async (folder: TreePath): Promise<void> => {
    const entries = (await tree.list(folder)).filter(({ name }) => isCarried(childOf(folder, name)))
    if (entries.length === 0 && (await tree.look(folder))) emptyFolders.push(folder)
    for (const { name, kind } of entries) {
      const path = childOf(folder, name)
      if (kind === 'folder') await into(path)
      else (kind === 'leaf' ? leaves : others).push(path)
    }
  }
  for (const folder of folders) {
    // A protocol may have a file of its own beside its folders.
    const kind = folder === treeRoot ? 'folder' : (await tree.look(folder))?.kind
    if (kind === 'leaf') leaves.push(folder)
    else await into(folder)
  }
  return { leaves, emptyFolders: emptyFolders.filter((folder) => folder !== treeRoot), others }
}
