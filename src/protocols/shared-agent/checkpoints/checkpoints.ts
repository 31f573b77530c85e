/** Checkpoints of a session and its files, and going back to them. How the core uses this: `ports.ts`. */
import { conflict, corrupt, notFound, SignalboxError } from '../../../kernel/errors.ts'
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import type { unfinishedChanges } from '../../../messaging/inspection/changes.ts'
import { Journal } from '../../../messaging/journal/journal.ts'
import type { ChangesSince, CheckpointPorts, WorkTree } from './ports.ts'
import { type CheckpointRecord, checkName, checkType, type LastRollback, numberFrom, recordFrom } from './record.ts'
import { type CheckpointStep, readEarlier } from './step.ts'
import { CheckpointSteps, type Placed, type RecoveredWork } from './steps.ts'

export interface By {
  readonly session: string
  /** Who asks, for the record. */
  readonly by: string
}

export interface WithRecovered {
  /** Absent when there was nothing. */
  readonly recovered?: RecoveredWork
}

export interface Created extends WithRecovered, Pick<ChangesSince, 'nested'> {
  readonly id: string
  readonly commit: string
}

export interface ListedCheckpoints extends WithRecovered {
  /** The newest first. */
  readonly checkpoints: readonly (CheckpointRecord & { readonly commit: string })[]
  /** The tree's time. */
  readonly now: number
}

export interface Compared extends WithRecovered, ChangesSince {
  readonly id: string
}

export interface RolledBack extends WithRecovered, Placed, Pick<ChangesSince, 'nested'> {
  readonly id: string
  /** The checkpoint of what was there before. Rolling back to it brings everything back. */
  readonly saved: string
}

export interface Status extends WithRecovered {
  readonly last: LastRollback | undefined
  readonly now: number
}

interface At {
  readonly work: WorkTree
  readonly steps: CheckpointSteps
}

export class Checkpoints {
  readonly #ports: CheckpointPorts

  constructor(ports: CheckpointPorts) {
    this.#ports = ports
  }

