/**
 * The names in a folder, remembered between looks. A large folder is listed only when its time says that names came or went, and
 * never so often that listing would take more than a fraction of the time.
 */
import type { TreePath } from '../../../kernel/tree-path.ts'
import type { Entry, Tree } from '../../../tree/tree.ts'

export interface FolderChange {
  readonly came: readonly Entry[]
  readonly went: readonly string[]
}

/** Folder times tick every few milliseconds: a younger one may hide a second change. */
const tooYoung = 20
/** A listing may be repeated after this many times what it took. */
const restFactor = 20
/** Milliseconds after which even a small folder's time is asked for again at the earliest. */
const shortestRest = 2
/** Whatever the folder's time says, look for real this often: edits by strangers can leave it as it was. */
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

  /** Names that another process wrote into the cache. The next update corrects them. */
  seed(names: Iterable<string>): void {
    for (const name of names) this.#names.set(name, 'leaf')
  }

  isDue(now: number): boolean {
    return now >= this.#restsUntil
  }

  /**
   * Hands what came and went since the last call to `take`. `must`: look even if it is too early, because the caller found
   * nothing. Calls run one after the other: a second search in this process must not look into what the first one has listed
   * and not taken in yet. If `take` fails, the next call is told everything again.
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
    // `changedAt`, because nobody can set it back.
    const stamp = (await this.#tree.look(this.#folder))?.changedAt
    const isSame = this.#isTrusted && stamp === this.#stamp && now - this.#listedAt < longestTrust
    if (isSame) {
      this.#restsUntil = now + shortestRest
      return nothingNew
    }
    this.#stamp = stamp
    // By the earlier of two clocks: to one that is ahead every folder time would seem old enough.
    this.#isTrusted = stamp === undefined || Math.min(await this.#tree.now(), Date.now()) - stamp > tooYoung
    return this.#list()
  }

  /** Remembers nothing any more; the next update tells all that is there. */
  clear(): void {
    this.#names.clear()
    this.#stamp = undefined
    this.#isTrusted = false
    this.#restsUntil = Number.NEGATIVE_INFINITY
  }

  /** Keeps the memory in step with what this process itself did, without looking. */
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
