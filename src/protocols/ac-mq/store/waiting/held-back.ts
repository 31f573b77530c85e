/** The messages that are held back, and which of them depend on which message. */
import { shortOf } from '../../../../kernel/short-id.ts'
import type { DependencyState } from '../../dependencies.ts'
import type { Candidate } from './candidate.ts'

export interface Parked {
  readonly candidate: Candidate
  readonly states: readonly DependencyState[]
}

export class HeldBack {
  readonly #parked = new Map<string, Parked>()
  /** The messages that depend on a message, by its short id, or by its way if it is in another mission. */
  readonly #waiting = new Map<string, Set<Candidate>>()
  /** Dependencies that other processes have claimed: only the folders show when they are done. Ids by short id. */
  readonly #away = new Map<string, string>()
  /** The keys of `#waiting` that name messages of other missions. */
  readonly #elsewhere = new Set<string>()

  get size(): number {
    return this.#parked.size
  }

  get awaySize(): number {
    return this.#away.size
  }

  has(name: string): boolean {
    return this.#parked.has(name)
  }

  all(): Parked[] {
    return [...this.#parked.values()]
  }

  /** `isHere`: true for a dependency that waits in this queue. */
  park(candidate: Candidate, states: readonly DependencyState[], isHere: (id: string) => boolean): void {
    this.#parked.set(candidate.name, { candidate, states })
    for (const state of states) {
      if (!('on' in state)) continue
      const short = keyOf(state.on)
      const waiting = this.#waiting.get(short) ?? new Set()
      this.#waiting.set(short, waiting.add(candidate))
      if (isElsewhere(short)) this.#elsewhere.add(short)
      if (state.is === 'waiting' && !isHere(state.on)) this.#away.set(short, state.on)
    }
  }

  release(name: string): Candidate | undefined {
    const parked = this.#parked.get(name)
    if (!parked) return undefined
    this.#parked.delete(name)
    for (const state of parked.states) {
      if (!('on' in state)) continue
      const short = keyOf(state.on)
      const waiting = this.#waiting.get(short)
      waiting?.delete(parked.candidate)
      if (waiting?.size === 0) {
        this.#waiting.delete(short)
        this.#elsewhere.delete(short)
      }
    }
    return parked.candidate
  }

  /** The messages that depend on one that is settled now. */
  waitingFor(id: string): Candidate[] {
    if (this.#waiting.size === 0) return []
    const short = keyOf(id)
    this.#away.delete(short)
    return [...(this.#waiting.get(short) ?? [])]
  }

  wentAway({ id }: Candidate): void {
    if (this.#waiting.size === 0) return
    const short = shortOf(id)
    if (this.#waiting.has(short)) this.#away.set(short, id)
  }

  /** The dependencies in other missions, with the way there. */
  get elsewhere(): ReadonlySet<string> {
    return this.#elsewhere
  }

  /** The ids of dependencies that other processes have claimed. */
  away(): string[] {
    for (const short of this.#away.keys()) if (!this.#waiting.has(short)) this.#away.delete(short)
    return [...this.#away.values()]
  }
}

/** True for a message of another mission: its id comes after the way there. */
export const isElsewhere = (id: string): boolean => id.includes('/')

const keyOf = (id: string): string => (isElsewhere(id) ? id : shortOf(id))
