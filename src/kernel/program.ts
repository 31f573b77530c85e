/** Running a program outside: what is asked, and how it ended. An adapter does it. */
export interface ProgramRun {
  /** Its name and its arguments. */
  readonly program: readonly string[]
  /** For its standard input. */
  readonly input: string
  /** The directory it works in. */
  readonly folder: string
  readonly timeMs: number
  /** Of what it prints; the rest is dropped. */
  readonly mostBytes: number
  readonly signal?: AbortSignal
}

interface Printed {
  readonly output: string
  readonly errors: string
  readonly isCut: boolean
}

export type ProgramEnd =
  | ({ readonly outcome: 'ended'; readonly status: number; readonly killedBy?: string } & Printed)
  | ({ readonly outcome: 'timeout' | 'stopped' } & Printed)
  | { readonly outcome: 'not-started'; readonly reason: string }

export type RunProgram = (run: ProgramRun) => Promise<ProgramEnd>
