/** The messages that are held back, and for each message that is waited for, which ones wait for it. */
import { shortOf } from '../../../../kernel/short-id.ts'
import type { DependencyState } from '../../dependencies.ts'
import type { Candidate } from './candidate.ts'

export interface Parked {
  readonly candidate: Candidate
  readonly states: readonly DependencyState[]
}

export class HeldBack {
  readonly #parked = new Map<string, Parked>()
  /** Those that wait for a message, by its short id. */
  readonly #waiting = new Map<string, Set<Candidate>>()
  /** Messages that are waited for and that other processes have claimed: only the folders tell when they are done. By short id. */
  readonly #away = new Map<string, string>()

  /** Of the keys of `#waiting` those of messages in other missions. */
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

  /** `isHere`: whether the message waited for is itself still waiting. */
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

  /** Those that waited for what is settled now. */
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

  /** The messages of other missions that are waited for, with the way there. */
  get elsewhere(): ReadonlySet<string> {
    return this.#elsewhere
  }

  /** The ids of messages that other processes have claimed and that waiting messages depend on. */
  away(): string[] {
    for (const short of this.#away.keys()) if (!this.#waiting.has(short)) this.#away.delete(short)
    return [...this.#away.values()]
  }
}

/** True for a message of another mission, which is named with the way to it. */
export const isElsewhere = (id: string): boolean => id.includes('/')

const keyOf = (id: string): string => (isElsewhere(id) ? id : shortOf(id))
