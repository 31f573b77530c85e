/** An operation is what a user can ask for: one verb with checked input, said once for every surface. */

import { inputs } from '../kernel/call.ts'
import type { Clock } from '../kernel/clock.ts'
import { type ErrorKind, errorKinds, invalidInput } from '../kernel/errors.ts'
import type { Fields, InputOf } from '../kernel/field.ts'
import type { Outside } from '../kernel/outside.ts'
import { printableLine } from '../kernel/printable.ts'
import type { ShapeFields } from '../kernel/shape.ts'
import { type Bounded, bounded, type Lists, limit } from './bounded.ts'
import { checkInput, type Spelling } from './check-input.ts'
import type { LazyWorkspace } from './workspace/workspace.ts'

/**
 * What operations are given: the workspace, which many callers can share, and what belongs to this call alone. What costs time
 * is a function, so that only its users pay for it.
 */
export interface Context extends Omit<LazyWorkspace, 'close'> {
  /** Who acts in this call; `undefined` where nobody was named. */
  actor(): Promise<Actor | undefined>
  /** Aborted when the caller has gone away or says stop: a wait then ends and has taken nothing, and a stream ends. */
  readonly signal?: AbortSignal | undefined
  /** Through what the caller asks: `cli`, `library`. */
  readonly surface: string
  /** What the caller says while the operation runs. Absent for callers that say everything at once. */
  readonly talk?: Talk | undefined
  readonly about: ProgramVersion
  readonly clock: Clock
  readonly environment: Environment
  readonly outside: Outside
  readonly report: Reporter
  /** The benchmark that comes with a checkout; `undefined` where there is none. */
  benchmark(): Benchmark | undefined
}

export interface Actor {
  readonly name: string
  /** The call itself names it, and not only a setting. */
  readonly isNamedByCall: boolean
}

/** A caller that speaks line by line. */
export interface Talk {
  lines(): AsyncIterable<string>
  /** The caller wants the answer under way to end, as Ctrl-C says it. */
  onInterrupt(end: () => void): void
}

