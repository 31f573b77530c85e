/** A command, and the ways in which people ask for it. */

export interface Request {
  readonly command: string
  /** In the notation of `pattern.ts`. */
  readonly forms: readonly string[]
  /** Parameters that the form itself says. */
  readonly with?: Readonly<Record<string, string>>
  /** The object is not named: it is asked back, with the command that would run. */
  readonly isUnnamed?: true
}
