/**
 * How processes that claim from one queue avoid each other. A process that finds a message taken leaps over a random number of
 * messages of the same priority, and over more if the next is taken too. Messages that were leapt over are tried, in random
 * order, before less urgent ones. After a second the process returns to strict order. A process that meets no other keeps it.
 */
import type { Candidate } from './candidate.ts'

const shortest = 16
const longest = 1024
/** With fewer ready messages leaping does not help. */
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

  /** How many messages were leapt over since the folder was last listed. */
  get unseen(): number {
    return this.#unseen
  }

  /** Another process claimed this message first. `ready`: how many other messages are ready. */
  lost({ priority }: Candidate, ready: number): void {
    // Leaps grow when losses come quickly and shrink when they are rare, whatever the number of processes.
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

  /** A random one of the messages that were leapt over. */
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

  /** Returns all messages that were leapt over, and to strict order. */
  takeBack(): readonly Candidate[] {
    const over = this.#over
    this.#over = []
    this.#unseen = 0
    this.#mostUrgent = Number.POSITIVE_INFINITY
    this.#left = 0
    return over
  }
}