  /** `#CHECKPOINT:create`. */
  async create({ session, by, type, name }: By & { readonly type: string; readonly name: string }): Promise<Created> {
    const making = { session, by, type: checkType(type), name: checkName(name) }
    return this.#inTurn(async (at, recovered) => {
      const step = await at.steps.begin(making)
      await this.#commit(at, step)
      const { commit, nested } = at.steps.saved!
      return { id: step.id, commit, nested, ...recovered }
    })
  }

  /** `#CHECKPOINT:list`. Only checkpoints that git has: another program may have written a record. */
  async list({ session }: Pick<By, 'session'>): Promise<ListedCheckpoints> {
    return this.#inTurn(async (at, recovered) => {
      const checkpoints = await this.#all(at, session)
      return { checkpoints, now: await this.#ports.tree.now(), ...recovered }
    })
  }

  /** `#CHECKPOINT:diff` and `#ROLLBACK:dry-run`: what has changed since. Changes nothing. */
  async compare({ session, which }: Pick<By, 'session'> & { readonly which: string }): Promise<Compared> {
    return this.#inTurn(async (at, recovered) => {
      const { id, commit } = await this.#find(at, session, which)
      return { id, ...(await at.work.changesSince(commit)), ...recovered }
    })
  }

  /** Makes a checkpoint by itself before a risky task, or if many files have changed since the last one; else `undefined`. */
  async beforeTask(request: By & { readonly task: string; readonly priority?: string }): Promise<Created | undefined> {
    const { session, by } = request
    const hasManyChanges = () =>
      this.#inTurn(async (at) => {
        const [last] = await this.#all(at, session)
        return last !== undefined && (await at.work.changesSince(last.commit)).files.length > manyFiles
      })
    const risk = riskOf(request) ?? ((await hasManyChanges()) ? 'change' : undefined)
    return risk && this.create({ session, by, type: 'auto', name: automaticName(risk) })
  }

  /** The commit of the newest checkpoint, else HEAD. For `git_checkpoint` of an export. */
  async reference({ session }: Pick<By, 'session'>): Promise<string | undefined> {
    return this.#inTurn(async (at) => (await this.#all(at, session))[0]?.commit ?? (await at.work.head()))
  }

  /** Whether the repository has a commit that an exported context names. */
  knows = async (commit: string): Promise<boolean> => (await this.#ports.workTree()).knows(commit)

  /** Unfinished changes of this work tree, and how to finish them; for `doctor`. Those of other work trees are left out. */
  async changes(): Promise<Parameters<typeof unfinishedChanges>[1]> {
    const work = await this.#ports.workTree()
    const journal = this.#journal(work, new CheckpointSteps(this.#ports, work))
    const own = childOf(this.#ports.notes, `${work.id}.json`)
    const isOfAnother = (path: TreePath) => path !== own && /\/[0-9a-f]{8}\.json$/.test(path)
    return {
      notes: async () => {
        const notes = (await journal.notes()).filter(({ path, subject }) => subject || !isOfAnother(path))
        const hasEarlier = expectOurs(readEarlier(work)) && !notes.some(({ subject }) => subject === work.id)
        return hasEarlier ? [...notes, { path: own, subject: work.id }] : notes
      },
      finishAll: async () => {
        try {
          await this.recover()
          return []
        } catch (error) {
          if (error instanceof SignalboxError) return [{ subject: work.id, error }]
          throw error
        }
      },
    }
  }

  /** `#ROLLBACK`. */
  async rollback(request: By & { readonly which: string; readonly force?: boolean }): Promise<RolledBack> {
    const { session, by, which, force = false } = request
    return this.#inTurn(async (at, recovered) => {
      const { id, commit } = await this.#find(at, session, which)
      await at.work.expectReady(commit, { force })
      // Before anything changes: a state that cannot be put back would leave the rollback half done for good.
      await this.#ports.sessions.check?.(session, await at.work.stateOf(commit))
      const making = { session, by, type: 'auto', name: `before_${id}` } as const
      const step = await at.steps.begin(making, { to: id, commit, ...(force ? { force } : {}) })
      await this.#commit(at, step)
      const { saved, placed } = at.steps
      return { id, saved: step.id, nested: saved!.nested, ...(placed as Placed), ...recovered }
    })
  }

  /** `#ROLLBACK:status`. */
  async status({ session }: Pick<By, 'session'>): Promise<Status> {
    return this.#inTurn(async ({ steps }, recovered) => ({
      last: await steps.recordsOf(session).lastRollback(),
      now: await this.#ports.tree.now(),
      ...recovered,
    }))
  }

  /** Finishes or undoes what a killed process left. Every other verb does this first. */
  async recover(): Promise<RecoveredWork | undefined> {
    return this.#inTurn(async (_, { recovered }) => recovered)
  }

  /** One verb at a time in a work tree: all share its files, its index and our own folder in its git directory. */
  async #inTurn<T>(verb: (at: At, recovered: WithRecovered) => Promise<T>): Promise<T> {
    const work = await this.#ports.workTree()
    const found = new CheckpointSteps(this.#ports, work)
    const journal = this.#journal(work, found)
    return journal.turn(work.id, async () => {
      const earlier = expectOurs(readEarlier(work))
      if (earlier) {
        await found.beforeRepeat([earlier])
        await journal.commit(work.id, [earlier])
      }
      work.tidyUp()
      const { recovered } = found
      const at = { work, steps: new CheckpointSteps(this.#ports, work) }
      const answer = await verb(at, recovered ? { recovered } : {})
      work.tidyUp()
      return answer
    })
  }

  /** Only while holding the lock of the work tree. */
  async #commit({ work, steps }: At, step: CheckpointStep): Promise<void> {
    const { outcome } = await this.#journal(work, steps).commit(work.id, [step])
    if (outcome === 'lost') throw steps.failed!
  }

  #journal = (work: WorkTree, steps: CheckpointSteps): Journal<CheckpointStep, string> =>
    new Journal(this.#ports.tree, steps, {
      folder: this.#ports.notes,
      isSubject: (name): name is string => name === work.id,
      turnOf: (id) => `checkpoints-${id}`,
      alwaysNoted: true,
    })

  async #all({ work, steps }: At, session: string): Promise<ListedCheckpoints['checkpoints']> {
    const found: ListedCheckpoints['checkpoints'][number][] = []
    for (const [id, kept] of await work.published(session)) {
      if (numberFrom(id) === undefined) continue
      // The commit says enough where the record is lost.
      const record = (await steps.recordsOf(session).read(id)) ?? recordFrom(id, kept)
      if (record?.state === 'made') found.push({ ...record, commit: kept.commit })
    }
    return found.sort((a, b) => numberFrom(b.id)! - numberFrom(a.id)!)
  }

  /** By id, or by a name that only one has. */
  async #find(at: At, session: string, which: string): Promise<CheckpointRecord & { commit: string }> {
    const all = await this.#all(at, session)
    const [found, ...others] = all.filter(({ id, name }) => id === which || name === which)
    if (!found)
      throw notFound('NO_SUCH_CHECKPOINT', `There is no checkpoint ${JSON.stringify(which.slice(0, 80))}.`, {
        hint: 'Look which there are: #CHECKPOINT:list',
      })
    if (others.length === 0) return found
    const ids = [found, ...others].map(({ id }) => id)
    throw conflict('AMBIGUOUS_CHECKPOINT', `${ids.length} checkpoints have the name ${JSON.stringify(which)}.`, {
      hint: `Name one by its id: ${ids.join(', ')}`,
      details: { ids },
    })
  }
}

function expectOurs(step: CheckpointStep | 'strange' | undefined): CheckpointStep | undefined {
  if (step !== 'strange') return step
  throw corrupt('BAD_INTENT', 'What was under way in this repository cannot be read: .git/signalbox/*/intent.', {
    hint: 'Remove that file, then look at the files and at `#CHECKPOINT:list`.',
  })
}

/** Why work is risky enough to make a checkpoint before it. Shared Agent Protocol, Checkpoint Types. */
type Risk = 'delegation' | 'deploy' | 'delete' | 'change'

/** When more files than this have changed since the last checkpoint, another one is made. */
export const manyFiles = 5

const riskyWords: readonly (readonly [Risk, RegExp])[] = [
  ['deploy', /^(deploy(s|ed|ing|ment)?|redeploy|rollout|release)$/],
  ['delete', /^(delet(e|es|ed|ing|ion)|remov(e|es|ed|ing|al)|drop|purge|wipe|erase|rm|truncate)$/],
]

/** Why a checkpoint is made before a task is handed over; `undefined` for ordinary work. */
export function riskOf({ task, priority }: { readonly task: string; readonly priority?: string }): Risk | undefined {
  if (priority === 'P0') return 'delegation'
  const words = task.toLowerCase().split(/[^a-z0-9]+/)
  return riskyWords.find(([, pattern]) => words.some((word) => pattern.test(word)))?.[0]
}

/** The name of a checkpoint that is made because of a risk. */
export const automaticName = (risk: Risk): string => (risk === 'change' ? 'many_changes' : `before_${risk}`)
