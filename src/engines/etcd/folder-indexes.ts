/** Decides which folders this process keeps a copy of: those it asks about often. */
import type { TreePath } from '../../kernel/tree-path.ts'
import type { Write } from './commit.ts'
import type { CurrentTurn } from './current-turn.ts'
import { FolderIndex, type Room } from './folder-index.ts'
import type { Gateway } from './gateway.ts'
import type { Key, Keys } from './keys.ts'
import { Recent } from './recent.ts'
import { foundBy, get, type KeyValue, mostOperations, revisionOf, type TransactionAnswer } from './transaction.ts'

/** A single command asks a folder once or twice, and must not pay for a copy of it. */
const asksBefore = 2
/** A question about one name counts as this part of a listing: a copy pays only if it saves many of them. */
export const weightOfALook = 1 / 8
/** The same for a question that a long-running process should answer from a copy. */
export const weightOfARead = 1 / 4
const forgetAfterMs = 30_000
/** Each copy needs a connection. */
const mostFolders = 64
const roomForBodies = 256 * 1024 * 1024
/** In characters of base64. */
const largestOwn = 64 * 1024

export class FolderIndexes {
  readonly #gateway: Gateway
  readonly #keys: Keys
  readonly #turn: CurrentTurn
  readonly #open = new Map<TreePath, FolderIndex>()
  readonly #asks = new Map<TreePath, number>()
  readonly #room: Room = { left: roomForBodies }
  /**
   * What this process wrote last to folders without a copy. An agent that claims a message soon completes it, and need not read
   * it again for that: if another process has changed it since, the transaction says so and reads it.
   */
  readonly #own = new Recent<Key, KeyValue>(256)

  constructor(gateway: Gateway, keys: Keys, turn: CurrentTurn) {
    this.#gateway = gateway
    this.#keys = keys
    this.#turn = turn
  }

  /** The copy of a folder, if it is asked about often enough and is up to date. */
  async current(folder: TreePath, weight = 1): Promise<FolderIndex | undefined> {
    const index = this.#askedFor(folder, weight)
    return index && (await index.isCurrent(this.#turn.since)) ? index : undefined
  }

  /** The same for a transaction, which compares what it read: the copy may lag behind. */
  async loaded(folder: TreePath, weight: number): Promise<FolderIndex | undefined> {
    const index = this.#askedFor(folder, weight)
    return index && (await index.isLoaded()) ? index : undefined
  }

  /** False if the copy of a folder does not get to this revision; true where there is none. */
  async reaches(folder: TreePath, revision: number): Promise<boolean> {
    return (await this.#open.get(folder)?.reaches(revision)) ?? true
  }

  /** What this process wrote there last, if there is no copy of the folder. */
  ownAt(key: Key): KeyValue | undefined {
    return this.#own.at(key)
  }

  isOpen(folder: TreePath): boolean {
    return this.#open.has(folder)
  }

  /** Counts a question about a folder that the cluster has answered. */
  count(folder: TreePath, weight: number): void {
    this.#askedFor(folder, weight)
  }

  /** The copy of a folder, if there is one already and it is up to date. */
  async ifOpen(folder: TreePath): Promise<FolderIndex | undefined> {
    const index = this.#open.get(folder)
    return index && (await index.isCurrent(this.#turn.since)) ? index : undefined
  }

  open(folder: TreePath): FolderIndex {
    const known = this.#open.get(folder)
    if (known) return known
    this.#closeIdle()
    const index = new FolderIndex(this.#gateway, this.#keys, folder, this.#room, (asking) => this.#compareAll(asking))
    this.#open.set(folder, index)
    return index
  }

  /** Enters one of our own writes, which was done. `listed`: the stamps that it compared. */
  take({ key, value, folder }: Write, revision: number, listed?: ReadonlyMap<TreePath, number>): void {
    if (folder === undefined) return
    const index = this.#open.get(folder)
    if (index) index.take(key, value, revision, listed?.get(folder))
    else if (value === undefined || value.length > largestOwn) this.#own.put(key, undefined)
    else this.#own.put(key, { key, value, mod_revision: `${revision}` })
  }

  /** A transaction found nothing at this key. */
  learnAbsence(folder: TreePath, key: Key, revision: number): void {
    this.#open.get(folder)?.learnAbsence(key, revision)
    this.#own.put(key, undefined)
  }

  /** Compares many copies in one request, because a process that reads one folder soon reads others. */
  async #compareAll(asking: FolderIndex): Promise<void> {
    const others = [...this.#open.values()].filter((index) => index !== asking)
    const all = [asking, ...others].slice(0, mostOperations)
    const body = { compare: [], success: all.map(({ stampKey }) => get(stampKey)), failure: [] }
    const answer = await this.#gateway.read<TransactionAnswer>('/v3/kv/txn', body)
    for (const [i, [stamp]] of foundBy(answer).entries())
      all[i]!.compare(Number(stamp?.mod_revision ?? 0), revisionOf(answer.header))
  }

  #askedFor(folder: TreePath, weight: number): FolderIndex | undefined {
    const asks = (this.#asks.get(folder) ?? 0) + weight
    this.#asks.set(folder, asks)
    if (this.#asks.size > 10_000) this.#asks.clear()
    return this.#open.get(folder) ?? (asks > asksBefore ? this.open(folder) : undefined)
  }

  close(): void {
    for (const index of this.#open.values()) index.close()
    this.#open.clear()
  }

  #closeIdle(): void {
    const now = performance.now()
    const idle = [...this.#open].filter(([, index]) => !index.isWatched).sort(([, a], [, b]) => a.askedAt - b.askedAt)
    for (const [folder, index] of idle) {
      if (now - index.askedAt < forgetAfterMs && this.#open.size < mostFolders) break
      index.close()
      this.#open.delete(folder)
      this.#asks.delete(folder)
    }
  }
}
