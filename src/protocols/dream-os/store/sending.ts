/**
 * Putting files into inboxes. A task that its sender repeats is one, wherever it is by now: its id is the key of sending once. A
 * message that belongs to a larger change is staged before, and moved into its inbox by a step of that change. Either way the
 * file moves once, whatever its target does with it and wherever a process is killed.
 */
import { findInexact } from '../../../formats/json.ts'
import { invalidInput } from '../../../kernel/errors.ts'
import { childOf, nameOf, type TreePath } from '../../../kernel/tree-path.ts'
import { listIfFolder, lookIfThere } from '../../../messaging/leaves/tolerant.ts'
import { SendingOnce } from '../../../messaging/sending-once/sending-once.ts'
import type { Durability } from '../../../tree/tree.ts'
import { isEvent, printEvent } from '../event-format.ts'
import { type PlainMessage, printMessage, saidBy } from '../format.ts'
import { inexactNumber } from '../given.ts'
import { hashOf } from '../hash.ts'
import {
  deliveredTo,
  type Folder,
  folderPath,
  messageFileName,
  outgoingPath,
  routedName,
  sentTasksPath,
  stagedTasksPath,
  stemOf,
  taskFileName,
} from '../layout.ts'
import { type AgentId, isAgentId, isTaskId, taskId } from '../names.ts'
import { told } from '../problem.ts'
import type { PlannerEvent } from '../schema.ts'
import type { Step, StepOf } from '../steps.ts'
import { readTask } from '../tasks.ts'
import type { Dream } from './dream.ts'
import { usualPriority } from './inbox-index.ts'
import { moveToInbox } from './moving.ts'
import type { DreamView, TaskSent } from './outcomes.ts'
import { type DreamParts, pathIn } from './parts.ts'
import { viewOf } from './view.ts'

/** A file for an inbox. */
export interface Outgoing {
  readonly to: AgentId
  readonly name: string
  readonly text: string | Uint8Array
}

/** An event for one agent. `key` tells it from others of the same sender. */
export function outgoingEvent(to: AgentId, from: string, event: PlannerEvent, key: string): Outgoing {
  // What one target gets is another message than what another one gets.
  const plain = messageFileName(`${hashOf(key, to).slice(0, 8)}-${key}`)
  return { to, name: isAgentId(from) ? routedName(plain, from) : plain, text: printEvent({ ...event, target_id: to }) }
}

const hour = 3_600_000

export class Sending {
  readonly #dream: Dream
  readonly #parts: DreamParts
  readonly #once: SendingOnce
  /** Where a message was put. */
  readonly #carried = new WeakMap<Step, TreePath>()

