/** Shared by the verbs that write: the time, the fence, the transaction, and reading why it was not done. */
import type { Clock } from '../../kernel/clock.ts'
import { parentOf, type TreePath } from '../../kernel/tree-path.ts'
import type { Guard } from '../../tree/tree.ts'
import { type Committed, type ConditionalWrite, commit, type Write } from './commit.ts'
import { makeFolder } from './folders.ts'
import type { KeyRange } from './keys.ts'
import { type Fence, fenceOf } from './leases.ts'
import { type NotSeen, type Seen, seenAt } from './leaves.ts'
import type { Parts } from './parts.ts'
import { get, getAll, type KeyValue, type RequestOp } from './transaction.ts'
import { type LeafHeader, printValue } from './value.ts'

/** An answered write is on the disks of a majority of the members. */
export const durability = 'full' as const
export const fenced = { outcome: 'fenced' } as const

export class Writer {
  readonly parts: Parts
  readonly #clock: Clock | undefined

  /** `clock` is used instead of the cluster's time. */
  constructor(parts: Parts, clock: Clock | undefined) {
    this.parts = parts
    this.#clock = clock
  }

  now = async (): Promise<number> => {
    if (this.#clock) return this.#clock.now()
    const { time } = this.parts.requests
    await time.known()
    return time.now()
  }

  fence(guard: Guard): Promise<Fence | 'fenced'> {
    return fenceOf(this.parts, guard, this.now)
  }

  commit(
    folders: readonly [TreePath, ...TreePath[]],
    now: number,
    change: (operation: string) => ConditionalWrite,
  ): Promise<Committed> {
    return commit(this.parts, folders, now, change)
  }

  async makeMissing({ missing }: Extract<Committed, { done: false }>): Promise<void> {
    for (const folder of missing) await makeFolder(this.parts, folder, await this.now())
  }

  leafWrite(path: TreePath, about: LeafHeader, bytes: Uint8Array): Write {
    const value = printValue(about, about.elsewhere || about.isLog ? undefined : bytes)
    return { key: this.parts.keys.leaf(path), value, folder: parentOf(path) }
  }

  /** Deletes the lines of a log when its leaf goes or is no log any more. */
  dropsLog({ about }: Seen, path: TreePath): { readonly dropped?: KeyRange } {
    return about.isLog ? { dropped: this.parts.keys.log(path) } : {}
  }

  /** The steps that read a leaf for `seenAgain`. */
  lookAgain(path: TreePath): [RequestOp, RequestOp] {
    return [get(this.parts.keys.leaf(path)), getAll(this.parts.keys.log(path))]
  }

  /** The leaf as found by the transaction that was not done. */
  seenAgain(path: TreePath, [leaf = [], log = []]: readonly (readonly KeyValue[])[]): Seen | NotSeen {
    return leaf[0] ? seenAt(this.parts, path, leaf[0], log) : {}
  }
}
