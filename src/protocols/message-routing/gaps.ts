/**
 * The numbers of a sender as its reader has seen them, and what they tell: a gap is a loss, a fall to 1 a restart. Works
 * on ranges, so that a number of a hostile sender costs no more than any other. Pure.
 * Spec: Message Routing, "Sequence Numbering".
 *
 * After a restart the same numbers come again, so a number alone does not say which message it was. The sender's own times
 * tell the old numbering from the new one; all times here are those of messages, in milliseconds.
 */

/** From and to, both included. */
export type Range = readonly [first: number, last: number]

export interface Seen {
  /** The highest number since the last restart. */
  readonly last: number
  /** Below it and never seen; a message that comes late fills its place. */
  readonly missing: readonly Range[]
  /** The time of the message with the highest number. */
  readonly at?: number
  /** The time of the last restart: what is not later belongs to the numbering before it. */
  readonly since?: number
  /** The sender was told to begin again at this time, and no message from after that has been seen yet. */
  readonly resetAt?: number
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

/** One more number and the time of its message, in the order in which the messages were handed out. */
export function noteNumber(seen: Seen, number: number, at?: number): Noted {
  const restarted = restartIn(seen, number, at)
  if (restarted) return restarted
  // A late message of the numbering before the restart says nothing about this one.
  if (at !== undefined && seen.since !== undefined && at < seen.since) return { seen }
  if (number > seen.last) {
    const noted: Seen = { ...seen, last: number, ...timeOf(at) }
    if (number === seen.last + 1) return { seen: noted }
    const skipped: Range = [seen.last + 1, number - 1]
    return { seen: { ...noted, missing: [...seen.missing, skipped].slice(-mostRanges) }, skipped }
  }
  // A number that comes late, or comes twice.
  return { seen: { ...seen, missing: without(seen.missing, number) } }
}

/**
 * The sender began again: it was told to, or its number fell to 1, or to one that had come already although this message
 * was sent later than the one with the highest number. In the last case number 1 itself was lost.
 */
function restartIn(seen: Seen, number: number, at: number | undefined): Noted | undefined {
  const { last, missing, resetAt } = seen
  const isAfterReset = resetAt !== undefined && at !== undefined && (at > resetAt || (at === resetAt && number <= last))
  const isFall = number < last && without(missing, number) === missing
  // The highest number once more is one that was given out twice: other programs do that now and then.
  const isLater = at !== undefined && seen.at !== undefined && at > seen.at
  if (!isAfterReset && !(isFall && (number === 1 || isLater))) return undefined
  const since = isAfterReset
    ? resetAt
    : at === undefined || seen.at === undefined || seen.at > at
      ? before(at)
      : seen.at
  const now: Seen = { last: number, missing: [], ...timeOf(at), ...(since === undefined ? {} : { since }) }
  if (number === 1) return { seen: now, restartedAfter: last }
  const skipped: Range = [1, number - 1]
  return { seen: { ...now, missing: [skipped] }, restartedAfter: last, skipped }
}

const timeOf = (at: number | undefined) => (at === undefined ? {} : { at })
const before = (at: number | undefined) => (at === undefined ? undefined : at - 1)

/** The sender was told to begin again. What it sent before that may still be on its way. */
export const expectRestart = (seen: Seen, resetAt: number): Seen => ({ ...seen, resetAt })

/** True for a message of the numbering that is being counted now. */
export const isCurrent = ({ since }: Pick<Seen, 'since'>, at: number): boolean => since === undefined || at > since

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