/** Which program this is. */
export interface ProgramVersion {
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
type Meaning = 'done' | 'nothing' | ErrorKind

export const exitOf = (meaning: Meaning): number =>
  meaning === 'done' ? 0 : meaning === 'nothing' ? 1 : errorKinds[meaning].exit

interface Example {
  /** As typed after `signalbox `. */
  readonly command: string
  readonly does: string
}

type Outcomes = Readonly<Record<string, Meaning>>
type Result<Outcome extends string = string> = { readonly outcome: Outcome }

/** `reads`: changes nothing. `writes`: adds or changes. `destroys`: something may be gone that cannot be had back. */
type Effects = 'reads' | 'writes' | 'destroys'

interface Described<F extends Fields, O extends Outcomes> {
  readonly name: string
  /** One sentence that stands alone. */
  readonly summary: string
  /** What else a newcomer should know, as paragraphs. */
  readonly more?: string
  /** Words that it takes and what each means, where there are too many for a sentence. */
  readonly words?: { readonly title: string; readonly rows: readonly (readonly [word: string, meaning: string])[] }
  readonly input: F
  /** The lists in its answer that grow with the workspace. Callers can then bound them by `limit`, which need not be declared. */
  readonly lists?: Lists
  /** Every way it can end without an error, and what that means to a caller. */
  readonly outcomes: O
  /** What it answers for each outcome, field by field. */
  readonly output: { readonly [Outcome in keyof O]: ShapeFields }
  readonly effects: Effects
  /** Doing it twice with the same input is the same as once. What only reads always is. */
  readonly isRepeatable?: boolean
  readonly examples: readonly [Example, ...Example[]]
}

interface Definition<F extends Fields, O extends Outcomes, Output extends Result<keyof O & string>>
  extends Described<F, O> {
  run(context: Context, input: InputOf<F>): Output | Promise<Output>
  /**
   * For what can go on until the signal ends it: gives what happens as it happens, and at its end what `run` would answer for
   * all of it. `undefined` where this input asks for one pass.
   */
  stream?(context: Context, input: InputOf<F>): AsyncGenerator<Result, Output> | undefined
  /** See `Operation.untold`. */
  untold?(output: Output): string | undefined
  /** See `Operation.takeBack`. */
  takeBack?(context: Context, output: Output): Promise<string | undefined>
  /** See `Operation.handedOut`. */
  handedOut?(context: Context, output: Output): Promise<void>
}

export interface Operation<Output extends Result = Result> extends Described<Fields, Outcomes> {
  /** Checks the input, runs, and reports how long it took and how it ended. */
  invoke(context: Context, given: unknown, spell?: Spelling): Promise<Output & Bounded>
  /** The same for what goes on: see `Definition.stream`. `undefined`: it does not, at least not with this input. */
  follow?(
    context: Context,
    given: unknown,
    spell?: Spelling,
  ): Promise<AsyncGenerator<Result, Output & Bounded> | undefined>
  /**
   * The answer could not be written, because of a full disk behind standard output or a reader that has ended: what stays
   * done although the caller was not told, and what to do about it.
   */
  untold?(output: Output): string | undefined
  /**
   * Puts back what the answer handed out, when it could not be written to the caller. Answers what to do now; `undefined`
   * if nothing had been handed out. Not called for a reader that has ended: it may have got what it wanted.
   */
  takeBack?(context: Context, output: Output): Promise<string | undefined>
  /**
   * Called when the answer has been written out, and not before: what it hands out counts as handed out from then on. A
   * process that is killed in between leaves it to the next one that asks.
   */
  handedOut?(context: Context, output: Output): Promise<void>
}

/** Operations under one word: `dream mailbox send`. */
export interface OperationGroup {
  readonly name: string
  readonly summary: string
  readonly members: readonly Operation[]
  /** The member that is meant when none is named; without one, help is. */
  readonly alone?: string
}

/** Does not compile where an outcome is declared, and shown in help, that `run` never answers. */
type EveryOutcomeHappens<O extends Outcomes, Output extends Result> = [keyof O] extends [Output['outcome']]
  ? unknown
  : { readonly outcomes: { readonly [Never in Exclude<keyof O, Output['outcome']>]: never } }

export function defineOperation<
  const F extends Fields,
  const O extends Outcomes,
  Output extends Result<keyof O & string>,
>(definition: Definition<F, O, Output> & EveryOutcomeHappens<O, Output>): Operation<Output> {
  const { lists, stream } = definition
  const input = lists ? { ...definition.input, limit } : definition.input

  const check = async (context: Context, given: unknown, spell: Spelling | undefined) => {
    const whole = await withActor(context, input, given)
    return checkInput(input, whole, spell) as InputOf<F> & { readonly limit?: number }
  }

  /** Reports how long it took and how it ended. */
  async function timed<T>(context: Context, work: (ends: (outcome: string) => void) => Promise<T>): Promise<T> {
    const startedAt = context.clock.now()
    let ended = 'INTERNAL'
    try {
      return await work((outcome) => {
        ended = outcome
      })
    } catch (error) {
      if (error instanceof Error && 'code' in error) ended = String(error.code)
      throw error
    } finally {
      context.report.finished({ operation: definition.name, milliseconds: context.clock.now() - startedAt, ended })
    }
  }

  return {
    ...definition,
    input,
    invoke: (context, given, spell) =>
      timed(context, async (ends) => {
        const checked = await check(context, given, spell)
        const output = await definition.run(context, checked)
        ends(output.outcome)
        return bounded(output, lists, checked.limit)
      }),
    ...(stream && {
      async follow(context: Context, given: unknown, spell?: Spelling) {
        const checked = await check(context, given, spell)
        const happening = stream.call(definition, context, checked)
        return happening && boundedEnd(happening, lists, checked.limit)
      },
    }),
  }
}

async function* boundedEnd<Output extends Result>(
  happening: AsyncGenerator<Result, Output>,
  lists: Lists | undefined,
  most: number | undefined,
): AsyncGenerator<Result, Output & Bounded> {
  return bounded(yield* happening, lists, most)
}

/**
 * The input with the actor in the fields that are older ways to name it. Another name there than the one that the call gives
 * would be ignored, so it is refused.
 */
async function withActor(context: Context, fields: Fields, given: unknown): Promise<unknown> {
  for (const [name, field] of Object.entries(fields)) {
    if (field.type !== 'text' || !field.isActor || typeof given !== 'object' || given === null) continue
    const actor = await context.actor()
    const named = (given as Readonly<Record<string, unknown>>)[name]
    if (!actor) {
      if (named === undefined && field.required) throw noActor()
      continue
    }
    if (named === undefined) return { ...given, [name]: actor.name }
    if (!actor.isNamedByCall || typeof named !== 'string') continue
    if (actor.name.toLowerCase() === named.toLowerCase()) continue
    const reason = `The command names ${printableLine(named)}, and ${inputs({ as: printableLine(actor.name) })}.`
    throw invalidInput('CONTRADICTION', reason, {
      hint: `Leave ${inputs({ as: null })} out, or give the same name twice.`,
      details: { agent: named, as: actor.name },
    })
  }
  return given
}

/** The agent that acts, if one is named. */
export const actorOf = async (context: Pick<Context, 'actor'>): Promise<string | undefined> =>
  (await context.actor())?.name

/** The agent that acts, for operations that need one. */
export async function whoActs(context: Pick<Context, 'actor'>): Promise<string> {
  const actor = await context.actor()
  if (actor) return actor.name
  throw noActor()
}

const noActor = () =>
  invalidInput('NO_AGENT', 'Nobody was named as the one who acts.', {
    hint: `Give ${inputs({ as: 'AGENT' })}, set SIGNALBOX_AGENT, or write \`agent: NAME\` in signalbox.yaml.`,
  })
