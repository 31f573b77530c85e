/** Which folders this process keeps a copy of: those it has asked for more than once or twice, for as long as it does. */
import type { TreePath } from '../../kernel/tree-path.ts'
import type { CurrentTurn } from './current-turn.ts'
import { FolderIndex, type Room } from './folder-index.ts'
import type { Gateway } from './gateway.ts'
import type { Key, Keys } from './keys.ts'

/** A single command asks a folder once or twice, and must not pay for a copy of it. */
const asksBefore = 2
/** Who looks at so many leaves of a folder, one by one, will look at all of them. */
const looksBefore = 8
const forgetAfterMs = 30_000
/** Each copy is a connection. */
const mostFolders = 64
const roomForBodies = 256 * 1024 * 1024

export class FolderIndexes {
  readonly #gateway: Gateway
  readonly #keys: Keys
  readonly #turn: CurrentTurn
  readonly #open = new Map<TreePath, FolderIndex>()
  readonly #asks = new Map<TreePath, number>()
  readonly #looks = new Map<TreePath, number>()
  readonly #room: Room = { left: roomForBodies }

  constructor(gateway: Gateway, keys: Keys, turn: CurrentTurn) {
    this.#gateway = gateway
    this.#keys = keys
    this.#turn = turn
  }

  /** The copy of a folder, if it has proven worth having and can be trusted now. */
  current(folder: TreePath): Promise<FolderIndex | undefined> {
    return this.#counted(this.#asks, folder, asksBefore)
  }

  /** The same for those who only look at one leaf in it: that is worth less. */
  currentForLook(folder: TreePath): Promise<FolderIndex | undefined> {
    return this.#counted(this.#looks, folder, looksBefore)
  }

  /** The copy of a folder, if there is one already and it can be trusted now. */
  async ifOpen(folder: TreePath): Promise<FolderIndex | undefined> {
    const index = this.#open.get(folder)
    return index && (await index.isCurrent(this.#turn.since)) ? index : undefined
  }

  open(folder: TreePath): FolderIndex {
    const known = this.#open.get(folder)
    if (known) return known
    this.#closeIdle()
    const index = new FolderIndex(this.#gateway, this.#keys, folder, this.#room)
    this.#open.set(folder, index)
    return index
  }

  /** An own write, known to be done. */
  take({ key, value, folder }: { key: Key; value: string | undefined; folder?: TreePath }, revision: number): void {
    if (folder !== undefined) this.#open.get(folder)?.take(key, value, revision)
  }

  close(): void {
    for (const index of this.#open.values()) index.close()
    this.#open.clear()
  }

  async #counted(counts: Map<TreePath, number>, folder: TreePath, before: number): Promise<FolderIndex | undefined> {
    const count = (counts.get(folder) ?? 0) + 1
    counts.set(folder, count)
    if (counts.size > 10_000) counts.clear()
    const index = this.#open.get(folder) ?? (count > before ? this.open(folder) : undefined)
    return index && (await index.isCurrent(this.#turn.since)) ? index : undefined
  }

  #closeIdle(): void {
    const now = performance.now()
    const idle = [...this.#open].filter(([, index]) => !index.isWatched).sort(([, a], [, b]) => a.askedAt - b.askedAt)
    for (const [folder, index] of idle) {
      if (now - index.askedAt < forgetAfterMs && this.#open.size < mostFolders) break
      index.close()
      this.#open.delete(folder)
      this.#asks.delete(folder)
      this.#looks.delete(folder)
    }
  }
}
