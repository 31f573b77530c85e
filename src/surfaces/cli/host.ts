import type { Clock } from '../../kernel/clock.ts'
import type { Outside } from '../../kernel/outside.ts'
import type { About, Benchmark, Environment } from '../../operations/define.ts'
import type { Engines } from '../../operations/workspace/engine.ts'
import type { StandardStreams } from './conversation.ts'
import type { Terminal } from './terminal.ts'

/** What the command line needs of the program around it. */
export interface Host {
  readonly about: About
  /** The name of a launcher that stands for a group of commands: `acmq` for `signalbox acmq`. */
  readonly startedAs?: string | undefined
  readonly terminal: Terminal
  readonly environment: Environment
  readonly clock: Clock
  readonly engines: Engines
  readonly outside: Outside
  /** A file that comes with the package; `undefined` where it is missing. */
  readonly packageFile?: (path: string) => Uint8Array | undefined
  /** Aborted by the first SIGINT or SIGTERM. Once this is called, those signals end the program only if the caller does. */
  stopSignal(): AbortSignal
  /** Standard input and output, for commands that read line after line. Absent where there are none. */
  streams?(): StandardStreams
  /** Starts this program with other words, and does not wait for it. */
  startSelf?(words: readonly string[]): Promise<void>
  /** The benchmark of this checkout, if there is one; `forProgram` when a program reads the figures. */
  benchmark(forProgram: boolean): Benchmark | undefined
}
