/**
 * The cluster's own time, by which its leaves get their times: a client may be days off. Every answer of a member says in
 * its `Date` header what time it is there, in whole seconds; with how long the answer took, that bounds how far the
 * member's clock is from one of ours that only counts on. Each answer narrows the bounds.
 *
 * Our own clock is used as it is unless it is surely wrong: it is finer, and agreeing clients need no correction. See
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
/** Members of one cluster, and machines that are kept right, are closer than this to each other. */
const surelyOff = 2 * second
/** How much the two clocks may drift apart: 0.5 ms a second, the most that clocks are made to run faster or slower. */
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
    // Where they contradict each other, the member's clock was set, or another member has another time: the latest counts.
    this.#bounds = both && both.least <= both.most ? both : found
  }

  /** From here on `now` knows how far our clock is off. Asks only if no member has answered anything yet. */
  async known(): Promise<void> {
    if (this.#bounds) return
    // Once is enough, also where something on the way takes the header out.
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
