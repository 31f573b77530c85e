/**
 * Locks by name: a lease that an owner holds until a moment, and a line of waiters. A lock that is held is never taken away;
 * when it is free, the first in the line takes it, by priority and then by time. No process hands a lock to a waiter, since that
 * may be dead.
 *
 *   .signalbox/state/locks/{space}/
 *     line/{resource}/{priority}-{time}-{…}   one leaf for each waiter; `waiters.ts`
 *     bells/{resource}/bell                   touched when the lock may be free
 *
 * The lease itself is the tree's, named `lock {space} {resource}`. A space keeps the locks of one session apart from others.
 *
 * Taking a lock is up to the caller: in one turn it judges its request, writes down what must be known before the lock counts, and
 * takes it (`lock-request.ts`).
 */
import { sha256 } from '../../formats/digest.ts'
import { childOf, isSegment, type TreePath } from '../../kernel/tree-path.ts'
import { stateOf } from '../../tree/home.ts'
import type { Lease, Tree } from '../../tree/tree.ts'
import { listen, ring, Waiters } from '../waiting/waiting.ts'
import { type InLine, inLine, type LockPriority, type LockWish } from './line.ts'
import { LockRequest, type LockWaitOptions } from './lock-request.ts'

/** The space of locks by pattern, which are for every agent (`glob-locks.ts`). No session has this name. */
export const globSpace = '*'
/** One for all spaces: a lock by pattern excludes those of sessions. */
export const lockTurn = 'locks'

export interface NamedLock {
  readonly resource: string
  readonly owner: string
  readonly until: number
  readonly fence: number
  /** The waiters, the next one first. */
  readonly waiting: readonly { readonly owner: string; readonly priority: LockPriority }[]
}

export class NamedLocks {
  readonly tree: Tree
  readonly #space: string
  readonly #folder: TreePath

  constructor(tree: Tree, space: string) {
    this.tree = tree
    this.#space = space
    this.#folder = childOf(stateOf('locks'), nameFor(space))
  }

  /**
   * Runs `work` while no other process takes a lock. Turns do not nest. `work` acts on the tree alone, and may be
   * run again (`TurnOptions.mayRepeat`).
   */
  turn<T>(work: () => Promise<T>): Promise<T> {
    return this.tree.exclusively(lockTurn, work, { mayRepeat: true })
  }

  /** For an owner that takes a free lock or renews its own, and does not wait. */
  request(wish: LockWish): LockRequest {
    return new LockRequest(this, wish)
  }

  /** For an owner that waits in the line. */
  async waitingRequest(wish: LockWish, { waitMs, signal }: LockWaitOptions): Promise<LockRequest> {
    if (waitMs <= 0) return this.request(wish)
    const deadline = performance.now() + waitMs
    // Listens before the first look, so that no release is missed in between.
    const listening = await listen(this.tree, this.#bellOf(wish.resource), { signal })
    return new LockRequest(this, wish, { listening, deadline, signal })
  }

  async release(resource: string, owner: string): Promise<'released' | 'gone'> {
    // Wakes the waiters. They look again by themselves if this process dies before the second ring.
    await this.ring(resource)
    const { outcome } = await this.tree.release(this.leaseOf(resource), owner)
    if (outcome === 'released') await this.ring(resource)
    return outcome
  }

  async holding(resource: string): Promise<Lease | undefined> {
    return (await this.leases()).find((one) => one.resource === resource)
  }

  /** The owner of a lock by pattern that is in the way of this one. */
  async patternHolder(resource: string, owner: string): Promise<string | undefined> {
    const prefix = `lock ${globSpace} `
    const others = (await this.tree.leases()).filter(
      (lease) => lease.resource.startsWith(prefix) && lease.owner !== owner,
    )
    if (others.length === 0) return undefined
    const { globsOverlap } = await import('../../formats/glob-overlap.ts')
    return others.find((lease) => globsOverlap(lease.resource.slice(prefix.length), resource))?.owner
  }

  async list(): Promise<NamedLock[]> {
    const leases = await this.leases()
    const line = leases.length === 0 ? [] : await this.waiting()
    return leases.map(({ resource, ...lease }) => ({
      ...lease,
      resource,
      waiting: line.filter((one) => one.resource === resource).map(({ owner, priority }) => ({ owner, priority })),
    }))
  }

  /** Releases every lock of this space and removes all waiters from the line. Each is woken, and joins again or gives up. */
  async clear(): Promise<void> {
    for (const { resource, owner } of await this.leases()) await this.release(resource, owner)
    for (const { name, resource } of await this.waiting()) {
      if (await this.lineOf(resource).dismiss(name)) await this.ring(resource)
    }
  }

  async leases(): Promise<Lease[]> {
    const prefix = this.leaseOf('')
    const all = await this.tree.leases()
    return all.flatMap((lease) =>
      lease.resource.startsWith(prefix) ? [{ ...lease, resource: lease.resource.slice(prefix.length) }] : [],
    )
  }

  async waiting(): Promise<InLine[]> {
    const folder = childOf(this.#folder, 'line')
    const found: InLine[] = []
    for (const { name, kind } of await this.tree.list(folder, { fresh: true })) {
      if (kind !== 'folder' || !isSegment(name)) continue
      const living = await new Waiters(this.tree, childOf(folder, name)).living()
      found.push(...living.flatMap((waiter) => inLine(waiter) ?? []))
    }
    return found
  }

  lineOf = (resource: string): Waiters =>
    new Waiters(this.tree, childOf(childOf(this.#folder, 'line'), nameFor(resource)))
  leaseOf = (resource: string): string => `lock ${this.#space} ${resource}`
  ring = (resource: string): Promise<void> => ring(this.tree, this.#bellOf(resource))
  #bellOf = (resource: string): TreePath => childOf(childOf(this.#folder, 'bells'), nameFor(resource))
}

/** Any text as the name of a folder. */
const nameFor = (text: string): string => sha256(text).slice(0, 32)
