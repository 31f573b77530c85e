/**
 * One request for a lock, from the first look until its owner has the lock or gives up. The caller runs the loop:
 *
 *   const request = await locks.waitingRequest(wish, { waitMs })
 *   do {
 *     const taken = await locks.turn(async () => (await request.busy()) ?? request.take())
 *     …
 *   } while (await request.next())
 *   await request.close()
 */
import type { Lease } from '../../tree/tree.ts'
import { type Listening, type WaiterPlace, waiterBeat, waiterLease } from '../waiting/waiting.ts'
import { circleOf, inLine, type LockWish, placeAt, sinceOf } from './line.ts'
import type { NamedLocks } from './named-locks.ts'

export interface Held {
  readonly outcome: 'held'
  readonly lease: Lease
}

export interface Busy {
  readonly outcome: 'busy'
  /** The holder, or, if the lock is free, the next in the line. */
  readonly owner: string
  /** A deadlock, so that waiting would never end: owners and resources in turn, from the owner that asked back to it. */
  readonly circle?: readonly string[]
}

export interface LockWaitOptions {
  readonly waitMs: number
  readonly signal?: AbortSignal | undefined
}

interface Waiting {
  readonly listening: Listening
  readonly deadline: number
  readonly signal: AbortSignal | undefined
}

/** How soon after its announcement a release is looked for, in milliseconds. */
const announced = 250

export class LockRequest {
  readonly #locks: NamedLocks
  readonly #wish: LockWish
  readonly #waiting: Waiting | undefined
  #place: WaiterPlace | undefined
  /** When to look without being woken, and when to say next that this process lives. */
  #dueAt = 0
  #beatAt = 0
  #wasRung = false

  constructor(locks: NamedLocks, wish: LockWish, waiting?: Waiting) {
    this.#locks = locks
    this.#wish = wish
    this.#waiting = waiting
  }

  /**
   * Only in a turn. `undefined`: the lock is free for this owner, or its own. Otherwise a request that waits is in the line from
   * now on, unless that would be a deadlock.
   */
  async busy(): Promise<Busy | undefined> {
    const { resource, owner } = this.#wish
    if (this.#place && !(await this.#place.isThere())) await this.#place.hold()
    const ahead = await this.#ahead()
    const lease = await this.#locks.holding(resource)
    // An owner that renews its own lock never waits.
    if (lease?.owner === owner) return undefined
    const holder = lease?.owner ?? (await this.#locks.patternHolder(resource, owner)) ?? ahead
    if (holder === undefined) return undefined
    const busy = { outcome: 'busy', owner: holder } as const
    const circle = await this.#standInLine(lease?.until)
    return circle ? { ...busy, circle } : busy
  }

  /** Only in the turn in which it was not busy. */
  async take(): Promise<Held | Busy> {
    const { resource, owner, ttl } = this.#wish
    const { outcome, lease } = await this.#locks.tree.lease(this.#locks.leaseOf(resource), owner, ttl)
    if (outcome === 'held') return { outcome, lease: { ...lease, resource } }
    await this.#standInLine(lease.until)
    return { outcome, owner: lease.owner }
  }

  /** Waits until it is worth another look. False when the time is up. Also wakes when another process removed its place in the line. */
  async next(): Promise<boolean> {
    const { resource, owner } = this.#wish
    if (!this.#waiting || !this.#place) return false
    const { listening, deadline, signal } = this.#waiting
    for (;;) {
      const now = performance.now()
      if (now >= deadline || signal?.aborted) return false
      if (now >= this.#beatAt) {
        this.#beatAt = now + waiterBeat
        if (!(await this.#place.beat())) return true
      }
      const why = await listening.next(Math.min(deadline, this.#beatAt, this.#dueAt) - performance.now())
      this.#wasRung = why === 'rung'
      if (why === 'due' && performance.now() < this.#dueAt) continue
      // The bell did not ring, and the lock is held. A look at that is much cheaper than an attempt.
      if (why === 'look' && ((await this.#locks.holding(resource))?.owner ?? owner) !== owner) continue
      if (why === 'due' || (await this.#isFirst())) return true
      // A waiter behind another one looks again when the bell rings, or when the other may have died.
      this.#dueAt = performance.now() + waiterLease
    }
  }

  async close(): Promise<void> {
    this.#waiting?.listening.close()
    // The lock may be free, and the next request did not look because this one was before it.
    if (this.#place && (await this.#place.leave())) await this.#locks.ring(this.#wish.resource)
  }

  /** The owner of the first request before this one. One without a place in the line is behind all of its priority. */
  async #ahead(): Promise<string | undefined> {
    const { resource, owner, priority } = this.#wish
    const line = this.#locks.lineOf(resource)
    for (const name of (await line.names()).sort()) {
      const isAhead = this.#place ? name < this.#place.name : Number(name[0]) <= priority
      const waiter = isAhead ? await line.alive(name) : undefined
      const ahead = waiter && inLine(waiter)
      if (ahead && ahead.owner !== owner) return ahead.owner
    }
    return undefined
  }

  async #isFirst(): Promise<boolean> {
    const [first] = (await this.#locks.lineOf(this.#wish.resource).names()).sort()
    return first === undefined || first >= this.#place!.name
  }

  /** `until`: the end of the holder's lease. Answers the deadlock that waiting would cause. */
  async #standInLine(until: number | undefined): Promise<readonly string[] | undefined> {
    if (!this.#waiting) return undefined
    const now = await this.#locks.tree.now()
    if (!this.#place) {
      const { resource, owner, priority } = this.#wish
      const circle = circleOf(this.#wish, await this.#locks.leases(), await this.#locks.waiting())
      if (circle) return circle
      const line = this.#locks.lineOf(resource)
      // Behind all that are there, also where two came in one millisecond.
      const since = Math.max(now, ...(await line.names()).map((name) => sinceOf(name) + 1))
      this.#place = await line.join(placeAt(priority, since), JSON.stringify({ resource, owner }))
      this.#beatAt = performance.now() + waiterBeat
    }
    // At the end of the lease, or once the one ahead may have died. A bell while the lock is still held announces its release: the
    // process that rang may be killed before it rings again.
    const inMs = Math.max(1, until === undefined ? waiterLease : until - now)
    this.#dueAt = performance.now() + (this.#wasRung ? Math.min(inMs, announced) : inMs)
    return undefined
  }
}
