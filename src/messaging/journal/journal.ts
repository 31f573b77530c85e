/**
 * A change of several steps that is whole in the end, wherever its process is killed. The steps are written down as data in a
 * note, done one by one, and the note is removed. A process that takes the next turn of the same subject first does what the
 * note still asks for, and `finishAll` does it for all subjects. So every step must be fit to be done twice.
 *
 * A step may find that another process was first ('lost'): the steps before it are undone, as if the change had never begun.
 *
 * The note of a subject is `{subject}.json` in a folder of the protocol's: {"steps": [{"do": "…", …}, …]}.
 */
import { SignalboxError } from '../../kernel/errors.ts'
import { childOf, isSegment, type TreePath } from '../../kernel/tree-path.ts'
import type { Durability, Tree } from '../../tree/tree.ts'
import { changeLeaf } from '../leaves/change.ts'
import { listIfFolder, readIfLeaf } from '../leaves/tolerant.ts'

/** Plain data: it is written down as JSON. */
export interface Step {
  readonly do: string
}

/** A step can decide by what it found how the change goes on: these steps replace it and all after it. */
export interface Continued<S extends Step> {
  readonly next: readonly S[]
}

/** How the steps of one protocol are read, done and undone. */
export interface Steps<S extends Step, Subject extends string> {
  /**
   * The steps of a note, or `undefined` if we would never have written them about this subject: a stranger may have put the
   * note there, and steps about another subject would run without its turn.
   */
  parse(steps: readonly unknown[], subject: Subject): readonly S[] | undefined
  /** `isRepeat`: a process that was killed, or got an error, may have done it already. */
  perform(step: S, isRepeat: boolean): Promise<'lost' | Durability | Continued<S> | undefined>
  /** Takes back a step that was done, or perhaps done, before one that was lost. */
  undo?(step: S): Promise<unknown>
  /** Called once before steps are repeated. */
  beforeRepeat?(steps: readonly S[]): Promise<unknown>
}

interface JournalOptions<Subject extends string> {
  readonly folder: TreePath
  readonly isSubject: (name: string) => name is Subject
  /** The name of the turn that a change of a subject is made in. */
  readonly turnOf: (subject: Subject) => string
  /**
   * Steps are noted also where the engine has transactions: because they act on more than the tree, or are too many for one
   * transaction.
   */
  readonly alwaysNoted?: boolean
  /** The steps of a note, for a protocol whose earlier versions wrote more than these into it. */
  readonly stepsIn?: (note: Readonly<Record<string, unknown>>) => unknown
  /** In bytes, for a protocol whose notes can hold more than the text of a record. */
  readonly largestNote?: number
}

export type Committed =
  /** `durability`: of the last step that tells one. */
  { readonly outcome: 'done'; readonly durability: Durability } | { readonly outcome: 'lost' }

/** A change that could not be finished, and why. */
export interface Stuck<Subject extends string> {
  readonly subject: Subject
  readonly error: SignalboxError
}

/** A note may hold the text of a record; nothing in it is longer. */
const usualLargestNote = 1024 * 1024

export class Journal<S extends Step, Subject extends string> {
  readonly #tree: Tree
  readonly #steps: Steps<S, Subject>
  readonly #options: JournalOptions<Subject>
  /** The subjects whose last change by this process may be unfinished. */
  readonly #failed = new Set<Subject>()

  constructor(tree: Tree, steps: Steps<S, Subject>, options: JournalOptions<Subject>) {
    this.#tree = tree
    this.#steps = steps
    this.#options = options
  }

  /**
   * Runs `work` while no other process changes this subject, after what was left there has been finished. Turns do not nest.
   * On an engine that has transactions all of it is one, in which no note is left (see `TurnOptions.mayRepeat`): so `work`
   * acts on nothing but the tree, unless the journal says `alwaysNoted`.
   * `waitMs`: how long to wait for a process that has the turn, see `Tree.exclusively`.
   */
  async turn<T>(subject: Subject, work: () => Promise<T>, options: { readonly waitMs?: number } = {}): Promise<T> {
    const inTurn = async () => {
      await this.#finish(subject)
      return work()
    }
    const mayRepeat = !this.#options.alwaysNoted
    return this.#tree.exclusively(this.#options.turnOf(subject), inTurn, { ...options, mayRepeat })
  }

