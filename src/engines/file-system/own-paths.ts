/** Which paths belong to the engine. Neither a caller nor a note may name them. */
import { childOf, parentOf, type TreePath, treePath, treeRoot } from '../../kernel/tree-path.ts'
import { engineHome, isReserved } from '../../tree/home.ts'
import type { HolderId } from './holder.ts'
import { scratchFolder, strayScratchName } from './scratch.ts'

/** One small file for each tree that a process has open and moves leaves in. */
export const slotsFolder = childOf(engineHome, 'moves')

/** A private name is this, the operation and the leaf's name. */
export const ownPrefix = '.own-'
export const ownName = (operation: string, name: string): string => `${ownPrefix}${operation}-${name}`

/** The name of a private file or of a folder of drafts. */
export const isOwnName = (name: string): boolean => /^\.(own-|signalbox-tmp)/i.test(name)

/** The root itself, the engine's folder, private names and drafts. */
export const isOwnPath = (path: TreePath): boolean =>
  path === treeRoot || isReserved(path) || path.split('/').some(isOwnName)

/** A path that a leaf can have; `undefined` for any other value. The value may be a stranger's. */
export function leafPath(value: unknown): TreePath | undefined {
  const path = pathIn(value)
  // Git runs programs from its folder, and no clone contains that folder. A stranger's note must not write there either.
  return path !== undefined && !isOwnPath(path) && !/(^|\/)\.git(\/|$)/i.test(path) ? path : undefined
}

/**
 * Takes `.own-HOLDER-counter-NAME` apart; `undefined` for a name that we never give. NAME must be that of a leaf in the same
 * folder.
 */
export function nameFromOwn(
  own: string,
  folder: TreePath,
): { holder: HolderId; operation: string; name: string } | undefined {
  const [, operation = '', holder = '', name = ''] = /^\.own-((\w+-\w+-\w+-\w+)-\w+)-(.+)$/s.exec(own) ?? []
  return leafPath(folder === '' ? name : `${folder}/${name}`) === undefined ? undefined : { operation, holder, name }
}

/** A folder that drafts are written to. */
export function draftFolder(value: unknown): TreePath | undefined {
  const path = pathIn(value)
  if (path === scratchFolder) return path
  if (path === undefined || !path.endsWith(`/${strayScratchName}`)) return undefined
  return isOwnPath(parentOf(path)) ? undefined : path
}

function pathIn(value: unknown): TreePath | undefined {
  if (typeof value !== 'string') return undefined
  try {
    return treePath(value)
  } catch {
    // Not a path inside the root.
    return undefined
  }
}
