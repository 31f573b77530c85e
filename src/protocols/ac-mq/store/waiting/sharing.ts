/**
 * How processes that work on one queue get out of each other's way without talking to each other. Whoever loses a race
 * keeps to a lane of the messages (`Lanes`) and leaves the others to those who are there too; they work through them from
 * the front. So, before anything less urgent is taken, those left are tried from the back, or from the front where
 * somebody else helps from the back: as long as some are there, the others are slower and are helped. Once a few have
 * gone most have, and a look at the folder tells which have not.
 *
 * After a second, or when there is nothing else to do, everything counts again. Whoever meets nobody leaves nothing, and
 * takes everything in strict order, and so does everybody where few are ready; nobody takes anything less urgent first.
 */
import type { Candidate } from './candidate.ts'
import { Lanes } from './lanes.ts'

/** Milliseconds. */
const leftFor = 1000
/** As many as may be gone one after the other before a look tells more than trying. */
const fewGone = 3
const longestRun = 8
/** Fewer are not divided into lanes: a lane of them would be empty. */
const worthLanes = 256
/** Fewer than these are taken in strict order whoever else is there: going around each other would win nothing. */
const worthDetour = 32
const firstDetour = 8
const longestDetour = 64

export class Sharing {
  readonly #lanes = new Lanes()
  /** By priority, each in its order. */
  readonly #left = new Map<number, Candidate[]>()
  #since = 0
  #tried: Candidate | undefined
  #gone = 0
  #isBackTaken = false
  /** How many were lost one after the other. */
  #run = 0
  #skipping = { priority: 0, count: 0 }
  #detour = firstDetour

  get hasLeft(): boolean {
    return this.#left.size > 0
  }

  /** True when most of those left have gone, and a look is called for before anything of this priority is taken. */
  needsLook(priority: number): boolean {
    return this.#gone >= fewGone && this.#mostUrgent < priority
  }

  /** True when this one is left to others. `ready`: how many there are besides. */
  leaves(candidate: Candidate, ready: number): boolean {
    if (ready < worthDetour) return false
    const isMine = !isWorthLanes(candidate, ready) || this.#lanes.isMine(candidate.id)
    if (!this.#isSkipped(candidate) && isMine) return false
    if (!this.hasLeft) this.#since = performance.now()
    const others = this.#left.get(candidate.priority)
    if (others) others.push(candidate)
    else this.#left.set(candidate.priority, [candidate])
    return true
  }

  /** The most urgent of those left. */
  get mostUrgent(): readonly Candidate[] {
    return this.#left.get(this.#mostUrgent) ?? []
  }

  get #mostUrgent(): number {
    let most = Number.POSITIVE_INFINITY
    for (const priority of this.#left.keys()) if (priority < most) most = priority
    return most
  }

  #isSkipped({ priority }: Candidate): boolean {
    if (priority !== this.#skipping.priority) this.#skipping.count = 0
    return this.#skipping.count > 0 && this.#skipping.count-- > 0
  }

  /** One of those left, before anything of this priority is taken. */
  fromAnEnd(priority: number): Candidate | undefined {
    if (!this.hasLeft) return undefined
    const mostUrgent = this.#mostUrgent
    const left = mostUrgent < priority ? this.#left.get(mostUrgent) : undefined
    if (!left) return undefined
    this.#tried = this.#isBackTaken ? left.shift() : left.pop()
    if (left.length === 0) this.#left.delete(mostUrgent)
    return this.#tried
  }

  /** Somebody else took this one first. `isFirst`: after one that was not lost. `ready`: how many there are besides. */
  lost(candidate: Candidate, isFirst: boolean, ready: number): void {
    if (candidate === this.#tried) {
      // Somebody else is helping from this end.
      this.#isBackTaken = !this.#isBackTaken
      this.#gone = isFirst ? 1 : this.#gone + 1
    } else if (ready < worthDetour) {
      // The next is the next.
      this.#detour = firstDetour
    } else if (!isWorthLanes(candidate, ready)) {
      // So few are gone through in no time: the next is one of the next, by chance which.
      this.#skip(candidate, Math.floor(Math.random() * this.#detour))
      this.#detour = Math.min(longestDetour, this.#detour * 2)
    } else if (isFirst) {
      this.#lanes.change()
      this.#run = 0
    } else {
      // Lost again at once: where this one was, others have been for some time. How far, is found out by leaps.
      this.#run = Math.min(this.#run + 1, longestRun)
      this.#skip(candidate, 2 ** this.#run)
    }
  }

  #skip({ priority }: Candidate, count: number): void {
    this.#skipping = { priority, count }
  }

  /** After a look. */
  keep(isThere: (candidate: Candidate) => boolean): void {
    for (const [priority, left] of this.#left) {
      const there = left.filter(isThere)
      if (there.length > 0) this.#left.set(priority, there)
      else this.#left.delete(priority)
    }
    this.#gone = 0
  }

  /** True when what is left has been left for long enough. */
  isOver(now: number): boolean {
    return this.hasLeft && now - this.#since > leftFor
  }

  /** All that was left. From now on everything counts again. */
  takeBack(): readonly Candidate[] {
    const left = [...this.#left.values()].flat()
    this.#left.clear()
    this.#gone = 0
    this.#isBackTaken = false
    this.#detour = firstDetour
    this.#lanes.leave()
    return left
  }
}

/** Of messages that depend on others few can be claimed at a time, however many wait, and others wait for each of them. */
const isWorthLanes = ({ dependencies }: Candidate, ready: number): boolean =>
  ready >= worthLanes && dependencies.length === 0