  /** Does the steps. Only in the turn of the subject. */
  async commit(subject: Subject, steps: readonly S[]): Promise<Committed> {
    // A note of this very turn whose steps failed must not be overwritten.
    if (this.#failed.has(subject)) await this.#finish(subject)
    this.#failed.add(subject)
    await this.#write(subject, steps)
    const committed = await this.#perform(subject, steps, false)
    await this.#forget(subject)
    return committed
  }

  /**
   * Finishes what killed processes left, of whatever subject. A change that cannot be finished now holds up its own subject
   * alone, and is answered with the reason; one that another process is at work on is left to it. Not inside a turn.
   */
  async finishAll(): Promise<Stuck<Subject>[]> {
    const stuck: Stuck<Subject>[] = []
    for (const { subject } of await this.notes()) {
      if (subject === undefined) continue
      try {
        await this.turn(subject, async () => {}, { waitMs: 0 })
      } catch (error) {
        if (!(error instanceof SignalboxError)) throw error
        if (!isBusy(error)) stuck.push({ subject, error })
      }
    }
    return stuck
  }

  /**
   * Everything in the folder of notes. With a subject: a note of a process that is at work or was killed. Without one: a file
   * that no process of ours wrote.
   */
  async notes(): Promise<{ readonly path: TreePath; readonly subject: Subject | undefined }[]> {
    const { folder, isSubject } = this.#options
    const notes: { path: TreePath; subject: Subject | undefined }[] = []
    for (const { name, kind } of await listIfFolder(this.#tree, folder)) {
      const subject = kind === 'leaf' && name.endsWith(ending) ? name.slice(0, -ending.length) : ''
      const isOurs = isSegment(name) && isSubject(subject) && (await this.#read(subject)) !== 'strange'
      notes.push({ path: isSegment(name) ? childOf(folder, name) : folder, subject: isOurs ? subject : undefined })
    }
    return notes
  }

  /** The steps that a process is at work on, or left when it was killed. Does none of them. */
  async unfinished(subject: Subject): Promise<readonly S[] | undefined> {
    const steps = await this.#read(subject)
    return steps === 'strange' ? undefined : steps
  }

  /** First in every turn. A note that is not ours is left alone; `notes` reports it, and the next change overwrites it. */
  async #finish(subject: Subject): Promise<void> {
    const steps = await this.unfinished(subject)
    if (!steps) return
    await this.#steps.beforeRepeat?.(steps)
    await this.#perform(subject, steps, true)
    await this.#forget(subject)
  }

  async #read(subject: Subject): Promise<readonly S[] | 'strange' | undefined> {
    const { stepsIn = (note) => note.steps, largestNote = usualLargestNote } = this.#options
    const leaf = await readIfLeaf(this.#tree, this.#noteOf(subject), { atMost: largestNote + 1 })
    if (!leaf) return undefined
    if (leaf.size > largestNote) return 'strange'
    try {
      const steps = stepsIn(JSON.parse(Buffer.from(leaf.bytes).toString('utf8')))
      return (Array.isArray(steps) ? this.#steps.parse(steps, subject) : undefined) ?? 'strange'
    } catch {
      // Not JSON, nested too deeply, or nothing that has steps.
      return 'strange'
    }
  }

  async #perform(subject: Subject, written: readonly S[], isRepeat: boolean): Promise<Committed> {
    let durability: Durability = 'process'
    let [steps, isNew] = [written, !isRepeat]
    for (let n = 0; n < steps.length; ) {
      const did = await this.#steps.perform(steps[n]!, !isNew)
      if (did === 'lost') {
        for (const done of steps.slice(0, n).reverse()) await this.#steps.undo?.(done)
        return { outcome: 'lost' }
      }
      if (typeof did === 'object') {
        ;[steps, isNew] = [[...steps.slice(0, n), ...did.next], true]
        await this.#write(subject, steps)
      } else {
        durability = did ?? durability
        n++
      }
    }
    return { outcome: 'done', durability }
  }

  async #write(subject: Subject, steps: readonly S[]): Promise<void> {
    await changeLeaf(this.#tree, this.#noteOf(subject), () => Buffer.from(`${JSON.stringify({ steps })}\n`))
  }

  async #forget(subject: Subject): Promise<void> {
    await this.#tree.remove(this.#noteOf(subject))
    this.#failed.delete(subject)
  }

  #noteOf(subject: Subject): TreePath {
    return childOf(this.#options.folder, `${subject}${ending}`)
  }
}

const ending = '.json'

/** Another process has the turn. */
export const isBusy = (error: SignalboxError): boolean => error.code === 'LOCK_BUSY'