  constructor(dream: Dream) {
    this.#dream = dream
    this.#parts = dream.parts
    this.#once = new SendingOnce(dream.parts.tree, { notes: sentTasksPath, staged: stagedTasksPath, ending: '.json' })
    dream.journal.performs({ carry: (step) => this.#carry(step) })
  }

  /** Puts a task or any other object into the inbox of an agent, under the id that it has or a new one. */
  async send(to: string, message: PlainMessage, { from }: { readonly from?: string } = {}): Promise<TaskSent> {
    const target = await this.#dream.agents.expectName(to)
    expectTask(message, target, this.#parts.compat)
    const inexact = findInexact(message)
    if (inexact !== undefined) throw inexactNumber(inexact)
    const said = saidBy(message)
    const id = said.id !== undefined && isTaskId(said.id) ? said.id : crypto.randomUUID()
    const notices = await this.#dream.agents.noticesAbout(target)
    const sent = await this.#sendOnce(target, id, message)
    if (from !== undefined) await this.#dream.agents.note(from)
    return { ...sent, notices }
  }

  /** Another task of this id gets another name. */
  async #sendOnce(to: AgentId, id: string, message: PlainMessage): Promise<Omit<TaskSent, 'notices'>> {
    const text = JSON.stringify(message)
    for (let n = 1; ; n++) {
      const name = taskFileName(id, n)
      const there = await this.#delivered(to, name, deliveredTo)
      if (there && JSON.stringify(there.message) !== text) continue
      if (there) return { outcome: 'unchanged', message: there, durability: 'process' }
      const sent = await this.#once.begin(`${to}@${stemOf(name)}`, printMessage(message), hashOf(text))
      if (sent.outcome === 'known' && sent.digest !== hashOf(text)) continue
      const path = sent.staged
        ? await moveToInbox(this.#parts, sent.staged, to, name)
        : pathIn(this.#parts, to, 'inbox', name)
      const where = { agent: to, state: 'inbox', path, modifiedAt: this.#parts.clock.now() } as const
      if (sent.outcome === 'begun')
        return { outcome: 'sent', message: viewOf(message, where), durability: sent.durability }
      const found = await this.#delivered(to, name, [...deliveredTo, ...deliveredTo])
      return { outcome: 'unchanged', message: found ?? viewOf(message, where), durability: 'process' }
    }
  }

  /** A file that was delivered, however far it has come since. To be sure, look twice: it may be put back in between. */
  async #delivered(agent: AgentId, name: string, folders: readonly Folder[]): Promise<DreamView | undefined> {
    for (const folder of folders) {
      const found = await this.#dream.inboxes.read(agent, folder, name)
      if (found && !('unreadable' in found)) return found
    }
    return undefined
  }

  /** Moves the tasks into their inboxes whose senders were killed, and removes what was staged for no change. */
  async finishAll({ isIdle }: { readonly isIdle: boolean }): Promise<void> {
    for await (const staged of this.#once.unmoved()) {
      const [, to = '', stem] = /^([^@]+)@(.+)~[^~]+$/.exec(nameOf(staged)) ?? []
      if (isAgentId(to)) await moveToInbox(this.#parts, staged, to, `${stem}.json`)
    }
    const { tree } = this.#parts
    // A process may be about to write the note that names what it has staged.
    for (const { name, kind } of isIdle ? await listIfFolder(tree, outgoingPath) : []) {
      const path = childOf(outgoingPath, name)
      const age = (await tree.now()) - ((await lookIfThere(tree, path))?.changedAt ?? Number.POSITIVE_INFINITY)
      if (kind === 'leaf' && age > hour) await tree.remove(path)
    }
  }

  /** Writes messages down; the steps that it answers put them into their inboxes. */
  async stage(messages: readonly Outgoing[]): Promise<StepOf<'carry'>[]> {
    const steps: StepOf<'carry'>[] = []
    for (const { to, name, text } of messages) {
      const staged = `${crypto.randomUUID()}.json`
      await this.#parts.tree.create(childOf(outgoingPath, staged), text)
      steps.push({ do: 'carry', staged, to, name })
    }
    return steps
  }

  /** Where the messages of these steps were put. */
  pathsOf(steps: readonly Step[]): TreePath[] {
    return steps.flatMap((step) => this.#carried.get(step) ?? [])
  }

  /** What is not there any more was carried already. */
  async #carry(step: StepOf<'carry'>): Promise<void> {
    this.#carried.set(step, await moveToInbox(this.#parts, childOf(outgoingPath, step.staged), step.to, step.name))
  }

  /**
   * Unless the target has, or had, a file of this name. Where two could do this at once for one name, each takes the same turn.
   * Listings also show a file that another process is moving in this moment.
   */
  async deliverOnce({ to, name, text }: Outgoing): Promise<{ path: TreePath; durability: Durability }> {
    const { tree, places } = this.#parts
    for (const folder of deliveredTo) {
      const entries = await listIfFolder(tree, folderPath(places, to, folder))
      if (entries.some((entry) => entry.name === name))
        return { path: pathIn(this.#parts, to, folder, name), durability: 'process' }
    }
    const path = pathIn(this.#parts, to, 'inbox', name)
    const created = await tree.create(path, text)
    return { path, durability: created.outcome === 'created' ? created.durability : 'process' }
  }
}

/** What says that it is a task may leave things out, but what it says must be right. */
function expectTask(message: PlainMessage, target_agent: string, compat: boolean): void {
  // Another id than the one that is meant would be made up, and a repeat of it delivered again.
  if (typeof message.task_id === 'number') taskId(`${message.task_id} (a number)`)
  if (typeof message.task_id === 'string') taskId(message.task_id)
  if (message.task_id === undefined || message.action === undefined || isEvent(message)) return
  const rest = { params: {}, target_agent, status: 'PENDING', priority: usualPriority, depends_on: [] }
  const { problems } = readTask({ ...rest, ...message }, compat)
  if (problems.length === 0) return
  throw invalidInput('BAD_TASK', `Not a task: ${told(problems)}`, {
    hint: 'Correct that field. The guide has an example of a task.',
    details: { problems: problems.map(({ code, field, message }) => ({ code, field, message })) },
  })
}
