/**
 * What a benchmark is made of: sections, each of which answers figures. A protocol that wants to be measured adds a
 * folder beside these and its section to the list in `main.ts`.
 */
import type { Places } from './places.ts'

export interface Effort {
  /** Rounds in which every contender is measured once. Never fewer than 3. */
  readonly rounds: number
  readonly isQuick: boolean
  /** Measure neighbouring programs too, where a section has some. */
  readonly withPeers: boolean
}

export interface Section {
  readonly title: string
  /** Answers figures, or the reason why there are none here. */
  run(places: Places, effort: Effort): Promise<Result>
}

export interface Result {
  readonly figures: readonly Figure[]
  /** What one must know to read them: the file system, what was left out and why. */
  readonly notes: readonly string[]
}

export type Goal = { readonly atLeast: number } | { readonly atMost: number }

/** One comparison. `ratio` is what the goal is about; the two amounts are only there to show its size. */
export interface Figure {
  readonly name: string
  readonly against: string
  readonly ratio: number
  /** Where a goal is about an amount and not about a ratio: what `ratio` is counted in. */
  readonly unit?: string
  /** Lowest and highest ratio of any round. */
  readonly spread: readonly [number, number]
  readonly rounds: number
  readonly goal?: Goal
  readonly amounts: { readonly ours: number; readonly theirs: number; readonly unit: string }
  /** File-system calls a message, where they are what is compared. */
  readonly calls?: { readonly ours: number; readonly theirs: number }
}

export const isMet = (goal: Goal, ratio: number): boolean =>
  'atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost
