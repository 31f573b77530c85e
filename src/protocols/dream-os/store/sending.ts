/**
 * Putting files into inboxes. A key is used for one file only, wherever that is by now; the id of a task is such a key. A message
 * that belongs to a larger change is staged first, and moved into its inbox by a step of that change. Either way the file arrives
 * once, wherever a process is killed.
 *
 *   .signalbox/state/delivery/dream/sent/{key}.json             says under `id` where the file goes: {agent}/{file}
 *   .signalbox/state/delivery/dream/staged/{key}~{random}.json
 */
import { findInexact } from '../../../formats/json.ts'
import type { Draft } from '../../../kernel/envelope.ts'
import { invalidInput } from '../../../kernel/errors.ts'
import { childOf, isSegment, type TreePath } from '../../../kernel/tree-path.ts'
import { listIfFolder, lookIfThere } from '../../../messaging/leaves/tolerant.ts'
import { isAboutOneMessage, keyUsed, SendingOnce } from '../../../messaging/sending-once/sending-once.ts'
import type { Durability } from '../../../tree/tree.ts'
import type { SendOptions } from '../../contract.ts'
import { isEvent, printEvent } from '../event-format.ts'
import { type PlainMessage, printMessage, statedFieldsOf } from '../format.ts'
import { inexactNumber } from '../given.ts'
import {
  deliveredTo,
  type Folder,
  folderPath,
  isMessageName,
  messageFileName,
  outgoingPath,
  routedName,
  sentTasksPath,
  stagedTasksPath,
  stemOf,
  taskFileName,
} from '../layout.ts'
import { type AgentId, hashedName, isAgentId, isTaskId, taskId } from '../names.ts'
import { problemText } from '../problem.ts'
import type { PlannerEvent } from '../schema.ts'
import type { DreamStep, StepOf } from '../steps.ts'
import { readTask } from '../tasks.ts'
import { isoOf } from '../times.ts'
import type { Dream } from './dream.ts'
import { usualPriority } from './inbox-index.ts'
import { moveToInbox } from './moving.ts'
import type { DreamView, TaskSent } from './outcomes.ts'
import { Part, pathIn } from './parts.ts'
import { viewOf } from './view.ts'

/** A file for an inbox. */
export interface Outgoing {
  readonly to: AgentId
  readonly name: string
  readonly text: string | Uint8Array
}

/** An event for one agent. `key` tells it from other events of the same sender. */
export function outgoingEvent(to: AgentId, from: string, event: PlannerEvent, key: string): Outgoing {
  // The hash makes the name differ for each target.
  const plain = messageFileName(`${hashedName(key, to).slice(0, 8)}-${key}`)
  return { to, name: isAgentId(from) ? routedName(plain, from) : plain, text: printEvent({ ...event, target_id: to }) }
}

/** A message, and the file of an inbox that it becomes. */
interface Delivery {
  readonly to: AgentId
  readonly name: string
  readonly message: PlainMessage
}

/** Another message was sent under the key. */
interface Used {
  readonly outcome: 'used'
}

const hour = 3_600_000

export class Sending extends Part {
  readonly once: SendingOnce
  /** Where a message was put. */
  readonly #carried = new WeakMap<DreamStep, TreePath>()

