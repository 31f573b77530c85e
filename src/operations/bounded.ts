/**
 * Lists that grow with the workspace, and how an answer is bounded. An agent pays for every line that it reads: as text, fifty
 * are shown unless the caller says how many are enough, and the caller is told how many were left out.
 */
import { integer } from '../kernel/field.ts'

/** By the names of lists in an answer: which end counts more. Of a log that is the last, of a queue the first. */
export type Lists = Readonly<Record<string, 'first' | 'last'>>

/** For text alone. A program that counts what it gets, from JSON or the library, must not miss anything by default. */
export const usualLimit = 50

export const limit = integer('Show at most so many of a list; how many were left out is told.', {
  least: 1,
  textDefault: usualLimit,
})

/** What a bounded answer has besides. */
export interface Bounded {
  /** How many are not shown, of all lists together. Absent where no limit was given. */
  readonly leftOut?: number
}

export function bounded<Output extends object>(
  output: Output,
  lists: Lists | undefined,
  most: number | undefined,
): Output & Bounded {
  if (lists === undefined || most === undefined) return output
  const shorter: Record<string, unknown> = {}
  let leftOut = 0
  for (const [name, end] of Object.entries(lists)) {
    const list = (output as Readonly<Record<string, unknown>>)[name]
    if (!Array.isArray(list) || list.length <= most) continue
    shorter[name] = end === 'last' ? list.slice(-most) : list.slice(0, most)
    leftOut += list.length - most
  }
  return { ...output, ...shorter, leftOut }
}
