/**
 * Changes of a task or of a message. Each is made in the turn of its subject by the journal of messaging, which finishes what a
 * killed process left there; what the steps are, how they are repeated and which can be undone is said here.
 */
import { SignalboxError } from '../../../kernel/errors.ts'
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { expectKind } from '../../../messaging/inspection/expected.ts'
import {
  Journal as Changes,
  type Committed,
  type Steps,
  type Stuck as StuckChange,
} from '../../../messaging/journal/journal.ts'
import type { Durability } from '../../../tree/tree.ts'
import { type At, type Deed, parseSteps, type Step, taskOf } from '../deed.ts'
import { parseMessage } from '../format.ts'
import {
  agentsPath,
  copiesPath,
  eventsPath,
  handedPath,
  inboxPath,
  logsPath,
  newPath,
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

/** Whether to wait for another process that has the turn, though not for long. */
export interface Patience {
  readonly isPatient?: boolean
}

export type Stuck = StuckChange<Subject>

export class Journal {
  readonly #parts: CirceParts
  readonly #changes: Changes<Step, Subject>

  constructor(parts: CirceParts) {
    this.#parts = parts
    this.#changes = new Changes<Step, Subject>(parts.tree, new CirceSteps(parts), {
      folder: unfinishedPath,
      isSubject,
      turnOf: (subject) => `circe ${parts.root} ${subject}`,
      stepsIn,
    })
  }

  /** See `messaging/journal`. Who was asked for something else is not patient. */
  turn<T>(subject: Subject, work: () => Promise<T>, { isPatient = true }: Patience = {}): Promise<T> {
    return this.#changes.turn(subject, work, { waitMs: isPatient ? this.#parts.settings.turnMs : 0 })
  }

  /** Runs `work` while no other process runs any under this name, which is no subject. */
  alone<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#parts.tree.exclusively(name, work, { waitMs: 0 })
  }

  /** Only in the turn of the subject. Events are told when all steps are done. */
  async commit(subject: Subject, { steps, events }: Deed): Promise<Committed> {
    await expectPlaces(this.#parts, steps)
    return this.#changes.commit(subject, [...steps, ...events.map((event) => ({ do: 'tell', event }) as const)])
  }

  finishAll(): Promise<Stuck[]> {
    return this.#changes.finishAll()
  }

  notes() {
    return this.#changes.notes()
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
}

/** Earlier versions kept the events beside the steps. */
const stepsIn = ({ steps, events = [] }: Readonly<Record<string, unknown>>): unknown =>
  Array.isArray(steps) && Array.isArray(events) ? [...steps, ...events.map((event) => ({ do: 'tell', event }))] : steps

class CirceSteps implements Steps<Step, Subject> {
  readonly #parts: CirceParts

  constructor(parts: CirceParts) {
    this.#parts = parts
  }

  parse(values: readonly unknown[], subject: Subject): readonly Step[] | undefined {
    const task = subject.startsWith('task.') ? subject.slice(5) : undefined
    const steps = parseSteps(values)
    return steps?.every((step) => (taskOf(step) ?? task) === task) ? steps : undefined
  }

  async perform(step: Step, isRepeat: boolean): Promise<'lost' | Durability | undefined> {
    if (step.do !== 'tell') return (await this.#step(step, isRepeat)) === 'lost' ? 'lost' : undefined
    const isTold = isRepeat && (await isLogged(this.#parts, step.event))
    return isTold ? undefined : appendEvent(this.#parts, step.event)
  }

  async undo(step: Step): Promise<void> {
    if (step.do !== 'own') return
    const { task, owner, at, before } = step
    await unwriteOwner(this.#parts, { id: task, owner, claimedAt: at }, before)
  }

  /**
   * Lists the folders that steps take files from. A move that failed half-way because of the disk is undone by that; until
   * then its file seems to be gone, and the step would count as done.
   */
  async beforeRepeat(steps: readonly Step[]): Promise<void> {
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

  async #step(step: Exclude<Step, { do: 'tell' }>, isRepeat: boolean): Promise<unknown> {
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
  async #hand({ agent, file, acked, unshown }: Extract<Step, { do: 'hand' }>, isRepeat: boolean): Promise<void> {
    if (acked) return setMark(this.#parts, agent, file, 'acknowledged')
    if (!isRepeat) return setMark(this.#parts, agent, file, unshown ? 'handing' : 'claimed')
    if ((await handedOf(this.#parts, agent, file)) === 'acknowledged') return
    await unlessOdd(() => setMark(this.#parts, agent, file, 'waiting'))
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

function isSubject(name: string): name is Subject {
  if (name.startsWith('task.')) return isTaskId(name.slice(5))
  return name.startsWith('file.') && isFileName(name.slice(5))
}

/** What a change writes to must be what it should be, before its first step: it could not be finished otherwise. */
async function expectPlaces(parts: CirceParts, steps: readonly Step[]): Promise<void> {
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
