/**
 * A benchmark consists of sections, and each of them answers figures. A protocol adds a folder beside these, and its section
 * to the list in `sections.ts`.
 */
import type { Places } from './places.ts'

export interface Effort {
  /** Rounds in which every contender is measured once. Never fewer than 3. */
  readonly rounds: number
  readonly isQuick: boolean
  /** Measure other queues, too. */
  readonly withPeers: boolean
}

export interface Section {
  readonly title: string
  /** Answers figures, or the reason why there are none here. */
  run(places: Places, effort: Effort): Promise<Result>
}

export interface Result {
  readonly figures: readonly Figure[]
  /** What readers must know: the file system, what was left out and why. */
  readonly notes: readonly string[]
}

export type Goal = { readonly atLeast: number } | { readonly atMost: number }

/** One comparison. The goal is about `ratio`; the two amounts only show the size of things. */
export interface Figure {
  readonly name: string
  readonly against: string
  readonly ratio: number
  /** If the goal is about an amount instead of a ratio: the unit of `ratio`. */
  readonly unit?: string
  /** Lowest and highest ratio of any round. */
  readonly spread: readonly [number, number]
  readonly rounds: number
  readonly goal?: Goal
  readonly amounts: { readonly ours: number; readonly theirs: number; readonly unit: string }
  /** File-system calls a message, if they are compared. */
  readonly calls?: { readonly ours: number; readonly theirs: number }
}

export const isMet = (goal: Goal, ratio: number): boolean =>
  'atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost
