/** The line of requests that wait for a lock: what a leaf in it says, and which owner waits for which. Pure. */
import type { Lease } from '../../tree/tree.ts'
import type { Waiter } from '../waiting/waiting.ts'

/** 0 goes first. */
export type LockPriority = 0 | 1 | 2 | 3

export interface LockWish {
  readonly resource: string
  readonly owner: string
  /** How long it is held, in milliseconds. */
  readonly ttl: number
  readonly priority: LockPriority
}

export interface InLine {
  readonly name: string
  readonly resource: string
  readonly owner: string
  readonly priority: LockPriority
}

/** What a leaf in the line says; `undefined` for what was not written by us. */
export function inLine({ name, text }: Waiter): InLine | undefined {
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

/** The beginning of a leaf's name, by which the line is sorted. */
export const placeAt = (priority: LockPriority, since: number): string =>
  `${priority}-${String(since).padStart(15, '0')}`

export const sinceOf = (name: string): number => Number(name.slice(2, 17))

/** The cycle of owners that wait for each other, from the one that wants a lock back to itself; `undefined` if none. */
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
