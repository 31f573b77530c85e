/**
 * Carries a workspace from one tree to another: every leaf with its bytes and its time. What is there already, equal,
 * is left as it is, so that an interrupted copy is simply repeated; what is there and differs is never overwritten.
 */
import { createHash } from 'node:crypto'
import { type Clock, systemClock } from '../../kernel/clock.ts'
import { conflict } from '../../kernel/errors.ts'
import type { TreePath } from '../../kernel/tree-path.ts'
import type { Leaf, Tree } from '../../tree/tree.ts'
import type { Reporter } from '../define.ts'
import { besides, type LeftBehind, type Walked, walk } from './walk.ts'

export interface Copy {
  readonly from: Tree
  readonly folders: readonly TreePath[]
  /** Opens the target by a clock of our own: the time of a leaf is that of its original. */
  readonly openTarget: (clock: Clock) => Promise<Tree>
  readonly report: Reporter
  readonly what: string
}

export interface Copied {
  readonly copied: number
  /** Were there before, the same. */
  readonly unchanged: number
  readonly bytes: number
  /** Leaves at both ends after the copy, and the hash of all their paths and bytes. */
  readonly count: number
  readonly hash: string
  readonly leftBehind: readonly LeftBehind[]
}

/** How many leaves to copy at a time: a cluster answers many requests as fast as one. */
const lanes = 8

export async function copyTree({ from, folders, openTarget, report, what }: Copy): Promise<Copied> {
  const found = await walk(from, folders)
  const total = found.leaves.length
  const counts = { copied: 0, unchanged: 0, bytes: 0 }
  let next = 0
  let done = 0
  const lane = async (): Promise<void> => {
    let at = 0
    const to = await openTarget({ now: () => at })
    try {
      for (let path = found.leaves[next++]; path !== undefined; path = found.leaves[next++]) {
        const leaf = await from.read(path)
        if (leaf) {
          at = leaf.modifiedAt
          const isNew = await putLeaf(to, path, leaf)
          counts[isNew ? 'copied' : 'unchanged']++
          counts.bytes += leaf.size
        }
        report.progress(what, ++done, total * 2)
      }
    } finally {
      await to.close()
    }
  }
  await Promise.all(Array.from({ length: Math.min(lanes, total) || 1 }, lane))

  const target = await openTarget(systemClock)
  try {
    for (const folder of found.emptyFolders) await target.makeFolder(folder)
    const verified = await verify(from, target, found, folders, (count) =>
      report.progress('verify', total + count, total * 2),
    )
    report.progress('done', 1, 1)
    const odd = found.others.map((path) => ({ path, reason: 'no ordinary file' }))
    return { ...counts, ...verified, leftBehind: [...odd, ...(await besides(from, folders))] }
  } finally {
    await target.close()
  }
}

/** True when it was not there before. */
async function putLeaf(to: Tree, path: TreePath, leaf: Leaf): Promise<boolean> {
  const { outcome } = await to.create(path, leaf.bytes)
  if (outcome === 'created') {
    // Not every engine gives a new leaf the time of our clock; all do when it is touched.
    if ((await to.look(path))?.modifiedAt !== leaf.modifiedAt) await to.touch(path)
    return true
  }
  const there = await to.read(path)
  if (there && Buffer.compare(there.bytes, leaf.bytes) === 0) return false
  throw conflict('DIFFERENT_THERE', `At the target ${path} is already there, with other content.`, {
    hint: 'Copy to an empty tenant or directory, or remove that leaf there; nothing was overwritten.',
    details: { path },
  })
}

/** Reads both ends again, whole, and compares the number of leaves and the hash of all. */
async function verify(
  from: Tree,
  to: Tree,
  { leaves }: Walked,
  folders: readonly TreePath[],
  onRead: (count: number) => void,
): Promise<{ count: number; hash: string }> {
  const [source, target] = [createHash('sha256'), createHash('sha256')]
  const sorted = [...leaves].sort()
  for (const [count, path] of sorted.entries()) {
    for (const [tree, hash] of [
      [from, source],
      [to, target],
    ] as const) {
      const leaf = await tree.read(path)
      hash.update(`${path}\0${leaf?.size ?? 'gone'}\0`).update(leaf?.bytes ?? '')
    }
    onRead(count + 1)
  }
  const [expected, hash] = [source.digest('hex'), target.digest('hex')]
  const [before, after] = [(await walk(from, folders)).leaves.length, (await walk(to, folders)).leaves.length]
  if (expected === hash && before === leaves.length && after >= leaves.length) return { count: leaves.length, hash }
  throw conflict('NOT_THE_SAME', `The two ends differ: ${before} leaves here and ${after} there.`, {
    hint: 'Let no agent work on either of them meanwhile, and repeat the command: it goes on where it stopped.',
    details: { before, after, expected, hash },
  })
}
