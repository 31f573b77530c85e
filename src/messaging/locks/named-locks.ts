/**
 * Locks by name: a lease that somebody holds until a moment, and a line of those who wait for it. A lock that is held is
 * never taken away; when it is free, the first in the line takes it, by priority and then by time. Nothing is given to
 * anybody, so that nothing is given to the dead.
 *
 *   .signalbox/state/locks/{space}/
 *     line/{resource}/{priority}-{time}-{…}   one leaf for each who waits; `waiters.ts`
 *     bells/{resource}/bell                   touched when the lock may be free
 *
 * The lease itself is the tree's, named `lock {space} {resource}`. A space keeps the locks of one session apart from others.
 */
import { childOf, isSegment, type TreePath } from '../../kernel/tree-path.ts'
import { stateOf } from '../../tree/home.ts'
import type { Lease, Tree } from '../../tree/tree.ts'
import { listen, ring } from '../waiting/bell.ts'
import { type Place, type Waiter, Waiters, waiterBeat, waiterLease } from '../waiting/waiters.ts'

/** 0 goes first. */
export type LockPriority = 0 | 1 | 2 | 3

export interface NamedLock {
  readonly resource: string
  readonly owner: string
  readonly until: number
  readonly fence: number
  /** Who waits for it, the next one first. */
  readonly waiting: readonly { readonly owner: string; readonly priority: LockPriority }[]
}

export type Acquired =
  | { readonly outcome: 'held'; readonly lease: Lease }
  /** `owner` holds it; or it is free, and `owner` is the next in the line. */
  | { readonly outcome: 'busy'; readonly owner: string }

export type Waited =
  | Acquired
  | { readonly outcome: 'timeout'; readonly owner: string }
  /** Waiting would never end: agents and resources in turn, beginning and ending with whoever asked. */
  | { readonly outcome: 'circle'; readonly owner: string; readonly circle: readonly string[] }

export interface LockWish {
  readonly resource: string
  readonly owner: string
  /** How long it is held, in milliseconds. */
  readonly ttl: number
  readonly priority: LockPriority
  /**
   * Done when the lock is about to be taken or renewed, before it is: for what must be written down before it counts. False
   * leaves the lock alone.
   */
  readonly beforeTaking?: () => Promise<boolean>
}

interface Busy {
  readonly outcome: 'busy'
  readonly owner: string
  /** The end of the lease, if somebody holds one. */
  readonly until: number | undefined
}

type Taken = Extract<Acquired, { outcome: 'held' }> | Busy

/** In the line, behind `owner`; to look again at `dueAt`. */
interface Joined {
  readonly place: Place
  readonly owner: string
  readonly dueAt: number
}

export interface LockWaitOptions {
  readonly waitMs: number
  readonly signal?: AbortSignal
  /** Asked when others have taken the place in the line away, and before the lock is told: false gives up. */
  readonly mayGoOn?: () => Promise<boolean>
}

/** How soon after its announcement a release is looked for, in milliseconds. */
const announced = 250

interface InLine {
  readonly name: string
  readonly resource: string
  readonly owner: string
  readonly priority: LockPriority
}

export class NamedLocks {
  readonly #tree: Tree
  readonly #space: string
  readonly #folder: TreePath

  constructor(tree: Tree, space: string) {
    this.#tree = tree
    this.#space = space
    this.#folder = childOf(stateOf('locks'), nameFor(space))
  }

  /** Takes a lock, or renews one's own. It is not taken from under those who have waited for it as urgently. */
  async acquire(wish: LockWish): Promise<Acquired> {
    const taken = await this.#inTurn(() => this.#take(wish, undefined))
    return 'until' in taken ? { outcome: 'busy', owner: taken.owner } : taken
  }