  constructor(dream: Dream) {
    super(dream)
    this.once = new SendingOnce(dream.parts.tree, { notes: sentTasksPath, staged: stagedTasksPath, ending: '.json' })
    dream.journal.performs({ carry: (step) => this.#carry(step) })
  }

  /** Puts a task or any other object into the inbox of an agent, under the id that it has or a new one. */
  async send(to: string, message: PlainMessage, { from }: { readonly from?: string } = {}): Promise<TaskSent> {
    const target = await this.dream.agents.expectName(to)
    expectTask(message, target, this.parts.compat)
    const inexact = findInexact(message)
    if (inexact !== undefined) throw inexactNumber(inexact)
    const { id } = statedFieldsOf(message)
    const sent =
      id !== undefined && isTaskId(id)
        ? await this.#sendTask(target, id, message)
        : await this.#put({ to: target, name: taskFileName(crypto.randomUUID()), message })
    if (from !== undefined) await this.dream.agents.note(from)
    return sent
  }

  /** Sends a neutral draft; with a key of the sender's own, once. */
  async sendDraft(draft: Draft, { key }: SendOptions = {}): Promise<TaskSent> {
    const { fileNameOf, lower } = await import('../envelope.ts')
    const { agents } = this.dream
    const from = await agents.expectName(draft.from)
    const to = await agents.expectName(draft.to)
    const id = key === undefined ? crypto.randomUUID() : hashedName(from, key)
    const message = lower(draft, { id, at: isoOf(this.parts.clock.now()) })
    const delivery = { to, name: fileNameOf(message), message }
    const sent =
      key === undefined
        ? await this.#put(delivery)
        : await this.#sendOnce(`${from} ${key}`, delivery, hashedName(printMessage(lower(draft, { id, at: '' }))))
    if (sent.outcome === 'used') throw keyUsed(key!, { id })
    await agents.note(from)
    return sent
  }

  /** A different task with the same id gets another name. */
  async #sendTask(to: AgentId, id: string, message: PlainMessage): Promise<TaskSent> {
    const text = JSON.stringify(message)
    for (let n = 1; ; n++) {
      const name = taskFileName(id, n)
      const there = await this.#delivered(to, name, deliveredTo)
      if (there && JSON.stringify(there.message) !== text) continue
      if (there) return { outcome: 'unchanged', message: there, durability: 'process' }
      const sent = await this.#sendOnce(`${to}@${stemOf(name)}`, { to, name, message }, hashedName(text))
      if (sent.outcome !== 'used') return sent
    }
  }

  /** `digest` stands for what is sent: equal ones mean the same message. */
  async #sendOnce(key: string, { to, name, message }: Delivery, digest: string): Promise<TaskSent | Used> {
    const begun = await this.once.begin(key, printMessage(message), digest, `${to}/${name}`)
    if (begun.outcome === 'known' && begun.digest !== digest) return { outcome: 'used' }
    const path = begun.staged
      ? await moveToInbox(this.parts, begun.staged, to, name)
      : pathIn(this.parts, to, 'inbox', name)
    const view = this.#viewAt(path, to, message)
    if (begun.outcome === 'begun') return { outcome: 'sent', message: view, durability: begun.durability }
    const found = await this.#delivered(to, name, [...deliveredTo, ...deliveredTo])
    return { outcome: 'unchanged', message: found ?? view, durability: 'process' }
  }

  /** For a name with a random id, which no other file has. */
  async #put({ to, name, message }: Delivery): Promise<TaskSent> {
    const path = pathIn(this.parts, to, 'inbox', name)
    const created = await this.parts.tree.create(path, printMessage(message))
    const durability = created.outcome === 'created' ? created.durability : 'process'
    return { outcome: 'sent', message: this.#viewAt(path, to, message), durability }
  }

