/** Performs the steps, under the lock of the work tree. A step that is found there was left by a killed process. */
import { conflict, SignalboxError } from '../../../kernel/errors.ts'
import { printableLine } from '../../../kernel/printable.ts'
import { childOf } from '../../../kernel/tree-path.ts'
import type { Continued, Steps } from '../../../messaging/journal/journal.ts'
import type { CheckpointPorts, PreparedRollback as Prepared, Restless, Saved, WorkTree } from './ports.ts'
import { type CheckpointRecord, commitMessageOf, Records } from './record.ts'
import { type Begun, type CheckpointStep, type RollbackStep, stepFrom } from './step.ts'

/** What a killed process had left half done, and how it was ended. */
export interface RecoveredWork {
  readonly outcome: 'finished' | 'undone'
  readonly what: 'checkpoint' | 'rollback'
  /** Of the checkpoint that was being made, or that was being rolled back to. */
  readonly id: string
  readonly session: string
  /** Files that a rollback left alone, because another program keeps changing them. */
  readonly left?: readonly string[]
}

export interface Placed {
  readonly files: number
  readonly hadChanges: boolean
  /** Files that stayed as they are, because another program keeps changing them. */
  readonly left: readonly string[]
  readonly keys: number
  /** Locks, and whose they were. */
  readonly released: readonly string[]
}

/** How often a rollback begins again because another program keeps changing files. */
const mostAttempts = 3

type Of<Kind extends CheckpointStep['do']> = Extract<CheckpointStep, { readonly do: Kind }>
type Done = Promise<'lost' | Continued<CheckpointStep> | undefined>

const continueWith = (step: CheckpointStep): Continued<CheckpointStep> => ({ next: [step] })

export class CheckpointSteps implements Steps<CheckpointStep, string> {
  readonly #ports: CheckpointPorts
  readonly #work: WorkTree
  #isRepeat = false
  #attempt = 1
  #prepared: Prepared | undefined
  /** What a killed process left, once it was found. */
  recovered: RecoveredWork | undefined
  /** Why nothing was done, or nothing more. */
  failed: SignalboxError | undefined
  /** The first checkpoint that was made, and what a rollback did. */
  saved: Saved | undefined
  placed: Partial<Placed> = {}

  constructor(ports: CheckpointPorts, work: WorkTree) {
    this.#ports = ports
    this.#work = work
  }

  parse(values: readonly unknown[]): readonly CheckpointStep[] | undefined {
    const steps = values.map(stepFrom)
    return steps.every((step) => step !== undefined) ? steps : undefined
  }

  async beforeRepeat([step]: readonly CheckpointStep[]): Promise<void> {
    if (!step) return
    const { session, id, rollback } = step
    const commits = ['commit' in step ? step.commit : undefined, rollback?.commit]
    await this.#work.unlock(commits.filter((known) => known !== undefined))
    // A commit that is to be on the branch has the next index among the temporary files.
    if (!('branch' in step)) this.#work.tidyUp()
    this.#isRepeat = true
    const about = rollback ? { what: 'rollback' as const, id: rollback.to } : { what: 'checkpoint' as const, id }
    this.recovered = { outcome: 'undone', ...about, session }
  }

  async perform(step: CheckpointStep): Done {
    const isRepeat = this.#isRepeat
    this.#isRepeat = false
    // The journal has the intent of an earlier version by now.
    if (isRepeat) this.#work.clearIntent()
    switch (step.do) {
      case 'save':
        return isRepeat ? this.#afterCutOff(step) : this.#save(step)
      case 'keep':
        return this.#keep(step, isRepeat)
      case 'place':
        return this.#place(step)
      case 'restore':
        return this.#restore(step)
    }
  }

