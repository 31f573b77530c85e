/** What reading a stranger's file answers, in every protocol: a message, or what is wrong with it. Reading never throws. */

/** One thing that is wrong, in words for people and a code for programs. */
export interface Problem {
  /** Stable, upper case: `BAD_PRIORITY`, `MISSING_FIELD`. */
  readonly code: string
  /** `priority`, `payload.issues[2]`; empty for the whole file. */
  readonly field: string
  /** One line, with the place where that is known. */
  readonly message: string
  /** What to do next, in the imperative. */
  readonly hint?: string
}

export type Parsed<Message> =
  /** `problems` did not keep it from being read; defaults stand in. */
  { readonly outcome: 'message'; readonly message: Message; readonly problems: readonly Problem[] } | Malformed

export interface Malformed {
  readonly outcome: 'malformed'
  readonly problems: readonly [Problem, ...Problem[]]
  /** It may only be a file that somebody is still writing. */
  readonly isUnfinished?: boolean
}
