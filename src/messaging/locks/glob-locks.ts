/**
 * Locks for every agent, by pattern: `src/auth/**`. They are leases of the tree like the locks of sessions, in a space of their own.
 * Patterns of different owners that can mean the same path exclude each other; so do a pattern and a lock of any session.
 *
 *   .signalbox/state/locks/reasons/{…}.json   {"glob", "owner", "reason"}: what the owner holds the lock for
 */
import { sha256 } from '../../formats/digest.ts'
import { globsOverlap } from '../../formats/glob-overlap.ts'
import { childOf, type TreePath } from '../../kernel/tree-path.ts'
import { stateOf } from '../../tree/home.ts'
import type { Lease, Tree } from '../../tree/tree.ts'
import { changeLeaf } from '../leaves/change.ts'
import { readIfLeaf } from '../leaves/tolerant.ts'
import { globSpace, lockTurn } from './named-locks.ts'

export interface GlobLock {
  readonly glob: string
  readonly owner: string
  /** By the tree's time, in milliseconds. */
  readonly until: number
  readonly fence: number
  readonly reason?: string
  /** The session whose lock it is, for one that was taken in a session. */
  readonly session?: string
}

interface GlobLockWish {
  readonly glob: string
  readonly owner: string
  readonly ttlMs: number
  readonly reason?: string
}

type GlobLocked =
  | { readonly outcome: 'locked'; readonly lock: GlobLock }
  /** `lock`: the one that is in the way. */
  | { readonly outcome: 'busy'; readonly lock: GlobLock }

const reasonsFolder = childOf(stateOf('locks'), 'reasons')
/** In bytes. */
const longestReason = 8192
/** How soon a lock that is in the way is looked at again. */
const againMs = 500

export class GlobLocks {
  readonly #tree: Tree

  constructor(tree: Tree) {
    this.#tree = tree
  }

  /** Takes a lock that no other owner holds, or renews the owner's own. */
  async take(wish: GlobLockWish, { waitMs = 0, signal }: { waitMs?: number; signal?: AbortSignal } = {}) {
    const deadline = performance.now() + waitMs
    for (;;) {
      const taken = await this.#takeNow(wish)
      const left = deadline - performance.now()
      if (taken.outcome === 'locked' || left <= 0 || signal?.aborted) return taken
      await pause(Math.min(left, againMs), signal)
    }
  }

  #takeNow({ glob, owner, ttlMs, reason }: GlobLockWish): Promise<GlobLocked> {
    return this.#tree.exclusively(
      lockTurn,
      async (): Promise<GlobLocked> => {
        const [inTheWay] = await this.overlapping(glob, owner)
        if (inTheWay) return { outcome: 'busy', lock: inTheWay }
        const path = reasonPath(glob)
        // Written before the lease: otherwise another agent could see the lock without its reason.
        if (reason === undefined) await this.#tree.remove(path)
        else await changeLeaf(this.#tree, path, () => Buffer.from(`${JSON.stringify({ glob, owner, reason })}\n`))
        const { lease } = await this.#tree.lease(`lock ${globSpace} ${glob}`, owner, ttlMs)
        const { until, fence } = lease
        return { outcome: 'locked', lock: { glob, owner, until, fence, ...(reason === undefined ? {} : { reason }) } }
      },
      { mayRepeat: true },
    )
  }

  /** `not-owner`: another owner holds it. With `force` it is released even then. */
  async release(glob: string, owner: string, { force = false } = {}): Promise<'released' | 'gone' | 'not-owner'> {
    const held = (await this.list()).find((lock) => lock.glob === glob && lock.session === undefined)
    if (!held) return 'gone'
    if (held.owner !== owner && !force) return 'not-owner'
    const { outcome } = await this.#tree.release(`lock ${globSpace} ${glob}`, held.owner)
    await this.#tree.remove(reasonPath(glob))
    return outcome
  }

  /** Every lock of the workspace, those of sessions too. */
  async list(): Promise<GlobLock[]> {
    const locks = (await this.#tree.leases()).flatMap((lease) => lockOf(lease) ?? [])
    return Promise.all(
      locks.map(async (lock) => (lock.session === undefined ? { ...lock, ...(await this.#reasonOf(lock)) } : lock)),
    )
  }

  /** The locks of other owners that can mean a path of this pattern. */
  async overlapping(glob: string, owner: string): Promise<GlobLock[]> {
    return (await this.list()).filter((lock) => lock.owner !== owner && globsOverlap(lock.glob, glob))
  }

  async #reasonOf({ glob, owner }: GlobLock): Promise<{ readonly reason?: string }> {
    const leaf = await readIfLeaf(this.#tree, reasonPath(glob), { atMost: longestReason })
    try {
      const note = JSON.parse(Buffer.from(leaf?.bytes ?? []).toString('utf8')) as Record<string, unknown>
      const isOurs = note.glob === glob && note.owner === owner && typeof note.reason === 'string'
      return isOurs ? { reason: note.reason as string } : {}
    } catch {
      // No file, or a stranger's.
      return {}
    }
  }
}

/** `lock * src/**` and `lock session/NAME/3 src/a.ts`; `undefined` for a lease that is no lock. */
function lockOf({ resource, owner, until, fence }: Lease): GlobLock | undefined {
  const [, space, glob] = /^lock (\S+) (.+)$/s.exec(resource) ?? []
  if (space === undefined || glob === undefined) return undefined
  const session = /^session\/(.+)\/\d+$/.exec(space)?.[1]
  return { glob, owner, until, fence, ...(session === undefined ? {} : { session }) }
}

const reasonPath = (glob: string): TreePath => childOf(reasonsFolder, `${sha256(glob).slice(0, 32)}.json`)

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done, { once: true })
    function done() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
  })
