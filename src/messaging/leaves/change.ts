/**
 * Changing a leaf that stays where it is: read it, work out the new bytes, put them in place of those that were read, and
 * begin again when another process was first. No change of a Signalbox process is lost. For a leaf that another process may move,
 * use `Tree.move` with `change`. `fresh`: as for `Tree.read`, so that nothing is left unchanged because of an old copy.
 */
import { pause } from '../../kernel/clock.ts'
import { corrupt, unavailable } from '../../kernel/errors.ts'
import { largestMessage } from '../../kernel/problem.ts'
import type { TreePath } from '../../kernel/tree-path.ts'
import type { Durability, Leaf, Revision, Tree } from '../../tree/tree.ts'

/**
 * The bytes that should stand there, from those that do (`undefined` where nothing is); `undefined` to leave it as it is.
 * It is asked again after every lost race, so it must not have effects beyond what the last call says.
 */
type LeafChange = (before: Leaf | undefined) => Uint8Array | undefined | Promise<Uint8Array | undefined>

type LeafChanged =
  | { readonly outcome: 'created' | 'replaced'; readonly durability: Durability }
  /** Nothing was written: `change` answered nothing, or what stands there already. */
  | { readonly outcome: 'unchanged' }

/** In each round of a race one process wins; so many losses in a row mean that something is wrong. */
const mostAttempts = 200
const longestPauseMs = 20

export async function changeLeaf(
  tree: Tree,
  path: TreePath,
  change: LeafChange,
  { attempts = mostAttempts, fresh = false } = {},
): Promise<LeafChanged> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const before = await readBounded(tree, path, fresh)
    const bytes = await change(before)
    if (bytes === undefined || (before && Buffer.compare(bytes, before.bytes) === 0)) return { outcome: 'unchanged' }
    const written = await writeOver(tree, path, bytes, before?.revision)
    if (written) return written
    // A random pause, so that processes that collided do not collide again.
    await pause(Math.random() * Math.min(attempt, longestPauseMs))
  }
  const message = `${tree.place}/${path} could not be changed: others changed it ${attempts} times.`
  throw unavailable('LEAF_CONTENDED', message, {
    hint: 'Try again. If that does not help, look which program keeps writing this file.',
    details: { path },
  })
}

/** A leaf larger than any message was not written by us: it is not read whole, and stays as it is. */
async function readBounded(tree: Tree, path: TreePath, fresh: boolean): Promise<Leaf | undefined> {
  const leaf = await tree.read(path, { atMost: largestMessage + 1, fresh })
  if (!leaf || leaf.size <= largestMessage) return leaf
  throw corrupt('LEAF_TOO_LARGE', `${tree.place}/${path} has ${leaf.size} bytes, and was not read.`, {
    hint: 'Move it away; it is made again when it is needed.',
    details: { path, size: leaf.size },
  })
}

/** One attempt: replaces the bytes of `revision`, or creates the leaf; `undefined` when another process was first. */
export async function writeOver(
  tree: Tree,
  path: TreePath,
  bytes: Uint8Array,
  revision: Revision | undefined,
): Promise<Exclude<LeafChanged, { outcome: 'unchanged' }> | undefined> {
  const written = revision === undefined ? await tree.create(path, bytes) : await tree.replace(path, bytes, revision)
  return written.outcome === 'created' || written.outcome === 'replaced' ? written : undefined
}
