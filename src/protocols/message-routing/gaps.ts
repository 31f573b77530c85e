/**
 * The numbers of a sender as its reader has seen them, and what they tell: a gap is a loss, a fall to 1 a restart. Works
 * on ranges, so that a number of a hostile sender costs no more than any other. Pure.
 * Spec: Message Routing, "Sequence Numbering".
 */

/** From and to, both included. */
export type Range = readonly [first: number, last: number]

export interface Seen {
  /** The highest number since the last restart. */
  readonly last: number
  /** Below it and never seen; a message that comes late fills its place. */
  readonly missing: readonly Range[]
}

export const nothingSeen: Seen = { last: 0, missing: [] }

/** The oldest gaps are forgotten first; they have been reported. */
const mostRanges = 64

export interface Noted {
  readonly seen: Seen
  /** Numbers that were skipped. */
  readonly skipped?: Range
  /** The last number before the sender began again. */
  readonly restartedAfter?: number
}

/** One more number, in the order in which the messages were handed out. */
export function noteNumber(seen: Seen, number: number): Noted {
  if (number > seen.last) {
    if (number === seen.last + 1) return { seen: { ...seen, last: number } }
    const skipped: Range = [seen.last + 1, number - 1]
    return { seen: { last: number, missing: [...seen.missing, skipped].slice(-mostRanges) }, skipped }
  }
  const missing = without(seen.missing, number)
  if (missing !== seen.missing) return { seen: { ...seen, missing } }
  if (number === 1 && seen.last > 1) return { seen: { last: 1, missing: [] }, restartedAfter: seen.last }
  // A number twice, or one that came after a restart nobody saw: nothing is known to be lost.
  return { seen }
}

/** The ranges without one number; the same ranges when it is in none. */
export function without(ranges: readonly Range[], number: number): readonly Range[] {
  const at = ranges.findIndex(([first, last]) => first <= number && number <= last)
  if (at < 0) return ranges
  const [first, last] = ranges[at]!
  const rest: Range[] = []
  if (first < number) rest.push([first, number - 1])
  if (number < last) rest.push([number + 1, last])
  return [...ranges.slice(0, at), ...rest, ...ranges.slice(at + 1)]
}

/** A message that goes back to the inbox will be handed out again: its number is expected once more. */
export function expectAgain(seen: Seen, number: number): Seen {
  if (number > seen.last || without(seen.missing, number) !== seen.missing) return seen
  return { ...seen, missing: [...seen.missing, [number, number] as const].slice(-mostRanges) }
}
