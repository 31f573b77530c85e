/**
 * Runs work whose verbs are one transaction (`OneTransaction`). If something that it read has changed by the time of the
 * commit, the work is run again. After too many conflicts, or where it does not fit into one transaction, the caller has to
 * do it verb by verb in a turn.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { pause } from '../../kernel/clock.ts'
import { SignalboxError } from '../../kernel/errors.ts'
import type { TreePath } from '../../kernel/tree-path.ts'
import type { Write } from './commit.ts'
import type { FolderIndexes } from './folder-indexes.ts'
import { makeFolder } from './folders.ts'
import type { Gateway } from './gateway.ts'
import { fromWire, type Key, type KeyRange, type Keys } from './keys.ts'
import { type Known, OneTransaction } from './one-transaction.ts'
import type { Parts } from './parts.ts'
import type { ClusterRequests } from './requests.ts'
import {
  type Compare,
  drop,
  dropAll,
  foundBy,
  get,
  getAll,
  holdsFor,
  isAbsent,
  isFree,
  type KeyValue,
  mostOperations,
  put,
  revisionOf,
  type TransactionAnswer,
} from './transaction.ts'
import { printValue } from './value.ts'

/** After so many conflicts in a row the work is done in a turn. */
const mostAttempts = 10
const longestPauseMs = 10
/** What etcd takes in one request, unless it is told otherwise, and less. */
const mostBytes = 1_400_000

/** Outside of any transaction. */
interface ClusterParts extends Parts {
  readonly requests: ClusterRequests
  readonly indexes: FolderIndexes
}

/** A transaction that is being worked on, and the verbs that belong to it. */
interface Running {
  readonly transaction: OneTransaction
  readonly parts: Parts
  readonly afterwards: (() => void)[]
}

type Ended<T> = { readonly value: T } | { readonly error: unknown }

type Outcome = { readonly is: 'done' | 'too large' | 'turn taken' } | ({ readonly is: 'conflict' } & Known)

export class Transactions {
  readonly #gateway: Gateway
  readonly #keys: Keys
  readonly #parts: ClusterParts
  readonly #storage = new AsyncLocalStorage<{ running: Running | undefined }>()

  constructor(gateway: Gateway, parts: ClusterParts) {
    this.#gateway = gateway
    this.#keys = parts.keys
    this.#parts = parts
  }

  get current(): Running | undefined {
    return this.#storage.getStore()?.running
  }

