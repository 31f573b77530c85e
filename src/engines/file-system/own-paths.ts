/** Which paths belong to the engine. Neither a caller nor a note may name them. */
import { parentOf, type TreePath, treePath, treeRoot } from '../../kernel/tree-path.ts'
import { isReserved } from '../../tree/home.ts'
import { scratchFolder, strayScratchName } from './scratch.ts'

/** The name of a private file or of a folder of drafts. */
export const isOwnName = (name: string): boolean => /^\.(own-|signalbox-tmp)/i.test(name)

/** The root itself, the engine's folder, private names and drafts. */
export const isOwnPath = (path: TreePath): boolean =>
  path === treeRoot || isReserved(path) || path.split('/').some(isOwnName)

/** A path that a leaf can have; `undefined` for any other value, whoever wrote it. */
export function leafPath(value: unknown): TreePath | undefined {
  const path = pathIn(value)
  // Git runs programs from its folder, and no clone contains that folder. A stranger's note must not write there either.
  return path !== undefined && !isOwnPath(path) && !/(^|\/)\.git(\/|$)/i.test(path) ? path : undefined
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
