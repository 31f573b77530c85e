/**
 * Turns and deeds. Whatever changes a task or a message takes the turn of it, first finishes what a killed process left there,
 * then writes down what it is going to do, does it step by step, tells it in `events.log` and forgets it. So every change is
 * whole in the end, wherever a process is killed.
 */
import { SignalboxError } from '../../../kernel/errors.ts'
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { expectKind } from '../../../messaging/inspection/expected.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import type { Durability } from '../../../tree/tree.ts'
import { type At, type Deed, parseDeed, printDeed, type Step, taskOf } from '../deed.ts'
import { parseMessage } from '../format.ts'
import {
  agentsPath,
  copiesPath,
  deedPath,
  eventsPath,
  handedPath,
  inboxPath,
  logsPath,
  newPath,
  subjectFrom,
  taskFiles,
  taskPath,
  tasksPath,
  unfinishedPath,
  workspacePath,
} from '../layout.ts'
import { type FileName, isFileName, isTaskId } from '../names.ts'
import type { CirceMessage } from '../schema.ts'
import { folderOf } from './agents.ts'
import { archiveTask, bringBack } from './archiving.ts'
import { writeAsked, writeLedger } from './book.ts'
import { handedOf, setMark } from './handed.ts'
import { appendEvent, isLogged } from './log.ts'
import { copyToLog, deliverCopies, moveMessage, settleMessage } from './moving.ts'
import { type CirceParts, type Subject, sameBytes, unlessOdd } from './parts.ts'
import { isFor, isFound, pathAt, readAt, type Spot } from './places.ts'
import { keepBadFile, removeOwner, unwriteOwner, writeOwner, writeTaskFiles } from './task-files.ts'

export type Committed =
  | { readonly outcome: 'done'; readonly durability: Durability }
  /** Somebody else was first. Everything is as if nobody had tried. */
  | { readonly outcome: 'lost' }

/** Whether to wait for another process that has the turn, though not for long. */
export interface Patience {
  readonly isPatient?: boolean
}

/** A deed that could not be finished, and why. */
export interface Stuck {
  readonly subject: Subject
  readonly error: SignalboxError
}

/** A deed may hold the text of a record; nothing in it is longer. */
const largestDeed = 1024 * 1024

export class Journal {
  readonly #parts: CirceParts
  /** The subjects whose last deed by this process may be unfinished. */
  readonly #failed = new Set<Subject>()

  constructor(parts: CirceParts) {
    this.#parts = parts
  }

  /**
   * Runs `work` in the turn of its subject, after what was left there has been finished. Turns do not nest. Who was asked for
   * something else is not patient.
   */
  async turn<T>(subject: Subject, work: () => Promise<T>, { isPatient = true }: Patience = {}): Promise<T> {
    const { tree, root, settings } = this.#parts
    let done: { readonly value: T } | undefined
    const inTurn = async () => {
      await this.#finish(subject)
      done = { value: await work() }
    }
    try {
      await tree.exclusively(`circe ${root} ${subject}`, inTurn, { waitMs: isPatient ? settings.turnMs : 0 })
    } catch (error) {
      // What was done is done, also where the turn could not be given back: an error would say that it was not.
      if (!done || !(error instanceof SignalboxError)) throw error
    }
    return done!.value
  }