  /** Takes a lock as soon as it is this one's turn. */
  async wait(wish: LockWish, options: LockWaitOptions): Promise<Waited> {
    const { resource } = wish
    const deadline = performance.now() + options.waitMs
    // Listens before the first look, so that no release is missed in between.
    const listening = await listen(this.#tree, this.#bellOf(resource), { signal: options.signal })
    let place: Place | undefined
    try {
      const first = await this.#inTurn(() => this.#takeOrJoin(wish, options.waitMs > 0))
      if (!('place' in first)) return first
      place = first.place
      let { owner, dueAt } = first
      let beatAt = performance.now() + waiterBeat
      for (;;) {
        const now = performance.now()
        if (now >= deadline || options.signal?.aborted) return { outcome: 'timeout', owner }
        if (now >= beatAt) {
          if (!(await place.beat())) await this.#join(place, options)
          beatAt = now + waiterBeat
        }
        const why = await listening.next(Math.min(deadline, beatAt, dueAt) - performance.now())
        if (why === 'due' && performance.now() < dueAt) continue
        // Nobody rang, and somebody still has it. A look at that is much cheaper than an attempt.
        if (why === 'look' && ((await this.holding(resource))?.owner ?? wish.owner) !== wish.owner) continue
        // Whoever is behind another need not look further until the bell rings again, or that one may have died.
        if (why !== 'due' && !(await this.#isFirst(resource, place))) {
          dueAt = performance.now() + waiterLease
          continue
        }
        const own = place
        const taken = await this.#inTurn(async () => {
          if (!(await own.isThere())) await own.hold()
          return this.#take(wish, own)
        })
        if (options.mayGoOn && !(await options.mayGoOn())) {
          if (taken.outcome === 'held') await this.release(resource, wish.owner)
          return { outcome: 'timeout', owner }
        }
        if (taken.outcome === 'held') return taken
        owner = taken.owner
        dueAt = await this.#nextLook(taken)
        // A bell while it is still held announces its release. Should that process be killed before it rings again, nobody else will.
        if (why === 'rung') dueAt = Math.min(dueAt, performance.now() + announced)
      }
    } catch (error) {
      if (error instanceof GivenUp) return { outcome: 'timeout', owner: wish.owner }
      throw error
    } finally {
      listening.close()
      // The lock may be free, and the next in the line did not look because this one was before it.
      if (place && (await place.leave())) await this.#ring(resource)
    }
  }

  async release(resource: string, owner: string): Promise<'released' | 'gone'> {
    // Those who wait get ready, and look again by themselves should this process end before the second ring.
    await this.#ring(resource)
    const { outcome } = await this.#tree.release(this.#leaseOf(resource), owner)
    if (outcome === 'released') await this.#ring(resource)
    return outcome
  }

