/**
 * A write as one transaction: its conditions, what it puts and drops, the stamps of the folders it changes, and the
 * condition that it was not revoked. When `commit` returns, it is always known whether the write was done.
 */
import type { TreePath } from '../../kernel/tree-path.ts'
import type { CurrentTurn } from './current-turn.ts'
import type { Key, KeyRange, Keys } from './keys.ts'
import type { Copies } from './parts.ts'
import type { Requests } from './requests.ts'
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
  revisionOf,
  type Step,
  type TransactionAnswer,
} from './transaction.ts'
import type { UnansweredWrites } from './unanswered-writes.ts'
import { printValue } from './value.ts'

/** One key that a write changes: a new value in base64, or none. `folder` when the key belongs to its listing. */
export interface Write {
  readonly key: Key
  readonly value: string | undefined
  readonly folder?: TreePath
}

export interface Change {
  readonly compare: readonly Compare[]
  readonly writes: readonly Write[]
  readonly dropped?: KeyRange
  /** What to read if a condition fails, to find out which one it was. */
  readonly otherwise: readonly Step[]
}

export type Committed =
  | { readonly done: true; readonly revision: number }
  | {
      readonly done: false
      /** The revision of the cluster at which this was found. */
      readonly revision: number
      /** What each step of `otherwise` found. */
      readonly found: readonly (readonly KeyValue[])[]
      /** The folders that are missing. */
      readonly missing: readonly TreePath[]
    }

export interface Commit {
  /** The folders whose stamps change; each must be there. */
  readonly folders: readonly [TreePath, ...TreePath[]]
  readonly now: number
  /** Called again, with another id, when an attempt had no effect. */
  readonly change: (operation: string) => Change
}

/** After so many writes a process is likely to go on writing. */
const manyWrites = 20

export class Commits {
  readonly #requests: Requests
  readonly #keys: Keys
  readonly #indexes: Copies
  readonly #turn: CurrentTurn
  readonly #unanswered: UnansweredWrites
  #count = 0

  constructor(requests: Requests, keys: Keys, indexes: Copies, turn: CurrentTurn, unanswered: UnansweredWrites) {
    this.#requests = requests
    this.#keys = keys
    this.#indexes = indexes
    this.#turn = turn
    this.#unanswered = unanswered
  }

  async commit({ folders, now, change }: Commit): Promise<Committed> {
    // If no answer comes we must know where to begin reading the history. So ask first if we have heard nothing yet.
    if (this.#requests.revision === 0) await this.#requests.get([this.#keys.stamp(folders[0])])
    const turn = this.#turn.fence
    for (;;) {
      const operation = crypto.randomUUID()
      const since = this.#requests.revision
      const { compare, writes, dropped, otherwise } = change(operation)
      const stamped = [...writes, ...folders.map((folder) => this.#stampOf(folder, operation, now))]
      const answer = await this.#requests.write({
        compare: [
          isAbsent(this.#keys.revoked(operation)),
          ...turn.compare,
          ...folders.map((folder) => isPresent(this.#keys.stamp(folder))),
          ...compare,
        ],
        success: [
          ...stamped.map(({ key, value }) => (value === undefined ? drop(key) : put(key, value))),
          ...(dropped ? [dropAll(dropped)] : []),
        ],
        failure: [...otherwise, ...folders.map((folder) => get(this.#keys.stamp(folder))), ...turn.otherwise],
      })
      if (answer && !answer.succeeded) return this.#notDone(answer, folders, turn.otherwise.length)
      const revision = answer
        ? revisionOf(answer.header)
        : await this.#unanswered.find({ operation, folder: folders[0], since, now })
      if (revision === undefined) continue
      for (const write of stamped) this.#indexes.take(write, revision)
      if (++this.#count === manyWrites) this.#unanswered.prepare()
      return { done: true, revision }
    }
  }

  #stampOf(folder: TreePath, operation: string, now: number): Write {
    const value = printValue({ modifiedAt: now, changedAt: now, by: operation })
    return { key: this.#keys.stamp(folder), value, folder }
  }

  #notDone(answer: TransactionAnswer, folders: readonly TreePath[], ofTurn: number): Committed {
    const all = foundBy(answer)
    if (ofTurn > 0) this.#turn.expectHeld(all.splice(-ofTurn)[0])
    const stamps = all.slice(all.length - folders.length)
    return {
      done: false,
      revision: revisionOf(answer.header),
      found: all.slice(0, all.length - folders.length),
      missing: folders.filter((_, i) => stamps[i]!.length === 0),
    }
  }
}
