/**
 * The cluster's own time, by which its leaves get their times: a client may be days off. Every answer of a member says in
 * its `Date` header what time it is there, in whole seconds. Together with how long the answer took, this bounds how far
 * the member's clock is from our `performance.now()`. Each answer narrows the bounds.
 *
 * Our own clock is finer, so it is used as it is unless it is certainly wrong. See
 * docs/decisions/0029-the-trees-own-time.md.
 */
import { type Clock, systemClock } from '../../kernel/clock.ts'

/** The member's time less `performance.now()`, at least and at most. */
interface Bounds {
  readonly least: number
  readonly most: number
  /** When they were found, by `performance.now()`. */
  readonly at: number
}

const second = 1000
/** Clocks that are kept in order differ by less than this. */
const surelyOff = 2 * second
/** How much two clocks may drift apart: 0.5 ms a second, the most by which systems speed up or slow down a clock. */
const drift = 0.0005

export class ClusterTime implements Clock {
  readonly #own: Clock
  readonly #ask: () => Promise<unknown>
  #bounds: Bounds | undefined
  #asked: Promise<unknown> | undefined

  /** `ask` makes a member answer anything. */
  constructor(ask: () => Promise<unknown>, own: Clock = systemClock) {
    this.#ask = ask
    this.#own = own
  }

  /** A member said in its `Date` header what time it was, between these two moments of `performance.now()`. */
  heard(date: string | undefined, sentAt: number, receivedAt: number): void {
    const said = date === undefined ? Number.NaN : Date.parse(date)
    if (Number.isNaN(said)) return
    const found = { least: said - receivedAt, most: said + second - sentAt, at: receivedAt }
    const before = this.#bounds && widened(this.#bounds, receivedAt)
    const both = before && {
      least: Math.max(before.least, found.least),
      most: Math.min(before.most, found.most),
      at: receivedAt,
    }
    // If they contradict each other, the member's clock was set, or members differ. Then the latest answer counts.
    this.#bounds = both && both.least <= both.most ? both : found
  }

  /** Resolves when `now` knows how far our clock is off. Asks only if no member has answered anything yet. */
  async known(): Promise<void> {
    if (this.#bounds) return
    // Ask only once, even if a proxy removes the header.
    this.#asked ??= this.#ask().catch((error) => {
      this.#asked = undefined
      throw error
    })
    await this.#asked
  }

  now(): number {
    const own = this.#own.now()
    if (!this.#bounds) return own
    const at = performance.now()
    const { least, most } = widened(this.#bounds, at)
    const isSurelyOff = own < at + least - surelyOff || own > at + most + surelyOff
    return isSurelyOff ? Math.round(at + (least + most) / 2) : own
  }
}

function widened({ least, most, at }: Bounds, now: number): Bounds {
  const by = (now - at) * drift
  return { least: least - by, most: most + by, at: now }
}
