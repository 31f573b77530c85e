/**
 * The steps of checkpoints and rollbacks in one work tree, each of which the next process can repeat. Only in the turn of that work
 * tree.
 */
import { conflict, SignalboxError } from '../../../kernel/errors.ts'
import { printableLine } from '../../../kernel/printable.ts'
import { childOf } from '../../../kernel/tree-path.ts'
import { type Intent, parseIntent, printIntent, type RollbackStep, type SavedFirst } from './intent.ts'
import type { CheckpointPorts, Restless, Rollback, Saved, WorkTree } from './ports.ts'
import { type CheckpointType, messageOf } from './record.ts'
import { Records } from './records.ts'

/** What a killed process had left half done, and what became of it. */
export interface Recovered {
  readonly outcome: 'finished' | 'undone'
  readonly what: 'checkpoint' | 'rollback'
  /** Of the checkpoint that was being made, or that was being rolled back to. */
  readonly id: string
  readonly session: string
  /** What a rollback left as it is, since somebody keeps changing it. */
  readonly left?: readonly string[]
}

/** How often a rollback begins again because somebody keeps changing files. */
const mostAttempts = 3

export interface Making {
  readonly session: string
  readonly by: string
  readonly type: CheckpointType
  readonly name: string
  readonly rollback?: RollbackStep
}

export interface Made {
  readonly id: string
  readonly saved: Saved
}

export interface Placed {
  readonly files: number
  readonly hadChanges: boolean
  /** What stayed as it is, since somebody keeps changing it. */
  readonly left: readonly string[]
  readonly keys: number
  /** Locks, and whose they were. */
  readonly released: readonly string[]
}

/** Files that are in place, for a session that is not yet. */
interface PlacedFiles extends Omit<Placed, 'keys' | 'released'> {
  /** The checkpoint of what was there when the first file gave way, and that of what was there last. */
  readonly first: MadeFirst
  readonly last: string
  readonly rollback: RollbackStep
}

interface MadeFirst {
  readonly id: string
  readonly saved: Pick<Saved, 'commit' | 'now'>
}

export class Steps {
  readonly #ports: CheckpointPorts
  readonly #work: WorkTree

  constructor(ports: CheckpointPorts, work: WorkTree) {
    this.#ports = ports
    this.#work = work
  }

  recordsOf = (session: string): Records =>
    new Records(this.#ports.tree, childOf(this.#ports.recordsOf(session), this.#work.id))

  /** Finishes or undoes what a killed process left. */
  async recover(): Promise<Recovered | undefined> {
    const text = this.#work.readIntent()
    if (text === undefined) {
      this.#work.tidyUp()
      return undefined
    }
    const intent = parseIntent(text)
    const { session, id, commit, rollback } = intent
    await this.#work.unlock([commit, rollback?.commit].filter((known) => known !== undefined))
    const placing = rollback?.placing
    if (placing) {
      // Killed while it saved what somebody had changed meanwhile: that checkpoint comes first.
      if (id !== placing.id) await this.#complete(intent)
      this.#work.tidyUp()
      const making = { session, by: 'Signalbox', type: 'auto', name: `before_${rollback.to}`, rollback } as const
      const left = await this.#finish(making, placing)
      return { outcome: 'finished', what: 'rollback', id: rollback.to, session, ...(left.length > 0 ? { left } : {}) }
    }
    const outcome = await this.#complete(intent)
    this.#work.clearIntent()
    this.#work.tidyUp()
    return rollback
      ? { outcome: 'undone', what: 'rollback', id: rollback.to, session }
      : { outcome, what: 'checkpoint', id, session }
  }

  /** Goes on with a rollback that was cut off. What is in neither of its two checkpoints is saved before it gives way. */
  async #finish(
    making: Making & { readonly rollback: RollbackStep },
    { id, commit }: SavedFirst,
  ): Promise<readonly string[]> {
    const { rollback } = making
    const hasOtherState = await this.#hasOtherState(making.session, [commit, rollback.commit])
    if (rollback.isPlaced) {
      const last = hasOtherState ? (await this.make(making)).saved.commit : commit
      await this.#conclude(making, id, [commit, last])
      return []
    }
    const found = await this.#work.checkAgain(commit, rollback.commit)
    const isStrange = found.isStrange || hasOtherState
    const first = isStrange ? await this.make(making) : { id, saved: { commit, now: found } }
    const { last, left, rollback: placed } = await this.#placeAll(making, first, commit)
    await this.#conclude({ ...making, rollback: placed }, id, [commit, last])
    return left
  }

  async #hasOtherState(session: string, commits: readonly string[]): Promise<boolean> {
    const state = await this.#ports.sessions.save(session)
    const known = await Promise.all(commits.map((commit) => this.#work.stateOf(commit)))
    return !known.some((bytes) => Buffer.compare(bytes, state) === 0)
  }

  /** Saves what is there, then brings back the checkpoint. `id`: that of what was there. */
  async rollback(making: Making & { readonly rollback: RollbackStep }): Promise<Made & Placed> {
    const { sessions } = this.#ports
    // Before anything changes: a state that cannot be put back would leave the rollback half done for good.
    await sessions.check?.(making.session, await this.#work.stateOf(making.rollback.commit))
    const made = await this.make(making)
    const { files, hadChanges, left, first, last, rollback } = await this.#placeAll(making, made)
    const restored = await this.#conclude({ ...making, rollback }, first.id, [first.saved.commit, last])
    return { id: first.id, saved: made.saved, files, hadChanges, left, ...restored }
  }

  /** Makes a checkpoint. The intent stays, for the caller to go on with or to clear. */
  async make({ session, by, type, name, rollback }: Making): Promise<Made> {
    const at = await this.#ports.tree.now()
    const records = this.recordsOf(session)
    const used = await this.#work.published(session)
    const step = rollback && { rollback }
    let id: string
    do {
      id = await records.nextId(used.keys())
      this.#work.writeIntent(printIntent({ session, id, name, ...step }))
    } while (!(await records.take({ id, name, type, by, at, state: 'taken' })))
    const saved = await this.#save({ session, id, name, ...step }).catch(async (error: unknown) => {
      // Nothing was changed so far. Not after a kill: then the intent tells the next process to do this.
      await records.mark(id, 'undone')
      this.#giveUp({ session, name }, rollback)
      throw error
    })
    const branch = saved.branch && { branch: saved.branch }
    const intent: Intent = { session, id, name, commit: saved.commit, ...branch, ...step }
    this.#work.writeIntent(printIntent(intent))
    if ((await this.#complete(intent)) === 'finished') return { id, saved }
    this.#giveUp({ session, name }, rollback)
    throw notKept(id)
  }

  async #save({ session, id, name, rollback }: Intent): Promise<Saved> {
    const state = await this.#ports.sessions.save(session)
    const target = rollback && { target: rollback.commit, isOnlyKept: true }
    return this.#work.save({ message: messageOf({ id, name }), state, at: await this.#ports.tree.now(), ...target })
  }

  /** A rollback whose files are being put in place goes on all the same; anything else is over. */
  #giveUp(intent: Pick<Intent, 'session' | 'name'>, rollback: RollbackStep | undefined): void {
    if (rollback?.placing) this.#work.writeIntent(printIntent({ ...intent, ...rollback.placing, rollback }))
    else this.#work.clearIntent()
    this.#work.tidyUp()
  }

