/**
 * How processes that work on one queue get out of each other's way without talking to each other. Whoever finds a message
 * taken leaps over a few others of the same priority, by chance how many, and over more if that was taken too: others are
 * at work there. What was leapt over is tried after all before anything less urgent, and after each look at the folder.
 *
 * So whoever meets nobody takes everything in strict order, and nobody takes anything less urgent first.
 */
import type { Candidate } from './candidate.ts'

const shortest = 64
const longest = 1024
/** Where fewer are ready, leaping would only mean trying them in another order. */
const worthLeaping = 32

export class Leaps {
  #over: Candidate[] = []
  #mostUrgent = Number.POSITIVE_INFINITY
  #left = 0
  #priority = 0
  #length = shortest
  /** How many were offered since the last one that was lost. */
  #offered = 0

  get size(): number {
    return this.#over.length
  }

  /** Somebody else took this one first. `ready`: how many there are besides. */
  lost({ priority }: Candidate, ready: number): void {
    this.#length = this.#offered > 1 ? shortest : Math.min(longest, this.#length * 2)
    this.#offered = 0
    this.#priority = priority
    this.#left = ready < worthLeaping ? 0 : Math.floor(Math.random() * Math.min(this.#length, ready / 2))
  }

  /** True when this one is leapt over. */
  skips(candidate: Candidate): boolean {
    if (this.#left === 0 || candidate.priority !== this.#priority) {
      this.#offered++
      return false
    }
    this.#left--
    this.#over.push(candidate)
    this.#mostUrgent = Math.min(this.#mostUrgent, candidate.priority)
    return true
  }

  /** True when what was leapt over comes before anything of this priority. */
  isBefore(priority: number): boolean {
    return this.#mostUrgent < priority
  }

  takeBack(): readonly Candidate[] {
    const over = this.#over
    this.#over = []
    this.#mostUrgent = Number.POSITIVE_INFINITY
    this.#left = 0
    return over
  }
}
