/**
 * Processes that wait for something, one leaf each in a folder. A waiter touches its leaf again and again; a leaf that was not
 * touched for `waiterLease` is that of a dead process. Touching is cheaper than renewing a lease.
 */
import { childOf, isSegment, type TreePath } from '../../kernel/tree-path.ts'
import type { Tree } from '../../tree/tree.ts'

/** In milliseconds. */
export const waiterLease = 5000
/** How often a leaf is touched. */
export const waiterBeat = 4000

/** Larger leaves were not written by us. */
const largest = 64 * 1024

export interface Waiter {
  readonly name: string
  readonly text: string
}

export class Waiters {
  readonly #tree: Tree
  readonly #folder: TreePath

  constructor(tree: Tree, folder: TreePath) {
    this.#tree = tree
    this.#folder = folder
  }

  /** Puts this process in the line, which is sorted by `before`. */
  async join(before: string, text: string): Promise<WaiterPlace> {
    const name = `${before}-${process.getBuiltinModule('node:crypto').randomBytes(6).toString('hex')}`
    const place = new WaiterPlace(this.#tree, childOf(this.#folder, name), name, text)
    await place.hold()
    return place
  }

  /** The names of all waiters, without checking that their processes live. */
  async names(): Promise<string[]> {
    const entries = await this.#tree.list(this.#folder, { fresh: true })
    return entries.flatMap(({ name, kind }) => (kind === 'leaf' && isSegment(name) && isWaiter(name) ? [name] : []))
  }

  /** The waiters whose process lives, by name. Leaves of dead processes are removed. */
  async living(): Promise<Waiter[]> {
    const living: Waiter[] = []
    for (const name of await this.names()) {
      const waiter = await this.alive(name)
      if (waiter) living.push(waiter)
    }
    return living
  }

  /** One waiter, if its process lives; otherwise its leaf is removed. */
  async alive(name: string): Promise<Waiter | undefined> {
    const path = childOf(this.#folder, name)
    const leaf = await this.#tree.read(path, { atMost: largest, fresh: true })
    if (!leaf) return undefined
    const { bytes, modifiedAt } = leaf
    if (modifiedAt + waiterLease > (await this.#tree.now())) return { name, text: Buffer.from(bytes).toString('utf8') }
    await this.#tree.remove(path, { onlyIf: (_, times) => times.modifiedAt === modifiedAt })
    return undefined
  }

  /**
   * Calls a waiter: moves its leaf out of the line into the folder in which it listens, which wakes it. True for the one process
   * that did so. One step, and much quicker than a removal. The leaf is of no use there, and the caller removes it.
   */
  async call(name: string, bell: TreePath): Promise<boolean> {
    return (await this.#tree.move(childOf(this.#folder, name), childOf(bell, name))).outcome === 'moved'
  }

  /** Takes a waiter out of the line. True for the one process that did so. */
  async dismiss(name: string): Promise<boolean> {
    return (await this.#tree.remove(childOf(this.#folder, name))).outcome === 'removed'
  }
}

/** Other files are not ours. */
const isWaiter = (name: string): boolean => /-[0-9a-f]{12}$/.test(name)

/** The place of this process in the line of waiters. */
export class WaiterPlace {
  readonly #tree: Tree
  readonly #path: TreePath
  readonly #text: string
  readonly name: string

  constructor(tree: Tree, path: TreePath, name: string, text: string) {
    this.#tree = tree
    this.#path = path
    this.#text = text
    this.name = name
  }

  /** Makes the leaf. Also again, at the same place, when another process took this one for dead. */
  async hold(): Promise<void> {
    await this.#tree.create(this.#path, this.#text)
  }

  /** Says that this process lives. False when the leaf is gone. */
  async beat(): Promise<boolean> {
    return (await this.#tree.touch(this.#path)).outcome === 'touched'
  }

  async isThere(): Promise<boolean> {
    return (await this.#tree.read(this.#path, { atMost: 1, fresh: true })) !== undefined
  }

  /** False when another process has taken the leaf away. */
  async leave(): Promise<boolean> {
    return (await this.#tree.remove(this.#path)).outcome === 'removed'
  }
}
