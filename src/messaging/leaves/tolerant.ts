/**
 * Reads and lists where an entry of another kind may be: a folder, link or pipe instead of a leaf, a leaf or link instead of a
 * folder. Such an entry counts as missing here, so that it never stops work on others; `inspect` reports it.
 */
import { SignalboxError } from '../../kernel/errors.ts'
import type { TreePath } from '../../kernel/tree-path.ts'
import type { Entry, Leaf, Removed, RemoveOptions, TimedEntry, Tree } from '../../tree/tree.ts'
import { type ReadOptions, readOrSayWhy, type Unread } from './readable.ts'

/** True for errors of an engine because of an entry of the wrong kind. */
export const isOddEntry = (error: unknown): error is SignalboxError =>
  error instanceof SignalboxError && ['NOT_A_LEAF', 'NOT_A_FOLDER', 'LINK_REFUSED'].includes(error.code)

const unless =
  (isExpected: (error: unknown) => boolean) =>
  async <T>(work: Promise<T>): Promise<T | undefined> => {
    try {
      return await work
    } catch (error) {
      if (isExpected(error)) return undefined
      throw error
    }
  }

/** For work of several steps: `undefined` when an entry of the wrong kind stopped it. */
export const unlessOdd = unless(isOddEntry)

/** For one leaf among many: `undefined` when it cannot be read, whatever the reason. What stops the whole tree is thrown. */
export const unlessUnreadable = unless((error) => error instanceof SignalboxError && error.kind !== 'Unavailable')

/** For a cache: if it cannot be read or written, work goes on without it. */
export const unlessFailed = unless((error) => error instanceof SignalboxError)

export const listIfFolder = async (tree: Tree, folder: TreePath): Promise<Entry[]> =>
  (await unlessOdd(tree.list(folder))) ?? []

export const readIfLeaf = (
  tree: Tree,
  path: TreePath,
  options?: Parameters<Tree['read']>[1],
): Promise<Leaf | undefined> => unlessOdd(tree.read(path, options))

/** As `readOrSayWhy`: what this user may not read, or is too large, says so. */
export const readOrSayWhyIfLeaf = (
  tree: Tree,
  path: TreePath,
  options?: ReadOptions,
): Promise<Leaf | Unread | undefined> => unlessOdd(readOrSayWhy(tree, path, options))

export const lookIfThere = (tree: Tree, path: TreePath): Promise<TimedEntry | undefined> => unlessOdd(tree.look(path))

export const removeIfLeaf = (tree: Tree, path: TreePath, options?: RemoveOptions): Promise<Removed | undefined> =>
  unlessOdd(tree.remove(path, options))