  /** Runs `work` while no other process runs any under this name, which is no subject. */
  alone<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#parts.tree.exclusively(name, work, { waitMs: 0 })
  }

  /** Only in the turn of the subject. */
  async commit(subject: Subject, deed: Deed): Promise<Committed> {
    const { tree } = this.#parts
    const path = deedPath(subject)
    // A deed of this very turn that failed is still written down, and must not be written over.
    if (this.#failed.has(subject)) await this.#finish(subject)
    await expectPlaces(this.#parts, deed)
    this.#failed.add(subject)
    await changeLeaf(tree, path, () => Buffer.from(printDeed(deed)))
    const outcome = await this.#do(deed)
    let durability: Durability = 'process'
    if (outcome === 'done') for (const event of deed.events) durability = await appendEvent(this.#parts, event)
    await tree.remove(path)
    this.#failed.delete(subject)
    return outcome === 'done' ? { outcome, durability } : { outcome }
  }

  /**
   * What killed processes left, of whatever subject. One that cannot be finished now holds up nothing but its own subject; it
   * is answered with the reason. Not inside a turn.
   */
  async finishAll(): Promise<Stuck[]> {
    const stuck: Stuck[] = []
    for (const { name, kind } of (await unlessOdd(() => this.#parts.tree.list(unfinishedPath))) ?? []) {
      const subject = subjectFrom(name)
      if (kind !== 'leaf' || subject === undefined || !isSubject(subject)) continue
      const error = await this.apart(() => this.turn(subject, async () => {}, { isPatient: false }))
      // Whoever has the turn is at work on it.
      if (error && !isBusy(error)) stuck.push({ subject, error })
    }
    return stuck
  }

  /** Runs what is about one subject among many: what stops it is answered, so that the others go on. */
  async apart(work: () => Promise<unknown>): Promise<SignalboxError | undefined> {
    try {
      await work()
      return undefined
    } catch (error) {
      if (error instanceof SignalboxError) return error
      throw error
    }
  }

  async #finish(subject: Subject): Promise<void> {
    const { tree } = this.#parts
    const path = deedPath(subject)
    const leaf = await unlessOdd(() => tree.read(path, { atMost: largestDeed }))
    const deed = leaf && deedIn(leaf.bytes, subject)
    // What is no deed of ours is told by `inspect`; the next deed takes its place.
    if (!deed) return
    await this.#settleFolders(deed)
    if ((await this.#do(deed, { isRepeat: true })) === 'done') {
      for (const event of deed.events) if (!(await isLogged(this.#parts, event))) await appendEvent(this.#parts, event)
    }
    await tree.remove(path)
    this.#failed.delete(subject)
  }

  /**
   * Lists the folders that a deed takes files from. A move that failed half-way because of the disk is undone by that; until
   * then its file seems to be gone, and the step would count as done.
   */
  async #settleFolders({ steps }: Deed): Promise<void> {
    const { tree, root } = this.#parts
    const folders = new Set<TreePath>([newPath(root), tasksPath(root)])
    for (const step of steps) {
      if (step.do === 'deliver') folders.add(copiesPath(step.file))
      const agent = 'from' in step ? step.from.agent : 'agent' in step ? step.agent : undefined
      if (agent === undefined) continue
      const folder = await folderOf(this.#parts, agent)
      folders.add(inboxPath(root, folder)).add(workspacePath(root, folder)).add(handedPath(agent))
    }
    for (const folder of folders) await unlessOdd(() => tree.list(folder))
  }

  /** All steps in order. One that answers `lost` was won by somebody else: what was done before it is taken back. */
  async #do({ steps }: Deed, { isRepeat = false } = {}): Promise<'done' | 'lost'> {
    for (const [n, step] of steps.entries()) {
      if ((await this.#step(step, isRepeat)) !== 'lost') continue
      for (const done of steps.slice(0, n)) if (done.do === 'own') await this.#unown(done)
      return 'lost'
    }
    return 'done'
  }

  async #step(step: Step, isRepeat: boolean): Promise<unknown> {
    const parts = this.#parts
    switch (step.do) {
      case 'own': {
        const task = { id: step.task, owner: step.owner, claimedAt: step.at }
        return (await writeOwner(parts, task, step.before)) === 'lost' ? 'lost' : undefined
      }
      case 'disown':
        await parts.shelf.forget(parts)
        return removeOwner(parts, step.task, step.owner, step.at)
      case 'claim':
        return this.#travel(
          step.file,
          { place: 'new' },
          { place: 'inbox', agent: step.agent },
          (message) => isFor(message, step.agent) && message.task === step.task,
        )
      case 'start':
        return this.#travel(step.file, { place: 'inbox', agent: step.agent }, { place: 'workspace', agent: step.agent })
      case 'write':
        return writeTaskFiles(parts, step.task)
      case 'beside':
        return keepBadFile(parts, step.task, step.file, step.digest)
      case 'book':
        return writeLedger(parts, step.task, step.book, step.applied)
      case 'log':
        return copyToLog(parts, await this.#spot(step.from), step.file)
      case 'settle':
        return settleMessage(parts, await this.#spot(step.from), step.file, { task: step.task })
      case 'hand':
        return this.#hand(step, isRepeat)
      case 'unhand':
        await unlessOdd(() => parts.tree.remove(childOf(handedPath(step.agent), step.file)))
        return
      case 'archive':
        return archiveTask(parts, step.task)
      case 'back':
        return bringBack(parts, step.task, step.agent)
      case 'ask':
        return writeAsked(parts, step.file, step.asked)
      case 'deliver': {
        await deliverCopies(parts, step.file)
        // Left where it is, it would be brought to everybody once more.
        return settleMessage(parts, { place: 'new' }, step.file)
      }
    }
  }

  /** Whoever claimed it was killed, or got an error, before the answer: the same agent can claim it again. */
  async #hand({ agent, file, acked }: Extract<Step, { do: 'hand' }>, isRepeat: boolean): Promise<void> {
    if (acked) return setMark(this.#parts, agent, file, 'acknowledged')
    if (!isRepeat) return setMark(this.#parts, agent, file, 'claimed')
    if ((await handedOf(this.#parts, agent, file)) === 'acknowledged') return
    await unlessOdd(() => setMark(this.#parts, agent, file, 'waiting'))
  }

  #unown({ task, owner, at, before }: Extract<Step, { do: 'own' }>): Promise<void> {
    return unwriteOwner(this.#parts, { id: task, owner, claimedAt: at }, before)
  }

  /** A move that may have been made before: then the message lies at its target. */
  async #travel(
    file: FileName,
    from: At,
    to: At,
    isMeant: (message: CirceMessage) => boolean = () => true,
  ): Promise<'lost' | undefined> {
    const { tree, settings } = this.#parts
    const [spot, target] = [await this.#spot(from), await this.#spot(to)]
    const transition = to.place === 'inbox' ? 'claim' : 'start'
    // Judged when it has been won: another program may have put something else in its place.
    const change = (bytes: Uint8Array) => {
      const parsed = parseMessage(bytes, settings.furtherIntents)
      return parsed.outcome === 'message' && isMeant(parsed.message) ? bytes : undefined
    }
    const moved = await moveMessage(this.#parts, { spot, name: file, transition, to: to.agent! }, { change })
    if (moved.outcome === 'moved') return undefined
    const there = await unlessOdd(() => tree.read(pathAt(this.#parts, target, file)))
    if (there) {
      // Somebody copied it there, and did not move it: one of the two is enough.
      await tree.remove(pathAt(this.#parts, spot, file), { onlyIf: (bytes) => sameBytes(bytes, there.bytes) })
      return undefined
    }
    // Its agent may have gone on with it by hand, since a process was killed after the move.
    const next = { ...target, place: 'workspace' } as const
    return isFound(await readAt(this.#parts, next, file)) ? undefined : 'lost'
  }

  async #spot({ place, agent }: At): Promise<Spot> {
    return agent === undefined ? { place } : { place, agent, folder: await folderOf(this.#parts, agent) }
  }
}

/** Another process has the turn. */
export const isBusy = (error: SignalboxError): boolean => error.code === 'LOCK_BUSY'

function isSubject(name: string): name is Subject {
  if (name.startsWith('task.')) return isTaskId(name.slice(5))
  return name.startsWith('file.') && isFileName(name.slice(5))
}

/** A deed about something else than its subject would be done in nobody's turn. */
function deedIn(bytes: Uint8Array, subject: Subject): Deed | undefined {
  const deed = parseDeed(Buffer.from(bytes).toString('utf8'))
  const task = subject.startsWith('task.') ? subject.slice(5) : undefined
  return deed?.steps.every((step) => (taskOf(step) ?? task) === task) ? deed : undefined
}

/** What a deed writes to must be what it should be, before its first step: it could not be finished otherwise. */
async function expectPlaces(parts: CirceParts, { steps }: Deed): Promise<void> {
  const { tree, root } = parts
  const folders = new Set<TreePath>([logsPath(root)])
  const leaves = new Set<TreePath>([eventsPath(root)])
  for (const step of steps) {
    const task = taskOf(step)
    if (step.do === 'own' || step.do === 'write') {
      folders.add(tasksPath(root))
      for (const file of taskFiles) leaves.add(taskPath(root, task!, file))
    }
    if (step.do === 'claim' || step.do === 'start' || step.do === 'hand') {
      const folder = await folderOf(parts, step.agent)
      folders.add(childOf(agentsPath(root), folder))
      folders.add(inboxPath(root, folder))
      if (step.do === 'start') folders.add(workspacePath(root, folder))
      if (step.do === 'hand') {
        folders.add(handedPath(step.agent))
        leaves.add(childOf(handedPath(step.agent), step.file))
      }
    }
    if (step.do === 'back') folders.add(newPath(root))
  }
  await expectKind(tree, 'folder', folders)
  await expectKind(tree, 'leaf', leaves)
}

/** True for a leaf among the unfinished that no process of ours has written. */
export async function isStrange({ tree }: CirceParts, name: string): Promise<boolean> {
  const subject = subjectFrom(name)
  if (subject === undefined || !isSubject(subject)) return true
  try {
    const leaf = await tree.read(deedPath(subject), { atMost: largestDeed })
    return leaf !== undefined && deedIn(leaf.bytes, subject) === undefined
  } catch (error) {
    if (error instanceof SignalboxError) return true
    throw error
  }
}
