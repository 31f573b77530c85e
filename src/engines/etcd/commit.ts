/**
 * A write as one transaction: its conditions, what it puts and drops, the stamps of the folders it changes, and the
 * condition that it was not revoked. When `commit` returns, it is always known whether the write was done.
 */
import type { TreePath } from '../../kernel/tree-path.ts'
import type { Key, KeyRange } from './keys.ts'
import type { Parts } from './parts.ts'
import {
  type Compare,
  drop,
  dropAll,
  foundBy,
  get,
  isAbsent,
  isPresent,
  type KeyValue,
  put,
  type RequestOp,
  revisionOf,
} from './transaction.ts'
import { printValue } from './value.ts'

/** One key that a write changes: a new value in base64, or none. `folder` when the key belongs to its listing. */
export interface Write {
  readonly key: Key
  readonly value: string | undefined
  readonly folder?: TreePath
}

export interface ConditionalWrite {
  readonly compare: readonly Compare[]
  readonly writes: readonly Write[]
  readonly dropped?: KeyRange
  /** What to read if a condition fails, to find out which one it was. */
  readonly otherwise: readonly RequestOp[]
}

export type Committed =
  | { readonly done: true; readonly revision: number }
  | {
      readonly done: false
      /** The revision of the cluster at which this was found. */
      readonly revision: number
      /** What each step of `otherwise` found. */
      readonly found: readonly (readonly KeyValue[])[]
      readonly missing: readonly TreePath[]
    }

/**
 * `folders`: those whose stamps change; each must be there. `change` is called again, with another id, when an attempt had no
 * effect.
 */
export async function commit(
  { requests, keys, indexes, turn, unanswered }: Parts,
  folders: readonly [TreePath, ...TreePath[]],
  now: number,
  change: (operation: string) => ConditionalWrite,
): Promise<Committed> {
  // If no answer comes we must know where to begin reading the history. So ask first if we have heard nothing yet.
  if (requests.revision === 0) await requests.get([keys.stamp(folders[0])])
  const fence = turn.fence
  const stamps = folders.map((folder) => keys.stamp(folder))
  for (;;) {
    const operation = crypto.randomUUID()
    const since = requests.revision
    const { compare, writes, dropped, otherwise } = change(operation)
    const value = printValue({ modifiedAt: now, changedAt: now, by: operation })
    const stamped: Write[] = [...writes, ...folders.map((folder, i) => ({ key: stamps[i]!, value, folder }))]
    const answer = await requests.write({
      compare: [isAbsent(keys.revoked(operation)), ...fence.compare, ...stamps.map(isPresent), ...compare],
      success: [
        ...stamped.map(({ key, value }) => (value === undefined ? drop(key) : put(key, value))),
        ...(dropped ? [dropAll(dropped)] : []),
      ],
      failure: [...otherwise, ...stamps.map(get), ...fence.otherwise],
    })
    if (answer && !answer.succeeded) {
      const all = foundBy(answer)
      if (fence.otherwise.length > 0) turn.expectHeld(all.pop())
      const ofStamps = all.splice(-folders.length)
      const missing = folders.filter((_, i) => ofStamps[i]!.length === 0)
      return { done: false, revision: revisionOf(answer.header), found: all, missing }
    }
    const revision = answer
      ? revisionOf(answer.header)
      : await unanswered.find({ operation, folder: folders[0], since, now })
    if (revision === undefined) continue
    for (const write of stamped) indexes.take(write, revision)
    unanswered.answered()
    return { done: true, revision }
  }
}