  /** `turn`: must be free at the end. Where it could not be done in one transaction, nothing was done. */
  async run<T>(turn: string | undefined, now: () => Promise<number>, work: () => Promise<T>): Promise<Done<T>> {
    let known: Known = { learned: new Map(), behind: new Set() }
    for (let attempt = 1; attempt <= mostAttempts; attempt++) {
      const transaction = new OneTransaction({ ...this.#parts, ...known })
      if (turn !== undefined) transaction.turns.add(turn)
      const afterwards: (() => void)[] = []
      const parts: Parts = {
        ...this.#parts,
        requests: transaction,
        indexes: transaction.copies,
        whenDone: (later) => afterwards.push(later),
      }
      const ended = await this.#work({ transaction, parts, afterwards }, work)
      // Work that failed writes nothing. But it may have failed because a read was out of date, so the commit compares its reads.
      if ('error' in ended && !mayBeOutdated(ended.error)) throw ended.error
      const outcome = await this.#commit(transaction, await now(), 'error' in ended)
      if (outcome.is === 'done') {
        if ('error' in ended) throw ended.error
        for (const later of afterwards) later()
        return ended
      }
      if (outcome.is !== 'conflict') return outcome.is
      known = outcome
      // A random pause, so that processes that collided do not collide again.
      await pause(Math.random() * Math.min(attempt * 2, longestPauseMs))
    }
    return 'too many conflicts'
  }

  async #work<T>(running: Running, work: () => Promise<T>): Promise<Ended<T>> {
    const held: { running: Running | undefined } = { running }
    try {
      return { value: await this.#storage.run(held, work) }
    } catch (error) {
      return { error }
    } finally {
      // Timers and watches that the work has started go on, but are in no transaction any more.
      held.running = undefined
    }
  }

  async #commit(transaction: OneTransaction, now: number, hasFailed: boolean): Promise<Outcome> {
    const changes = hasFailed ? { writes: [], dropped: [], stamped: [] } : transaction.changes()
    if (!changes) return { is: 'too large' }
    const conditions = transaction.conditions()
    if (changes.writes.length + conditions.length === 0) return { is: 'done' }
    const free = [...transaction.turns].map((name) => this.#keys.turns(name))
    for (;;) {
      const operation = crypto.randomUUID()
      const writes = this.#stamped(changes, operation, now)
      const body = this.#bodyOf(operation, writes, changes.dropped, conditions, free)
      if (!body) return { is: 'too large' }
      const since = this.#gateway.revision
      const answer =
        writes.length === 0
          ? await this.#gateway.read<TransactionAnswer>('/v3/kv/txn', body)
          : await this.#gateway.write<TransactionAnswer>('/v3/kv/txn', body)
      if (answer && !answer.succeeded) {
        const missing = this.#missingFolders(answer, conditions, free.length)
        if (missing.length === 0) return this.#conflict(transaction, answer, conditions, free)
        for (const folder of missing) await makeFolder(this.#parts, folder, now)
        continue
      }
      const revision = answer
        ? revisionOf(answer.header)
        : await this.#parts.unanswered.find({ operation, folder: stampedIn(changes), since, now })
      if (revision === undefined) continue
      for (const write of writes) this.#parts.indexes.take(write, revision, transaction.listed)
      transaction.keepLogs(revision)
      return { is: 'done' }
    }
  }

  /** The writes and the stamps of their folders. Where no folder changes, the stamp of the root shows that it was done. */
  #stamped(changes: Changes, operation: string, now: number): Write[] {
    if (changes.writes.length === 0) return []
    const value = printValue({ modifiedAt: now, changedAt: now, by: operation })
    const stamped = changes.stamped.length > 0 ? changes.stamped : [stampedIn(changes)]
    return [...changes.writes, ...stamped.map((folder) => ({ key: this.#keys.stamp(folder), value, folder }))]
  }

  #bodyOf(
    operation: string,
    writes: readonly Write[],
    dropped: readonly KeyRange[],
    conditions: readonly Compare[],
    free: readonly KeyRange[],
  ) {
    const compare = [isAbsent(this.#keys.revoked(operation)), ...free.map(isFree), ...conditions]
    const success = [
      ...writes.map(({ key, value }) => (value === undefined ? drop(key) : put(key, value))),
      ...dropped.map(dropAll),
    ]
    if (Math.max(compare.length, success.length) > mostOperations) return undefined
    if (writes.reduce((sum, { key, value = '' }) => sum + key.length + value.length * (3 / 4), 0) > mostBytes) {
      return undefined
    }
    return { compare, success, failure: [...free.map(getAll), ...conditions.map(({ key }) => get(fromWire(key)))] }
  }

  /** The folders that were taken for granted and are not there, if there is nothing else in the way. */
  #missingFolders(answer: TransactionAnswer, conditions: readonly Compare[], skipped: number): TreePath[] {
    const found = foundBy(answer)
    if (found.slice(0, skipped).some(({ length }) => length > 0)) return []
    const failed = conditions.filter((one, i) => !one.range_end && !holdsFor(one, found[skipped + i]?.[0]))
    const missing = failed.flatMap(({ key, result }) => {
      const at = fromWire(key)
      return result === 'GREATER' && this.#keys.isStamp(at) ? [this.#keys.folderOf(at)!] : []
    })
    return missing.length === failed.length ? missing : []
  }

  async #conflict(
    { listed }: OneTransaction,
    answer: TransactionAnswer,
    conditions: readonly Compare[],
    free: readonly KeyRange[],
  ): Promise<Outcome> {
    const found = foundBy(answer)
    if (found.slice(0, free.length).some(({ length }) => length > 0)) return { is: 'turn taken' }
    const learned = new Map<Key, KeyValue | undefined>()
    for (const [i, { key, range_end }] of conditions.entries()) {
      if (range_end === undefined) learned.set(fromWire(key), found[free.length + i]?.[0])
    }
    const behind = new Set<TreePath>()
    for (const folder of listed.keys()) {
      const stamped = Number(learned.get(this.#keys.stamp(folder))?.mod_revision ?? 0)
      if (!(await this.#parts.indexes.reaches(folder, stamped))) behind.add(folder)
    }
    return { is: 'conflict', learned, behind }
  }
}

export type Done<T> = { readonly value: T } | 'too large' | 'turn taken' | 'too many conflicts'
type Changes = NonNullable<ReturnType<OneTransaction['changes']>>

const stampedIn = ({ stamped }: Changes): TreePath => stamped[0] ?? ('' as TreePath)

/** Errors of the cluster itself, of strangers' code and of killed tests are not about what was read. */
const mayBeOutdated = (error: unknown): boolean => error instanceof SignalboxError && error.kind !== 'Unavailable'
