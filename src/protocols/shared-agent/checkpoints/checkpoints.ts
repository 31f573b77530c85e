/** Checkpoints of a session and its files, and going back to them. How the core uses this: `ports.ts`. */
import { conflict, notFound } from '../../../kernel/errors.ts'
import { automaticName, manyFiles, riskOf } from './automatic.ts'
import { parseIntent } from './intent.ts'
import type { ChangesSince, CheckpointPorts, WorkTree } from './ports.ts'
import { type CheckpointRecord, checkName, checkType, numberFrom, recordFrom } from './record.ts'
import type { LastRollback } from './records.ts'
import { type Recovered, Steps } from './steps.ts'

export interface By {
  readonly session: string
  /** Who asks, for the record. */
  readonly by: string
}

export interface WithRecovered {
  /** Absent when there was nothing. */
  readonly recovered?: Recovered
}

export interface Created extends WithRecovered {
  readonly id: string
  readonly commit: string
  /** Repositories within this one, which are left alone. */
  readonly nested: readonly string[]
}

export interface Listed extends WithRecovered {
  /** The newest first. */
  readonly checkpoints: readonly (CheckpointRecord & { readonly commit: string })[]
  /** The tree's time. */
  readonly now: number
}

export interface Compared extends WithRecovered, ChangesSince {
  readonly id: string
}

export interface RolledBack extends WithRecovered {
  readonly id: string
  /** The checkpoint of what was there before. Rolling back to it brings everything back. */
  readonly saved: string
  readonly hadChanges: boolean
  readonly files: number
  /** What stayed as it is, since somebody keeps changing it. */
  readonly left: readonly string[]
  readonly keys: number
  /** Locks of the session, and whose they were. */
  readonly released: readonly string[]
  readonly nested: readonly string[]
}

export interface Status extends WithRecovered {
  readonly last: LastRollback | undefined
  readonly now: number
}

interface At {
  readonly work: WorkTree
  readonly steps: Steps
}

export class Checkpoints {
  readonly #ports: CheckpointPorts

  constructor(ports: CheckpointPorts) {
    this.#ports = ports
  }

  /** `#CHECKPOINT:create`. */
  async create({ session, by, type, name }: By & { readonly type: string; readonly name: string }): Promise<Created> {
    const making = { session, by, type: checkType(type), name: checkName(name) }
    return this.#inTurn(async ({ steps, work }, recovered) => {
      const { id, saved } = await steps.make(making)
      work.clearIntent()
      return { id, commit: saved.commit, nested: saved.nested, ...recovered }
    })
  }

  /** `#CHECKPOINT:list`. Only what git has; a record alone may be anybody's. */
  async list({ session }: Pick<By, 'session'>): Promise<Listed> {
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

  /**
   * Makes a checkpoint by itself, if what is about to be handed over is risky, or more than a few files have changed since the
   * last one. `undefined`: there is no reason.
   */
  async beforeTask(request: By & { readonly task: string; readonly priority?: string }): Promise<Created | undefined> {
    const { session, by } = request
    const risk = riskOf(request) ?? ((await this.#hasManyChanges(session)) ? 'change' : undefined)
    return risk && this.create({ session, by, type: 'auto', name: automaticName(risk) })
  }

  #hasManyChanges = (session: string): Promise<boolean> =>
    this.#inTurn(async (at) => {
      const [last] = await this.#all(at, session)
      return last !== undefined && (await at.work.changesSince(last.commit)).files.length > manyFiles
    })

  /** A commit that stands for where the files are: that of the newest checkpoint, else HEAD. For `git_checkpoint` of an export. */
  async reference({ session }: Pick<By, 'session'>): Promise<string | undefined> {
    return this.#inTurn(async (at) => (await this.#all(at, session))[0]?.commit ?? (await at.work.head()))
  }

  /** Whether the repository has a commit, which somebody else's export names. */
  knows = async (commit: string): Promise<boolean> => (await this.#ports.workTree()).knows(commit)

  /** What a killed process left half done, without doing anything about it; for `doctor`. */
  async pending(): Promise<Pick<Recovered, 'what' | 'id' | 'session'> | undefined> {
    const text = (await this.#ports.workTree()).readIntent()
    if (text === undefined) return undefined
    const { session, id, rollback } = parseIntent(text)
    return { what: rollback ? 'rollback' : 'checkpoint', id: rollback?.to ?? id, session }
  }

  /** `#ROLLBACK`. */
  async rollback(request: By & { readonly which: string; readonly force?: boolean }): Promise<RolledBack> {
    const { session, by, which, force = false } = request
    return this.#inTurn(async (at, recovered) => {
      const { id, commit } = await this.#find(at, session, which)
      await at.work.expectReady(commit, { force })
      const making = {
        session,
        by,
        type: 'auto' as const,
        name: `before_${id}`,
        rollback: { to: id, commit, ...(force ? { force } : {}) },
      }
      const { id: saved, saved: first, ...placed } = await at.steps.rollback(making)
      return { id, saved, nested: first.nested, ...placed, ...recovered }
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
  async recover(): Promise<Recovered | undefined> {
    return this.#inTurn(async (_, { recovered }) => recovered)
  }

  /** One at a time in a work tree: they share its files, its index and our own folder in its git directory. */
  async #inTurn<T>(verb: (at: At, recovered: WithRecovered) => Promise<T>): Promise<T> {
    const work = await this.#ports.workTree()
    return this.#ports.tree.exclusively(`checkpoints-${work.id}`, async () => {
      const steps = new Steps(this.#ports, work)
      const recovered = await steps.recover()
      const answer = await verb({ work, steps }, recovered ? { recovered } : {})
      work.tidyUp()
      return answer
    })
  }

  async #all({ work, steps }: At, session: string): Promise<(CheckpointRecord & { commit: string })[]> {
    const records = steps.recordsOf(session)
    const published = [...(await work.published(session))].filter(([id]) => numberFrom(id) !== undefined)
    published.sort(([a], [b]) => numberFrom(b)! - numberFrom(a)!)
    const all = await Promise.all(
      published.map(async ([id, kept]) => {
        // The commit says enough where the record is lost.
        const record = (await records.read(id)) ?? recordFrom(id, kept)
        return record?.state === 'made' ? [{ ...record, commit: kept.commit }] : []
      }),
    )
    return all.flat()
  }

  /** By id, or by a name that only one has. */
  async #find(at: At, session: string, which: string): Promise<CheckpointRecord & { commit: string }> {
    const all = await this.#all(at, session)
    const [found, ...others] = all.filter(({ id, name }) => id === which || name === which)
    if (!found) throw unknown(which)
    if (others.length > 0) throw ambiguous(which, [found, ...others])
    return found
  }
}

const unknown = (which: string) =>
  notFound('NO_SUCH_CHECKPOINT', `There is no checkpoint ${JSON.stringify(which.slice(0, 80))}.`, {
    hint: 'Look which there are: #CHECKPOINT:list',
  })

const ambiguous = (which: string, found: readonly CheckpointRecord[]) =>
  conflict('AMBIGUOUS_CHECKPOINT', `${found.length} checkpoints have the name ${JSON.stringify(which)}.`, {
    hint: `Name one by its id: ${found.map(({ id }) => id).join(', ')}`,
    details: { ids: found.map(({ id }) => id) },
  })
