/**
 * Whether two patterns can mean the same path. A pattern means what it matches and, for a folder, all that is in it. The time is
 * bounded by the product of their lengths: a pattern may be a stranger's.
 */
import { SignalboxError } from '../kernel/errors.ts'
import { expandBraces } from './glob-braces.ts'

export function globsOverlap(one: string, other: string): boolean {
  const others = waysOf(other)
  return waysOf(one).some((a) =>
    others.some((b) => namesOverlap(a, b) || namesOverlap([...a, '**'], b) || namesOverlap(a, [...b, '**'])),
  )
}

const waysOf = (pattern: string): string[][] =>
  expanded(pattern).map((way) => way.split('/').filter((name) => name !== '.'))

/** A name of a lock in a session need not be a pattern: its braces are letters then. */
function expanded(pattern: string): string[] {
  try {
    return expandBraces(pattern)
  } catch (error) {
    if (error instanceof SignalboxError) return [pattern]
    throw error
  }
}

const namesOverlap = (one: readonly string[], other: readonly string[]): boolean =>
  overlap(one, other, '**', (a, b) => overlap(signsOf(a), signsOf(b), '*', isSameSign))

/** A class such as `[a-z]` counts as any sign: a lock that is refused too often does less harm than one that is given twice. */
const signsOf = (name: string): string[] => [...name.replace(/\[[^\]]+\]/g, '?')]

const isSameSign = (a: string, b: string): boolean => a === b || a === '?' || b === '?'

/** Whether two lists have a reading in common, in which a star stands for any run of items. One row for each item of the first. */
function overlap(
  one: readonly string[],
  other: readonly string[],
  star: string,
  meet: (a: string, b: string) => boolean,
): boolean {
  // `row[j]`: the items of `one` so far and the first `j` of `other` have a reading in common.
  let row = [true]
  for (const b of other) row.push(row.at(-1)! && b === star)
  for (const a of one) {
    const next = [row[0]! && a === star]
    for (const [j, b] of other.entries()) {
      const isEither = a === star || b === star
      next.push(isEither ? next[j]! || row[j + 1]! || row[j]! : row[j]! && meet(a, b))
    }
    row = next
  }
  return row.at(-1)!
}