  /** The steps after the commit, which the next process can repeat. */
  async #complete(intent: Intent): Promise<'finished' | 'undone'> {
    const { session, id, name, commit, branch } = intent
    const records = this.recordsOf(session)
    const isMade =
      commit !== undefined &&
      (branch === undefined || (await this.#work.putOnBranch(branch, messageOf({ id, name }))) === 'done') &&
      (await this.#work.publish(session, id, commit)) === 'published'
    await records.mark(id, isMade ? 'made' : 'undone')
    return isMade ? 'finished' : 'undone'
  }

  /**
   * Puts the files in place. When somebody changes some meanwhile, that is saved too, and it begins again. In the last attempt what
   * does not stand still stays as it is, if it was asked for by force, or if other files have given way already. `before`: the
   * checkpoint of what was there when the first file gave way, if one has.
   */
  async #placeAll(making: Making, made: MadeFirst, before?: string): Promise<PlacedFiles> {
    const { session, name } = making
    let first = made
    let { id, saved } = made
    let rollback = making.rollback!
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === mostAttempts
      const leavesRestless = isLast && (rollback.force === true || rollback.placing !== undefined)
      const prepared = await this.#prepare(session, id, rollback, saved, before ?? first.saved.commit, leavesRestless)
      if ('place' in prepared) {
        rollback = { ...rollback, placing: { id, commit: saved.commit } }
        this.#work.writeIntent(printIntent({ session, id, name, commit: saved.commit, rollback }))
        try {
          const left = await prepared.place(`rollback to ${rollback.to}`, { leavesRestless: isLast })
          rollback = { ...rollback, isPlaced: true }
          this.#work.writeIntent(printIntent({ session, id, name, commit: saved.commit, rollback }))
          const { files, hadChanges } = prepared
          return { files, hadChanges, left, first, last: saved.commit, rollback }
        } catch (error) {
          const isMeanwhile = error instanceof SignalboxError && error.code === 'CHANGED_MEANWHILE'
          if (!isMeanwhile || isLast) throw error
        }
      } else {
        // Nothing has given way, so that nobody needs this checkpoint: the next attempt makes another one.
        if (!rollback.placing) await this.#withdraw(session, id, saved.commit)
        if (isLast) {
          this.#work.clearIntent()
          throw noRest(prepared.changed)
        }
      }
      this.#work.tidyUp()
      const again = await this.make({ ...making, rollback })
      if (!rollback.placing) first = again
      ;({ id, saved } = again)
    }
  }

  async #prepare(
    session: string,
    id: string,
    rollback: RollbackStep,
    { commit, now }: Pick<Saved, 'commit' | 'now'>,
    before: string,
    leavesRestless: boolean,
  ): Promise<Rollback | Restless> {
    try {
      return await this.#work.prepare(rollback.commit, now, before, { leavesRestless })
    } catch (error) {
      // Nothing was changed so far, so there is nothing to finish.
      if (!rollback.placing) {
        await this.#withdraw(session, id, commit)
        this.#work.clearIntent()
      }
      throw error
    }
  }

  /** A kill in between leaves the checkpoint: the intent tells the next process to complete it. */
  async #withdraw(session: string, id: string, commit: string): Promise<void> {
    await this.#work.withdraw(session, id, commit)
    await this.recordsOf(session).mark(id, 'undone')
  }

  /** `commits`: the checkpoints that have what was there. */
  async #conclude(
    making: Making,
    saved: string,
    commits: readonly string[],
  ): Promise<Pick<Placed, 'keys' | 'released'>> {
    const { sessions, tree } = this.#ports
    const { session, rollback } = making
    const state = await this.#work.stateOf(rollback!.commit)
    const known = [state, ...(await Promise.all([...new Set(commits)].map((commit) => this.#work.stateOf(commit))))]
    let restored = await sessions.restore(session, state, known)
    while (!restored) {
      // A command that was on its way when the rollback began has changed the session: that is saved too.
      const { commit } = (await this.make(making)).saved
      known.push(await this.#work.stateOf(commit))
      restored = await sessions.restore(session, state, known)
    }
    await this.recordsOf(session).noteRollback({ to: rollback!.to, saved, at: await tree.now() })
    this.#work.clearIntent()
    return restored
  }
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
