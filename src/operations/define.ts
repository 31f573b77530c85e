/** An operation is what a user can ask for: one verb with checked input, said once for every surface. */
import type { Clock } from '../kernel/clock.ts'
import { type ErrorKind, errorKinds, invalidInput } from '../kernel/errors.ts'
import type { Fields, InputOf } from '../kernel/field.ts'
import type { Outside } from '../kernel/outside.ts'
import type { Tree } from '../tree/tree.ts'
import { checkInput, type Spelling } from './check-input.ts'
import type { AnyProtocol, StoreOf } from './protocols.ts'
import type { Configuration } from './workspace/configuration.ts'
import type { ClusterHealth } from './workspace/engine.ts'
import type { Root } from './workspace/root.ts'

/** What operations are given. Whatever costs time is a function, so that nobody pays for what is not used. */
export interface Context {
  readonly about: About
  readonly clock: Clock
  readonly environment: Environment
  readonly outside: Outside
  /** The directory that holds the workspace, and how it was found. */
  root(): Root
  configuration(options?: { readonly makeRoot?: boolean }): Promise<Configuration>
  /** The workspace's tree, opened at the first call and closed by whoever made the context. */
  tree(options?: { readonly makeRoot?: boolean; readonly recover?: boolean }): Promise<Tree>
  /** The workspace's tree once more, by a clock of the caller's, who also closes it. */
  openAgain(clock: Clock): Promise<Tree>
  /** A protocol in this workspace, as it is configured; closed by whoever made the context. */
  store<P extends AnyProtocol>(protocol: P): Promise<StoreOf<P>>
  /** How the cluster is that keeps the tree; `undefined` when files do. */
  clusterHealth(): Promise<ClusterHealth | undefined>
  /** A tree over another directory, closed by the caller. */
  openTree(folder: string, clock?: Clock): Promise<Tree>
  readonly report: Reporter
  /** The benchmark that comes with a checkout; `undefined` where there is none. */
  benchmark(): Benchmark | undefined
}

/** Which program this is. */
export interface About {
  readonly version: string
  /** `bun 1.4.4` or `node 20.20.2`. */
  readonly runtime: string
}

export type Environment = Readonly<Record<string, string | undefined>>
/** Prints for people as it goes, or gives its figures to a program. */
export type Benchmark = (words: readonly string[]) => Promise<{ readonly exit: number; readonly figures?: unknown }>

/** How an operation tells what it is doing while it is doing it. Its result never depends on anyone listening. */
export interface Reporter {
  /** A passage for people, shown at once. Programs get the result instead. */
  tell(passage: Passage): void
  /** One sentence that people should know besides, whatever the result is; shown at once, beside the result. */
  notice(text: string): void
  /** How far long work has come. */
  progress(what: string, done: number, total: number): void
  /** Called once for every run, also one that failed. */
  finished(run: Run): void
}

export interface Passage {
  readonly as: 'title' | 'text' | 'step' | 'file'
  readonly text: string
}

export interface Run {
  readonly operation: string
  readonly milliseconds: number
  /** An outcome of the operation, or the code of the error it ended with. */
  readonly ended: string
}

/** `done`: as asked. `nothing`: done, but there was nothing there. Otherwise whose turn it is, as for errors. */
export type Meaning = 'done' | 'nothing' | ErrorKind

export const exitOf = (meaning: Meaning): number =>
  meaning === 'done' ? 0 : meaning === 'nothing' ? 1 : errorKinds[meaning].exit

export interface Example {
  /** As typed after `signalbox `. */
  readonly command: string
  readonly does: string
}

interface Definition<F extends Fields, O extends Readonly<Record<string, Meaning>>, Output extends Result<O>> {
  readonly name: string
  /** One sentence that stands alone. */
  readonly summary: string
  /** What else a newcomer should know, as paragraphs. */
  readonly more?: string
  readonly input: F
  /** Every way it can end without an error, and what that means to a caller. */
  readonly outcomes: O
  readonly examples: readonly [Example, ...Example[]]
  run(context: Context, input: InputOf<F>): Output | Promise<Output>
}

type Result<O extends Readonly<Record<string, Meaning>>> = { readonly outcome: keyof O & string }

export interface Operation<Output extends { readonly outcome: string } = { readonly outcome: string }> {
  readonly name: string
  readonly summary: string
  readonly more?: string
  readonly input: Fields
  readonly outcomes: Readonly<Record<string, Meaning>>
  readonly examples: readonly [Example, ...Example[]]
  /** Checks the input, runs, and reports how long it took and how it ended. */
  invoke(context: Context, given: unknown, spell?: Spelling): Promise<Output>
}

export function defineOperation<
  const F extends Fields,
  const O extends Readonly<Record<string, Meaning>>,
  Output extends Result<O>,
>(definition: Definition<F, O, Output>): Operation<Output> {
  return {
    ...definition,
    async invoke(context, given, spell) {
      const startedAt = context.clock.now()
      let ended = 'INTERNAL'
      try {
        const output = await definition.run(context, checkInput(definition.input, given, spell))
        ended = output.outcome
        return output
      } catch (error) {
        if (error instanceof Error && 'code' in error) ended = String(error.code)
        throw error
      } finally {
        context.report.finished({ operation: definition.name, milliseconds: context.clock.now() - startedAt, ended })
      }
    },
  }
}

/** The agent that acts, for operations that need one. */
export async function whoActs(context: Context): Promise<string> {
  const { agent } = await context.configuration()
  if (agent !== undefined) return agent
  throw invalidInput('NO_AGENT', 'Nobody was named as the one who acts.', {
    hint: 'Give --as AGENT, set SIGNALBOX_AGENT, or write `agent: NAME` in signalbox.yaml.',
  })
}