  /** The lease of whoever holds a lock, if anybody does. */
  async holding(resource: string): Promise<Lease | undefined> {
    return (await this.#leases()).find((one) => one.resource === resource)
  }

  /** Takes a lock away from whoever holds it; answers who that was. */
  async force(resource: string): Promise<string | undefined> {
    const lease = await this.holding(resource)
    if (!lease || (await this.release(resource, lease.owner)) === 'gone') return undefined
    return lease.owner
  }

  async list(): Promise<NamedLock[]> {
    const leases = await this.#leases()
    const line = leases.length === 0 ? [] : await this.#waiting()
    return leases.map(({ resource, ...lease }) => ({
      ...lease,
      resource,
      waiting: line.filter((one) => one.resource === resource).map(({ owner, priority }) => ({ owner, priority })),
    }))
  }

  /** Releases every lock of this space, or those of one owner. Answers how many. */
  async releaseAll(owner?: string): Promise<number> {
    let count = 0
    for (const lease of await this.#leases()) {
      if (owner !== undefined && lease.owner !== owner) continue
      if ((await this.release(lease.resource, lease.owner)) === 'released') count++
    }
    return count
  }

  /** Sends away everybody who waits: each finds that its place is gone, and joins again or gives up. */
  async dismissAll(): Promise<void> {
    for (const { name, resource } of await this.#waiting()) {
      if (await this.#lineOf(resource).dismiss(name)) await this.#ring(resource)
    }
  }

  async #takeOrJoin(wish: LockWish, mayJoin: boolean): Promise<Waited | Joined> {
    const taken = await this.#take(wish, undefined)
    if (taken.outcome === 'held') return taken
    const { owner } = taken
    if (!mayJoin) return { outcome: 'timeout', owner }
    const { resource, priority } = wish
    const circle = circleOf(wish, await this.#leases(), await this.#waiting())
    if (circle) return { outcome: 'circle', owner, circle }
    const line = this.#lineOf(resource)
    // Later than all who are there, also where two came in one millisecond.
    const since = Math.max(await this.#tree.now(), ...(await line.names()).map((name) => sinceOf(name) + 1))
    const place = await line.join(
      `${priority}-${String(since).padStart(15, '0')}`,
      JSON.stringify({ resource, owner: wish.owner }),
    )
    return { place, owner, dueAt: await this.#nextLook(taken) }
  }

  /** Others took this process for dead, or have sent it away. */
  async #join(place: Place, { mayGoOn }: LockWaitOptions): Promise<void> {
    if (mayGoOn && !(await mayGoOn())) throw new GivenUp()
    await place.hold()
  }

  async #isFirst(resource: string, place: Place): Promise<boolean> {
    const [first] = (await this.#lineOf(resource).names()).sort()
    return first === undefined || first >= place.name
  }

  /** `place`: one's own in the line. Without it everybody of the same priority goes first. */
  async #take(wish: LockWish, place: Place | undefined): Promise<Taken> {
    const { resource, owner, ttl, priority, beforeTaking } = wish
    const line = this.#lineOf(resource)
    for (const name of (await line.names()).sort()) {
      const isAhead = place ? name < place.name : Number(name[0]) <= priority
      const waiter = isAhead ? await line.alive(name) : undefined
      const ahead = waiter && inLine(waiter)
      if (!ahead || ahead.owner === owner) continue
      const lease = await this.holding(resource)
      // Renewing one's own takes nothing from anybody.
      if (lease?.owner === owner) break
      return { outcome: 'busy', owner: lease?.owner ?? ahead.owner, until: lease?.until }
    }
    if (beforeTaking) {
      const lease = await this.holding(resource)
      if (lease && lease.owner !== owner) return { outcome: 'busy', owner: lease.owner, until: lease.until }
      if (!(await beforeTaking())) return { outcome: 'busy', owner, until: undefined }
    }
    const { outcome, lease } = await this.#tree.lease(this.#leaseOf(resource), owner, ttl)
    return outcome === 'held'
      ? { outcome, lease: { ...lease, resource } }
      : { outcome, owner: lease.owner, until: lease.until }
  }

  /** When to look without being woken: at the end of the lease, or once whoever is ahead may have died. */
  async #nextLook({ until }: Busy): Promise<number> {
    const inMs = until === undefined ? waiterLease : until - (await this.#tree.now())
    return performance.now() + Math.max(1, inMs)
  }

  /** All who wait for anything in this space. */
  async #waiting(): Promise<InLine[]> {
    const folder = childOf(this.#folder, 'line')
    const found: InLine[] = []
    for (const { name, kind } of await this.#tree.list(folder, { fresh: true })) {
      if (kind !== 'folder' || !isSegment(name)) continue
      const living = await new Waiters(this.#tree, childOf(folder, name)).living()
      found.push(...living.flatMap((waiter) => inLine(waiter) ?? []))
    }
    return found
  }

  async #leases(): Promise<Lease[]> {
    const prefix = this.#leaseOf('')
    const all = await this.#tree.leases()
    return all.flatMap((lease) =>
      lease.resource.startsWith(prefix) ? [{ ...lease, resource: lease.resource.slice(prefix.length) }] : [],
    )
  }

  #lineOf = (resource: string): Waiters =>
    new Waiters(this.#tree, childOf(childOf(this.#folder, 'line'), nameFor(resource)))
  #leaseOf = (resource: string): string => `lock ${this.#space} ${resource}`
  #bellOf = (resource: string): TreePath => childOf(childOf(this.#folder, 'bells'), nameFor(resource))
  #ring = (resource: string): Promise<void> => ring(this.#tree, this.#bellOf(resource))
  #inTurn = <T>(work: () => Promise<T>): Promise<T> => this.#tree.exclusively(`locks ${this.#space}`, work)
}

/** The wait is over although the lock was not had: `mayGoOn` said so. */
class GivenUp extends Error {}

/** Any text as the name of a folder. */
const nameFor = (text: string): string =>
  process.getBuiltinModule('node:crypto').hash('sha256', text, 'hex').slice(0, 32)

const sinceOf = (name: string): number => Number(name.slice(2, 17))

/** What a leaf in the line says; `undefined` for what was not written by us. */
function inLine({ name, text }: Waiter): InLine | undefined {
  const priority = Number(/^([0-3])-\d{15}-/.exec(name)?.[1] ?? Number.NaN)
  if (Number.isNaN(priority)) return undefined
  try {
    const { resource, owner } = JSON.parse(text) as Record<string, unknown>
    if (typeof resource !== 'string' || typeof owner !== 'string') return undefined
    return { name, resource, owner, priority: priority as LockPriority }
  } catch {
    // A SyntaxError: a stranger's file.
    return undefined
  }
}

/** The way from whoever wants a lock over those who hold and wait back to itself, if there is one. */
export function circleOf(
  { resource, owner }: Pick<LockWish, 'resource' | 'owner'>,
  leases: readonly Pick<Lease, 'resource' | 'owner'>[],
  line: readonly Pick<InLine, 'resource' | 'owner'>[],
): string[] | undefined {
  const holderOf = new Map(leases.map((lease) => [lease.resource, lease.owner]))
  const seen = new Set<string>()
  const search = (wanted: string, way: readonly string[]): string[] | undefined => {
    const holder = holderOf.get(wanted)
    if (holder === undefined) return undefined
    const on = [...way, wanted, holder]
    if (holder === owner) return on
    if (seen.has(holder)) return undefined
    seen.add(holder)
    for (const one of line) {
      const found = one.owner === holder ? search(one.resource, on) : undefined
      if (found) return found
    }
    return undefined
  }
  return search(resource, [owner])
}
