/**
 * The names in a folder, remembered between looks. A folder is listed only when its time shows that names came or went, and only
 * so often that listing takes a small part of the time.
 */
import type { TreePath } from '../../../kernel/tree-path.ts'
import type { Entry, Tree } from '../../../tree/tree.ts'

interface FolderChange {
  readonly came: readonly Entry[]
  readonly went: readonly string[]
}

/** Milliseconds. The time of a folder ticks every few milliseconds, so a second change may not show in a younger time. */
const tooYoung = 20
/** After a listing, the next one waits this many times as long as it took. */
const restFactor = 20
/** Milliseconds between two looks at the time of a folder, at least. */
const shortestRest = 2
/** Milliseconds after which a folder is listed whatever its time says: other programs can set it back. */
const longestTrust = 3000

export class FolderView {
  readonly #tree: Tree
  readonly #folder: TreePath
  readonly #names = new Map<string, Entry['kind']>()
  #stamp: number | undefined
  #isTrusted = false
  #listedAt = Number.NEGATIVE_INFINITY
  #restsUntil = Number.NEGATIVE_INFINITY
  #cost = 0
  #updated: Promise<void> = Promise.resolve()

  constructor(tree: Tree, folder: TreePath) {
    this.#tree = tree
    this.#folder = folder
  }

  get names(): ReadonlyMap<string, Entry['kind']> {
    return this.#names
  }

  get cost(): number {
    return this.#cost
  }

  /** Begins with names from the cache. The next update corrects them. */
  seed(names: Iterable<string>): void {
    for (const name of names) this.#names.set(name, 'leaf')
  }

  isDue(now: number): boolean {
    return now >= this.#restsUntil
  }

  /**
   * Calls `take` with what came and went since the last call. `must`: looks even if it is too early, because the caller found
   * nothing. Calls run one after the other, so that a second search in this process waits until the first has taken in what it
   * listed. If `take` fails, the next call gets all names again.
   */
  update(must: boolean, take: (change: FolderChange) => void | Promise<void>): Promise<void> {
    const updating = this.#updated.then(async () => {
      try {
        await take(await this.#changes(must))
      } catch (error) {
        this.clear()
        throw error
      }
    })
    this.#updated = updating.catch(() => {})
    return updating
  }

  async #changes(must: boolean): Promise<FolderChange> {
    const now = performance.now()
    if (!must && !this.isDue(now)) return nothingNew
    // `changedAt`, which programs cannot set back as they can `modifiedAt`.
    const stamp = (await this.#tree.look(this.#folder))?.changedAt
    const isSame = this.#isTrusted && stamp === this.#stamp && now - this.#listedAt < longestTrust
    if (isSame) {
      this.#restsUntil = now + shortestRest
      return nothingNew
    }
    this.#stamp = stamp
    // By the earlier of two clocks: to a clock that is ahead, every time would seem old enough.
    this.#isTrusted = stamp === undefined || Math.min(await this.#tree.now(), Date.now()) - stamp > tooYoung
    return this.#list()
  }

  /** Forgets all names: to the next update every name is new. */
  clear(): void {
    this.#names.clear()
    this.#stamp = undefined
    this.#isTrusted = false
    this.#restsUntil = Number.NEGATIVE_INFINITY
  }

  /** `drop` and `add`: what this process itself has changed. */
  drop(name: string): void {
    this.#names.delete(name)
  }

  add(name: string): void {
    this.#names.set(name, 'leaf')
  }

  async #list(): Promise<FolderChange> {
    const startedAt = performance.now()
    const entries = await this.#tree.list(this.#folder)
    const came = entries.filter(({ name, kind }) => this.#names.get(name) !== kind)
    const isAllThere = entries.length - came.length === this.#names.size
    const went = isAllThere ? [] : this.#goneFrom(entries)
    for (const name of went) this.#names.delete(name)
    for (const { name, kind } of came) this.#names.set(name, kind)
    this.#listedAt = performance.now()
    this.#cost = this.#listedAt - startedAt
    this.#restsUntil = this.#listedAt + Math.max(this.#cost * restFactor, shortestRest)
    return { came, went }
  }

  #goneFrom(entries: readonly Entry[]): string[] {
    const there = new Set(entries.map(({ name }) => name))
    return [...this.#names.keys()].filter((name) => !there.has(name))
  }
}

const nothingNew: FolderChange = { came: [], went: [] }
