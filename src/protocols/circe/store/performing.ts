/** How the steps of changes are read, done, repeated and undone. */
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import type { Steps } from '../../../messaging/journal/journal.ts'
import { listIfFolder, readIfLeaf, removeIfLeaf, unlessOdd } from '../../../messaging/leaves/tolerant.ts'
import type { Durability } from '../../../tree/tree.ts'
import { parseMessage } from '../format.ts'
import { copiesPath, handedPath, inboxPath, newPath, tasksPath, workspacePath } from '../layout.ts'
import type { FileName } from '../names.ts'
import type { CirceMessage } from '../schema.ts'
import { type At, type CirceStep, parseSteps, type StepOf, taskOf } from '../steps.ts'
import { folderOf } from './agents.ts'
import { archiveTask, bringBack, returnMessage } from './archiving.ts'
import { handedOf, setMark } from './handed.ts'
import { writeLedger } from './ledgers.ts'
import { appendEvent, isLogged } from './log.ts'
import { copyToLog, deliverCopies, moveMessage, settleMessage } from './moving.ts'
import { type CirceParts, type Subject, sameBytes } from './parts.ts'
import { isFor, isFound, pathAt, readAt, type Spot } from './places.ts'
import { keepBadFile, removeOwner, unwriteOwner, writeOwner, writeTaskFiles } from './task-files.ts'

export class CirceSteps implements Steps<CirceStep, Subject> {
  readonly #parts: CirceParts

  constructor(parts: CirceParts) {
    this.#parts = parts
  }

  parse(values: readonly unknown[], subject: Subject): readonly CirceStep[] | undefined {
    const task = subject.startsWith('task.') ? subject.slice(5) : undefined
    const steps = parseSteps(values)
    return steps?.every((step) => (taskOf(step) ?? task) === task) ? steps : undefined
  }

  async perform(step: CirceStep, isRepeat: boolean): Promise<'lost' | Durability | undefined> {
    const parts = this.#parts
    switch (step.do) {
      case 'own': {
        const task = { id: step.task, owner: step.owner, claimedAt: step.at }
        return (await writeOwner(parts, task, step.before)) === 'lost' ? 'lost' : undefined
      }
      case 'disown':
        await parts.index.forget()
        await removeOwner(parts, step.task, step.owner, step.at)
        return
      case 'claim': {
        const isMeant = (message: CirceMessage) => isFor(message, step.agent) && message.task === step.task
        return this.#travel(step.file, { place: 'new' }, { place: 'inbox', agent: step.agent }, isMeant)
      }
      case 'start':
        return this.#travel(step.file, { place: 'inbox', agent: step.agent }, { place: 'workspace', agent: step.agent })
      case 'write':
        await writeTaskFiles(parts, step.task)
        return
      case 'beside':
        await keepBadFile(parts, step.task, step.file, step.digest)
        return
      case 'count':
        await writeLedger(parts, step.task, step.facts, step.counted)
        return
      case 'log':
        await copyToLog(parts, await this.#spot(step.from), step.file)
        return
      case 'settle':
        await settleMessage(parts, await this.#spot(step.from), step.file, { task: step.task })
        return
      case 'hand':
        await this.#hand(step, isRepeat)
        return
      case 'unhand':
        await removeIfLeaf(parts.tree, childOf(handedPath(step.agent), step.file))
        return
      case 'return':
        await returnMessage(parts, await this.#spot(step.from), step.file)
        return
      case 'archive':
        await archiveTask(parts, step.task)
        return
      case 'back':
        await bringBack(parts, step.task, step.agent)
        return
      case 'deliver':
        await deliverCopies(parts, step.file)
        // Otherwise the next command would copy it to every agent again.
        await settleMessage(parts, { place: 'new' }, step.file)
        return
      case 'tell':
        return isRepeat && (await isLogged(parts, step.event)) ? undefined : appendEvent(parts, step.event)
    }
  }

  async undo(step: CirceStep): Promise<void> {
    if (step.do !== 'own') return
    const { task, owner, at, before } = step
    await unwriteOwner(this.#parts, { id: task, owner, claimedAt: at }, before)
  }

  /**
   * Lists the folders that steps move files from: that makes the engine undo a move which a disk error stopped half-way. Until then
   * the file seems to be gone, and the step would count as done.
   */
  async beforeRepeat(steps: readonly CirceStep[]): Promise<void> {
    const { tree, root } = this.#parts
    const folders = new Set<TreePath>([newPath(root), tasksPath(root)])
    for (const step of steps) {
      if (step.do === 'deliver') folders.add(copiesPath(step.file))
      const agent = 'from' in step ? step.from.agent : 'agent' in step ? step.agent : undefined
      if (agent === undefined) continue
      const folder = await folderOf(this.#parts, agent)
      folders.add(inboxPath(root, folder)).add(workspacePath(root, folder)).add(handedPath(agent))
    }
    for (const folder of folders) await listIfFolder(tree, folder)
  }

  /** A repeat means that the first process did not get to show the message: the agent can claim it again. */
  async #hand({ agent, file, acked, unshown }: StepOf<'hand'>, isRepeat: boolean): Promise<void> {
    if (acked) return setMark(this.#parts, agent, file, 'acknowledged')
    if (!isRepeat) return setMark(this.#parts, agent, file, unshown ? 'handing' : 'claimed')
    if ((await handedOf(this.#parts, agent, file)) === 'acknowledged') return
    await unlessOdd(setMark(this.#parts, agent, file, 'waiting'))
  }

  /** Moves a message, or finds that it was moved before: then it lies at its target. */
  async #travel(
    file: FileName,
    from: At,
    to: At,
    isMeant: (message: CirceMessage) => boolean = () => true,
  ): Promise<'lost' | undefined> {
    const { tree, settings } = this.#parts
    const [spot, target] = [await this.#spot(from), await this.#spot(to)]
    const transition = to.place === 'inbox' ? 'claim' : 'start'
    // Judges the bytes that the move takes: another program may have replaced the file.
    const change = (bytes: Uint8Array) => {
      const parsed = parseMessage(bytes, settings.furtherIntents)
      return parsed.outcome === 'message' && isMeant(parsed.message) ? bytes : undefined
    }
    const moved = await moveMessage(this.#parts, { spot, name: file, transition, to: to.agent! }, { change })
    if (moved.outcome === 'moved') return undefined
    const there = await readIfLeaf(tree, pathAt(this.#parts, target, file))
    if (there) {
      // Another program copied it there instead of moving it: the original is removed.
      await tree.remove(pathAt(this.#parts, spot, file), { onlyIf: (bytes) => sameBytes(bytes, there.bytes) })
      return undefined
    }
    // After the move a process may have been killed, and the agent moved the message on by hand.
    const next = { ...target, place: 'workspace' } as const
    return isFound(await readAt(this.#parts, next, file)) ? undefined : 'lost'
  }

  async #spot({ place, agent }: At): Promise<Spot> {
    return agent === undefined ? { place } : { place, agent, folder: await folderOf(this.#parts, agent) }
  }
}
