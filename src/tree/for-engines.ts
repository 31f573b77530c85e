/** What every engine does and says alike. */
import { corrupt, invalidInput, unavailable } from '../kernel/errors.ts'
import type { TreePath } from '../kernel/tree-path.ts'
import type { Overwrite } from './tree.ts'

/** In milliseconds. An agent that needs something for longer renews the lease before it ends. */
export const longestLease = 24 * 60 * 60 * 1000

export function expectLease(resource: string, owner: string, ttl: number): void {
  if (resource !== '' && owner !== '' && ttl > 0 && ttl <= longestLease) return
  throw invalidInput('BAD_LEASE', 'A lease needs a resource, an owner and a time above 0 of at most a day.', {
    hint: 'Name them.',
  })
}

export function expectOneLine(line: string): void {
  if (!/[\n\r]/.test(line)) return
  throw invalidInput('NOT_ONE_LINE', 'What is appended must be one line.', { hint: 'Append each line by itself.' })
}

/** The bytes after a change, for engines that always write all of them. */
export function bytesAfter(before: Uint8Array, change: Uint8Array | Overwrite | undefined): Uint8Array | undefined {
  if (change === undefined || change instanceof Uint8Array) return change
  const after = before.slice()
  after.set(change.bytes, change.at)
  return after
}

/** Callers in this process queue here by name, so that only one of them at a time goes on. */
export class Queues {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Throws LOCK_BUSY when the callers before take longer than `waitMs`; without it, waits for as long as it takes. */
  run<T>(name: string, work: () => Promise<T>, waitMs?: number): Promise<T> {
    const before = this.#last.get(name)
    const mine = before ? waitUpTo(waitMs, before).then(work) : work()
    const over = Promise.allSettled([before, mine])
    this.#last.set(name, over)
    // Not when `mine` has ended: it may have given up while the callers before it are still at work.
    void over.then(() => {
      if (this.#last.get(name) === over) this.#last.delete(name)
    })
    return mine
  }
}

async function waitUpTo(waitMs: number | undefined, before: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const tooLong = new Promise<'late'>((resolve) => {
    if (waitMs !== undefined) timer = setTimeout(resolve, waitMs, 'late')
  })
  const first = await Promise.race([before, tooLong])
  clearTimeout(timer)
  if (first !== 'late') return
  throw unavailable('LOCK_BUSY', `Waited ${waitMs! / 1000} s for another call in this process.`, {
    hint: 'Let that finish, then try again.',
  })
}

export const readInPart = () =>
  invalidInput('PARTIAL_READ', 'A leaf that was read in part has no revision.', { hint: 'Read it whole.' })

export const reservedPath = (shown: string) =>
  invalidInput('RESERVED_PATH', `This path is the engine's own: ${shown}.`, { hint: 'Choose another name.' })

export const notALeaf = (path: TreePath) =>
  corrupt('NOT_A_LEAF', `Not a leaf: ${path}.`, { hint: 'Name a leaf inside that folder.' })