  #viewAt(path: TreePath, agent: AgentId, message: PlainMessage): DreamView {
    return viewOf(message, { agent, state: 'inbox', path, modifiedAt: this.parts.clock.now() })
  }

  /** A file that was delivered, wherever it is by now. Pass the folders twice to be sure: it may be put back meanwhile. */
  async #delivered(agent: AgentId, name: string, folders: readonly Folder[]): Promise<DreamView | undefined> {
    for (const folder of folders) {
      const found = await this.dream.inboxes.read(agent, folder, name, { fresh: true })
      if (found && !('unreadable' in found)) return found
    }
    return undefined
  }

  /** Moves messages of killed senders into their inboxes. */
  async publishAll(): Promise<void> {
    for await (const staged of this.once.unmoved()) {
      try {
        await this.publish(staged)
      } catch (error) {
        if (!isAboutOneMessage(error)) throw error
      }
    }
  }

  /** Moves one of them. A message whose note names no inbox stays. */
  async publish(staged: TreePath): Promise<void> {
    const place = placeIn(await this.once.idOf(staged))
    if (place) await moveToInbox(this.parts, staged, place.to, place.name)
  }

  /** Finishes what killed senders began. `isIdle`: no change is under way, so what is staged and old belongs to none. */
  async finishAll({ isIdle }: { readonly isIdle: boolean }): Promise<void> {
    await this.publishAll()
    const { tree } = this.parts
    // Only old files: a process may be about to write the note that names what it has staged.
    for (const { name, kind } of isIdle ? await listIfFolder(tree, outgoingPath) : []) {
      const path = childOf(outgoingPath, name)
      const age = (await tree.now()) - ((await lookIfThere(tree, path))?.changedAt ?? Number.POSITIVE_INFINITY)
      if (kind === 'leaf' && age > hour) await tree.remove(path)
    }
  }

  /** Stages messages, and answers the steps that move them into their inboxes. */
  async stage(messages: readonly Outgoing[]): Promise<StepOf<'carry'>[]> {
    const steps: StepOf<'carry'>[] = []
    for (const { to, name, text } of messages) {
      const staged = `${crypto.randomUUID()}.json`
      await this.parts.tree.create(childOf(outgoingPath, staged), text)
      steps.push({ do: 'carry', staged, to, name })
    }
    return steps
  }

  /** Where the messages of these steps were put. */
  pathsOf(steps: readonly DreamStep[]): TreePath[] {
    return steps.flatMap((step) => this.#carried.get(step) ?? [])
  }

  /** A message that is no longer staged was carried already. */
  async #carry(step: StepOf<'carry'>): Promise<void> {
    this.#carried.set(step, await moveToInbox(this.parts, childOf(outgoingPath, step.staged), step.to, step.name))
  }

  /**
   * Delivers a file unless the target has, or had, one of this name. Callers that may deliver the same name at once hold the same
   * turn. The folders are listed because a listing also shows a file that another process is just moving.
   */
  async deliverOnce({ to, name, text }: Outgoing): Promise<{ path: TreePath; durability: Durability }> {
    const { tree, places } = this.parts
    for (const folder of deliveredTo) {
      const entries = await listIfFolder(tree, folderPath(places, to, folder))
      if (entries.some((entry) => entry.name === name))
        return { path: pathIn(this.parts, to, folder, name), durability: 'process' }
    }
    const path = pathIn(this.parts, to, 'inbox', name)
    const created = await tree.create(path, text)
    return { path, durability: created.outcome === 'created' ? created.durability : 'process' }
  }
}

/** The inbox and the name in a sender's note, checked: another program may have written the note. */
function placeIn(id: string | undefined): Pick<Delivery, 'to' | 'name'> | undefined {
  const [to = '', name = '', ...rest] = id?.split('/') ?? []
  return rest.length === 0 && isAgentId(to) && isMessageName(name) && isSegment(name) ? { to, name } : undefined
}

/** A message with `task_id` and `action` is a task: other fields may be missing, but those that are there must be right. */
function expectTask(message: PlainMessage, target_agent: string, compat: boolean): void {
  // With a random id instead, a repeated send would deliver the task again.
  if (typeof message.task_id === 'number') taskId(`${message.task_id} (a number)`)
  if (typeof message.task_id === 'string') taskId(message.task_id)
  if (message.task_id === undefined || message.action === undefined || isEvent(message)) return
  const rest = { params: {}, target_agent, status: 'PENDING', priority: usualPriority, depends_on: [] }
  const { problems } = readTask({ ...rest, ...message }, compat)
  if (problems.length === 0) return
  throw invalidInput('BAD_TASK', `Not a task: ${problemText(problems)}`, {
    hint: 'Correct that field. The guide has an example of a task.',
    details: { problems: problems.map(({ code, field, message }) => ({ code, field, message })) },
  })
}