  recordsOf = (session: string): Records =>
    new Records(this.#ports.tree, childOf(this.#ports.recordsOf(session), this.#work.id))

  /** The first step of a checkpoint. Its id is never used again, even if the checkpoint is not made. */
  async begin(
    { session, ...record }: Pick<CheckpointRecord, 'name' | 'type' | 'by'> & { readonly session: string },
    rollback?: RollbackStep,
  ): Promise<CheckpointStep> {
    const at = await this.#ports.tree.now()
    const used = await this.#work.published(session)
    const id = await this.recordsOf(session).take({ ...record, at, state: 'taken' }, used.keys())
    return { do: 'save', session, id, name: record.name, ...(rollback ? { rollback } : {}) }
  }

  /** Begins one more checkpoint, of what another process has changed while a rollback is under way. */
  #saveMore = async ({ session, name }: CheckpointStep, rollback: Begun) =>
    continueWith(await this.begin({ session, name, type: 'auto', by: 'Signalbox' }, rollback))

  /** The killed process made no checkpoint. A rollback that had begun goes on from the first checkpoint that it made. */
  async #afterCutOff(step: Of<'save'>): Done {
    const { rollback } = step
    if (isBegun(rollback)) return continueWith(stepAfterKeeping(step, rollback, rollback.first.commit))
    await this.#tell(step.session, step.id)
    return 'lost'
  }

  async #save(step: Of<'save'>): Done {
    const { session, id, name, rollback } = step
    try {
      const saved = await this.#commit(step)
      this.saved ??= saved
      if (rollback && !rollback.isPlaced) {
        const prepared = await this.#prepare(rollback, saved.now, rollback.first?.commit ?? saved.commit)
        if ('changed' in prepared) {
          if (this.#isLast) throw noRest(prepared.changed)
          this.#attempt++
          this.#work.tidyUp()
          return continueWith(step)
        }
        this.#prepared = prepared
      }
      const { commit, branch } = saved
      return continueWith({
        do: 'keep',
        session,
        id,
        name,
        commit,
        ...(branch && { branch }),
        ...(rollback && { rollback }),
      })
    } catch (error) {
      // Once a file was overwritten, the next process has to finish the rollback. Before that, nothing has changed.
      if (isBegun(rollback) || !(error instanceof SignalboxError)) throw error
      return this.#fail(step, error)
    }
  }

