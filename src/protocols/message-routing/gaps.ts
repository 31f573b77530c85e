/**
 * The sequence numbers of a sender as its reader has seen them: a gap is a loss, a fall to 1 a restart. Works on ranges, so that a
 * huge number of a hostile sender costs nothing. Pure. Spec: Message Routing, "Sequence Numbering".
 *
 * After a restart the same numbers come again. The times in the messages, here in milliseconds, tell the old numbering from the new
 * one.
 */

/** From and to, both included. */
export type Range = readonly [first: number, last: number]

export interface Seen {
  /** The highest number since the last restart. */
  readonly last: number
  /** Numbers below it that have not been seen. A message that comes late is removed from them. */
  readonly missing: readonly Range[]
  /** The time of the message with the highest number. */
  readonly at?: number
  /** The time of the last restart: a message that is not later belongs to the old numbering. */
  readonly since?: number
  /** A person reset the sender's numbers at this time, and no later message has been seen yet. */
  readonly resetAt?: number
}

export const nothingSeen: Seen = { last: 0, missing: [] }

/** More gaps are forgotten, the oldest first: they have been reported. */
const mostRanges = 64

export interface Noted {
  readonly seen: Seen
  readonly skipped?: Range
  /** The last number before the sender began again. */
  readonly restartedAfter?: number
}

/** Notes one more number with the time of its message. Called in the order in which the messages were handed out. */
export function noteNumber(seen: Seen, number: number, at?: number): Noted {
  const restarted = restartIn(seen, number, at)
  if (restarted) return restarted
  // A late message of the old numbering says nothing about the new one.
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
 * The sender began again at 1: a person reset its numbers; or its number fell to 1; or it fell to one that was seen before, in a
 * message later than the one with the highest number. In the last case number 1 itself was lost.
 */
function restartIn(seen: Seen, number: number, at: number | undefined): Noted | undefined {
  const { last, missing, resetAt } = seen
  const isAfterReset = resetAt !== undefined && at !== undefined && (at > resetAt || (at === resetAt && number <= last))
  const isFall = number < last && without(missing, number) === missing
  // `<`, not `<=`: other programs sometimes give out the highest number twice.
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

/** A person reset the sender's numbers. Messages from before that may still come. */
export const expectRestart = (seen: Seen, resetAt: number): Seen => ({ ...seen, resetAt })

/** True for a message of the current numbering. */
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

/** A message goes back to the inbox and will be handed out again: its number is expected again. */
export function expectAgain(seen: Seen, number: number): Seen {
  if (number > seen.last || without(seen.missing, number) !== seen.missing) return seen
  return { ...seen, missing: [...seen.missing, [number, number] as const].slice(-mostRanges) }
}
