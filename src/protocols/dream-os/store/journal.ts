/**
 * Changes of several steps, made by the journal of messaging. Each part of the store says how the steps are done that change what
 * it owns. See docs/decisions/0036-an-outcome-is-recorded-once.md.
 */
import { SignalboxError } from '../../../kernel/errors.ts'
import { Journal, type Steps } from '../../../messaging/journal/journal.ts'
import type { Durability } from '../../../tree/tree.ts'
import { journalPath, mailboxPath } from '../layout.ts'
import { type DreamStep, isSubject, mailboxOf, parseSteps, type StepOf, type Subject } from '../steps.ts'
import { type DreamParts, wrongWith } from './parts.ts'

/** Does one kind of step; answers 'lost', or how durable it is. `isRepeat`: it may have been done before. */
type Perform<S extends DreamStep> = (step: S, isRepeat: boolean) => Promise<unknown>
type Performing = { [Kind in DreamStep['do']]: Perform<StepOf<Kind>> }

const answers = ['lost', 'process', 'batch', 'full'] as const satisfies readonly ('lost' | Durability)[]

/** Steps that write into a file which people edit. If that file breaks its format, only this step is left out. */
const dispensable: readonly DreamStep['do'][] = ['news', 'tasks']

export class DreamJournal extends Journal<DreamStep, Subject> {
  readonly #performing: Partial<Performing>
  /** Why a step was left out. */
  readonly #leftOut: WeakMap<DreamStep, SignalboxError>

  constructor({ tree, places, settings }: DreamParts) {
    const performing: Partial<Performing> = {}
    const leftOut = new WeakMap<DreamStep, SignalboxError>()
    const steps: Steps<DreamStep, Subject> = {
      parse: parseSteps,
      async perform(step, isRepeat) {
        const perform = performing[step.do] as Perform<DreamStep>
        try {
          const did = await perform(step, isRepeat)
          return answers.find((answer) => answer === did)
        } catch (error) {
          const isBroken = error instanceof SignalboxError && error.kind === 'Corrupt'
          if (!isBroken || !dispensable.includes(step.do)) throw error
          leftOut.set(step, error)
          return undefined
        }
      },
    }
    super(tree, steps, {
      folder: journalPath,
      isSubject,
      turnOf: (subject) => {
        const mailbox = mailboxOf(subject)
        if (mailbox !== undefined) return `dream ${mailboxPath(places, mailbox)}`
        return `dream ${subject === 'tasks' ? places.taskList : subject}`
      },
      // An outcome stands in a note as a line of the log and as fields of its task.
      largestNote: 4 * settings.largest,
    })
    this.#performing = performing
    this.#leftOut = leftOut
  }

  /** Makes a change in its turn. Throws if a step was left out. */
  async make(subject: Subject, steps: readonly DreamStep[]): Promise<Durability> {
    const committed = await this.turn(subject, () => this.commit(subject, steps))
    this.expectWhole(steps)
    return committed.outcome === 'done' ? committed.durability : 'process'
  }

  /** How steps of some kinds are done. */
  performs(steps: Partial<Performing>): void {
    Object.assign(this.#performing, steps)
  }

  /** Why steps of a change were left out. */
  leftOut(steps: readonly DreamStep[]): SignalboxError[] {
    return steps.flatMap((step) => this.#leftOut.get(step) ?? [])
  }

  /** Throws if a step was left out: for a caller that has to know of a file that could not be written. */
  expectWhole(steps: readonly DreamStep[]): void {
    const [error] = this.leftOut(steps)
    if (!error) return
    const { kind, code, hint, details } = error
    const message = `${wrongWith(error)} What was asked for is done all the same; only this file was not changed.`
    throw new SignalboxError(kind, code, message, { hint, details })
  }
}