  async #commit({ session, id, name, rollback }: Of<'save'>): Promise<Saved> {
    const state = await this.#ports.sessions.save(session)
    const target = rollback && { target: rollback.commit, isOnlyKept: true }
    return this.#work.save({
      message: commitMessageOf({ id, name }),
      state,
      at: await this.#ports.tree.now(),
      ...target,
    })
  }

  /** `first`: the checkpoint from before the first file was overwritten. The last attempt may leave files that keep changing. */
  #prepare(
    { commit, force, first: begun }: RollbackStep,
    now: Saved['now'],
    first: string,
  ): Promise<Prepared | Restless> {
    const leavesRestless = this.#isLast && (force === true || begun !== undefined)
    return this.#work.prepare(commit, now, first, { leavesRestless })
  }

  async #keep(step: Of<'keep'>, isRepeat: boolean): Done {
    const { session, id, name, commit, branch, rollback } = step
    const isKept =
      (branch === undefined || (await this.#work.putOnBranch(branch, commitMessageOf({ id, name }))) === 'done') &&
      (await this.#work.publish(session, id, commit)) === 'published'
    if (isKept) await this.recordsOf(session).markMade(id)
    else if (!isBegun(rollback)) return this.#fail(step, notKept(id))
    else if (!isRepeat) throw notKept(id)
    if (!rollback || (isRepeat && !isBegun(rollback))) {
      if (this.recovered && !rollback) this.recovered = { ...this.recovered, outcome: 'finished' }
      await this.#tell(session, id)
      return undefined
    }
    return continueWith(stepAfterKeeping(step, { ...rollback, first: rollback.first ?? { id, commit } }, commit))
  }

  async #place(step: Of<'place'>): Done {
    const { rollback } = step
    const prepared = this.#prepared ?? (await this.#prepareAgain(step))
    this.#prepared = undefined
    if (prepared && 'place' in prepared) {
      try {
        const left = await prepared.place(`rollback to ${rollback.to}`, { leavesRestless: this.#isLast })
        this.placed = { files: prepared.files, hadChanges: prepared.hadChanges, left }
        return continueWith({ ...step, do: 'restore', rollback: { ...rollback, isPlaced: true } })
      } catch (error) {
        const isMeanwhile = error instanceof SignalboxError && error.code === 'CHANGED_MEANWHILE'
        if (!isMeanwhile || this.#isLast) throw error
      }
    }
    if (prepared) this.#attempt++
    this.#work.tidyUp()
    return this.#saveMore(step, rollback)
  }

  /** For a rollback that was cut off. `undefined`: a file is as in neither of its two checkpoints, and must be saved first. */
  async #prepareAgain({ rollback }: Of<'place'>): Promise<Prepared | Restless | undefined> {
    const found = await this.#work.checkAgain(rollback.first.commit, rollback.commit)
    return found.isStrange ? undefined : this.#prepare(rollback, found, rollback.first.commit)
  }

  async #restore(step: Of<'restore'>): Done {
    const { session, commit, rollback } = step
    const { to, first } = rollback
    const { sessions, tree } = this.#ports
    const known = await Promise.all([rollback.commit, first.commit, commit].map((one) => this.#work.stateOf(one)))
    const restored = await sessions.restore(session, known[0]!, known)
    // A command that was on its way when the rollback began has changed the session: that is saved too.
    if (!restored) return this.#saveMore(step, rollback)
    this.placed = { ...this.placed, ...restored }
    const { left = [] } = this.placed
    if (this.recovered) this.recovered = { ...this.recovered, outcome: 'finished', ...(left.length > 0 && { left }) }
    await this.recordsOf(session).noteRollback({ to, saved: first.id, at: await tree.now() })
    await this.#tell(session, first.id, to)
    return undefined
  }

  async #tell(session: string, id: string, rolledBackTo?: string): Promise<void> {
    const record = await this.recordsOf(session).read(id)
    const done = { id, rolledBackTo, recovered: this.recovered, ...(record && { record }) }
    await this.#ports.sessions.tell?.(session, done)
  }

  /** Gives up before anything was changed. */
  async #fail({ session, id }: CheckpointStep, error: SignalboxError): Promise<'lost'> {
    this.failed = error
    this.#work.tidyUp()
    if (this.recovered) await this.#tell(session, id)
    return 'lost'
  }

  get #isLast(): boolean {
    return this.#attempt >= mostAttempts
  }
}

const isBegun = (rollback: RollbackStep | undefined): rollback is Begun => rollback?.first !== undefined

/** The step of a rollback after the present files were kept as a checkpoint. */
const stepAfterKeeping = ({ session, id, name }: CheckpointStep, rollback: Begun, commit: string): CheckpointStep => {
  return { do: rollback.isPlaced ? 'restore' : 'place', session, id, name, rollback, commit }
}

const notKept = (id: string) =>
  conflict('CHECKPOINT_NOT_KEPT', `The checkpoint ${id} could not be kept: somebody moved the branch meanwhile.`, {
    hint: 'Repeat the command.',
  })

function noRest(changed: readonly string[]): SignalboxError {
  const [first = 'a submodule', ...others] = changed.map(printableLine)
  const files = others.length === 0 ? first : `${first} and ${others.length} more`
  return conflict('CHANGED_MEANWHILE', `Somebody keeps changing ${files}, so the rollback did not begin.`, {
    hint: 'Repeat it when nobody writes there any more, name it in .gitignore, or leave it as it is: #ROLLBACK:<id>:force',
    details: { paths: changed.slice(0, mostNamed) },
  })
}

const mostNamed = 100
