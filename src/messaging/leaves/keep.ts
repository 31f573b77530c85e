/** Keeping files for a while: the oldest are removed, by age and by the disk they take. */
import { childOf, isSegment, type TreePath } from '../../kernel/tree-path.ts'
import type { TimedEntry, Tree } from '../../tree/tree.ts'

export interface Keeping {
  /** Counted from when a file came into its folder. */
  readonly keepMs: number
  readonly keepBytes: number
}

/** What the smallest file takes on a disk. */
const block = 4096

/** Removes what a folder should not keep any more. Goes through the whole folder, so not for every file that comes. */
export async function prune(tree: Tree, folder: TreePath, { keepMs, keepBytes }: Keeping): Promise<number> {
  const leaves = (await tree.list(folder, { times: true })).filter(
    ({ name, kind }) => kind === 'leaf' && isSegment(name),
  )
  let removed = 0
  for (const { name, changedAt } of tooMany(leaves, (await tree.now()) - keepMs, keepBytes)) {
    // Another process may have put a new leaf under this name since: that one stays.
    const onlyIf = (_: Uint8Array, times: { readonly changedAt: number }) => times.changedAt === changedAt
    // Read nothing of it: it may be too large to be read.
    if ((await tree.remove(childOf(folder, name), { onlyIf, atMost: 0 })).outcome === 'removed') removed++
  }
  return removed
}

/** The leaves to remove: those older than `oldest`, then the oldest ones until the rest fits into `mostBytes`. */
export function tooMany(leaves: readonly TimedEntry[], oldest: number, mostBytes: number): TimedEntry[] {
  const newestFirst = [...leaves].sort((a, b) => b.changedAt - a.changedAt)
  let bytes = 0
  return newestFirst.filter(({ size, changedAt }) => {
    bytes += Math.max(1, Math.ceil(size / block)) * block
    return changedAt < oldest || bytes > mostBytes
  })
}
