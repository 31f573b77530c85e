/**
 * Reads one leaf among many, or says why it cannot be read: it belongs to another user, or is larger than any message.
 * That is a fact about this leaf. A caller that goes through many reports it and goes on with the others.
 */
import { SignalboxError } from '../../kernel/errors.ts'
import { largestMessage, type Problem, tooLarge } from '../../kernel/problem.ts'
import type { TreePath } from '../../kernel/tree-path.ts'
import type { Leaf, Tree } from '../../tree/tree.ts'

export interface Unread {
  /**
   * `closed`: this user may not read it. Nothing is known of what it says, so it is neither moved nor set aside: it may be a
   * good message to its owner. `too-large`: it is malformed, whatever it says.
   */
  readonly outcome: 'closed' | 'too-large'
  readonly problem: Problem
}

export interface ReadOptions {
  /** Larger leaves are not read. */
  readonly most?: number
  /** Read only so many bytes. Whether the file is too large is still judged by its whole size. */
  readonly atMost?: number
  /** As `Tree.read` has it. */
  readonly fresh?: boolean
}

/** How much to read before the size is known; most leaves are smaller. */
const firstRead = 64 * 1024

/** Missing: `undefined`. Other failures are thrown: they are not about this leaf alone. */
export async function readOrSayWhy(
  tree: Tree,
  path: TreePath,
  { most = largestMessage, atMost = most, fresh = false }: ReadOptions = {},
): Promise<Leaf | Unread | undefined> {
  try {
    for (let wanted = Math.min(atMost, firstRead); ; wanted = atMost) {
      const leaf = await tree.read(path, { atMost: wanted, fresh })
      const problem = leaf && tooLarge(leaf.size, most)
      if (problem) return { outcome: 'too-large', problem }
      if (!leaf || wanted === atMost || leaf.bytes.length === leaf.size) return leaf
    }
  } catch (error) {
    const problem = whyClosed(error)
    if (!problem) throw error
    return { outcome: 'closed', problem }
  }
}

export const isUnread = (read: object): read is Unread => 'problem' in read

/** What is wrong with the one leaf that an error is about: this user may not read it. `undefined` for any other error. */
export function whyClosed(error: unknown): Problem | undefined {
  if (!(error instanceof SignalboxError) || error.kind !== 'Denied') return undefined
  const { owner, mode } = error.details
  if (owner === undefined) return undefined
  return {
    code: closedLeaf,
    field: '',
    message: `It belongs to ${owner}, with mode ${mode}, and this user may not read it.`,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  }
}

/** The code of what this user may not read. */
export const closedLeaf = 'PERMISSION_DENIED'
