/**
 * How processes that claim from one queue get out of each other's way. A process that finds a message taken leaps over a few
 * others of the same priority, by chance how many, and over more if that one is taken too. What was leapt over is tried before
 * anything less urgent, in any order; after a second everything is in order again. A single process keeps strict order.
 */
import type { Candidate } from './candidate.ts'

const shortest = 16
const longest = 1024
/** Where fewer are ready, leaping would only mean trying them in another order. */
const worthLeaping = 32
/** Milliseconds for which messages may stay leapt over. */
const leftFor = 1000

export class Leaps {
  #over: Candidate[] = []
  #mostUrgent = Number.POSITIVE_INFINITY
  #since = 0
  #unseen = 0
  #left = 0
  #priority = 0
  #length = shortest
  #offered = 0

  get size(): number {
    return this.#over.length
  }

  /** How many were leapt over since the last look at the folder. */
  get unseen(): number {
    return this.#unseen
  }

  /** Another process took this one first. `ready`: how many there are besides. */
  lost({ priority }: Candidate, ready: number): void {
    // As long as the way that was gone undisturbed, so that losses become rare however many others there are.
    this.#length =
      this.#offered < this.#length ? Math.min(longest, this.#length * 2) : Math.max(shortest, this.#length / 2)
    this.#offered = 0
    this.#priority = priority
    this.#left = ready < worthLeaping ? 0 : Math.floor(Math.random() * Math.min(this.#length, ready / 2))
  }

  skips(candidate: Candidate): boolean {
    if (this.#left === 0 || candidate.priority !== this.#priority) {
      this.#offered++
      return false
    }
    this.#left--
    if (this.#over.length === 0) this.#since = performance.now()
    this.#over.push(candidate)
    this.#unseen++
    this.#mostUrgent = Math.min(this.#mostUrgent, candidate.priority)
    return true
  }

  isBefore(priority: number): boolean {
    return this.#mostUrgent < priority
  }

  keep(isThere: (candidate: Candidate) => boolean): void {
    this.#over = this.#over.filter(isThere)
    this.#unseen = 0
    if (this.#over.length === 0) this.takeBack()
  }

  /** Any of those that were leapt over. */
  take(): Candidate | undefined {
    const [at, last] = [Math.floor(Math.random() * this.#over.length), this.#over.pop()]
    const taken = this.#over[at] ?? last
    if (taken !== last) this.#over[at] = last!
    if (this.#over.length === 0) this.takeBack()
    this.#offered++
    return taken
  }

  get isOver(): boolean {
    return this.#over.length > 0 && performance.now() - this.#since > leftFor
  }

  /** All that was leapt over; from now on everything is in order again. */
  takeBack(): readonly Candidate[] {
    const over = this.#over
    this.#over = []
    this.#unseen = 0
    this.#mostUrgent = Number.POSITIVE_INFINITY
    this.#left = 0
    return over
  }
}
