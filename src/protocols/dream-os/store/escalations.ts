/** Failures that nobody handles: a `TASK_FAILED` that waits for an agent nobody has seen, or waits for too long. */
import { conflict, notFound, SignalboxError } from '../../../kernel/errors.ts'
import { isMeant } from '../../../kernel/short-id.ts'
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { type Answer, type Answered, changedSince, digestOf, expectAnswerable, type Question } from '../../contract.ts'
import { isEvent, subjectOf } from '../event-format.ts'
import { type Folder, statePath } from '../layout.ts'
import { type AgentId, isAgentId } from '../names.ts'
import { eventTypes, type GovernanceEvent, isObject, type PlannerEvent, type Task } from '../schema.ts'
import { type Deliveries, outgoingEvent } from './deliveries.ts'
import type { Logs } from './governance.ts'
import type { Inboxes } from './inboxes.ts'
import { moveFileSomewhere } from './moving.ts'
import { noteNameOf, readNote, writeNote } from './notes.ts'
import type { DreamView } from './outcomes.ts'
import { type DreamParts, messageNames } from './parts.ts'
import { failureOf, type TaskLists } from './task-lists.ts'

export class Escalations {
  readonly #parts: DreamParts
  readonly #deliveries: Deliveries
  readonly #inboxes: Inboxes
  readonly #logs: Logs
  readonly #lists: TaskLists

  constructor(parts: DreamParts, deliveries: Deliveries, inboxes: Inboxes, logs: Logs, lists: TaskLists) {
    this.#parts = parts
    this.#deliveries = deliveries
    this.#inboxes = inboxes
    this.#logs = logs
    this.#lists = lists
  }

  async *questions(): AsyncGenerator<Question> {
    const tasks = await this.#tasks()
    const found: DreamView[] = []
    for await (const view of this.#waiting(tasks)) found.push(view)
    for (const view of found.sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt)))
      yield this.#questionOf(view, tasks)
  }

  /** The list of tasks; a list that cannot be read hides no failure. */
  async #tasks(): Promise<Tasks> {
    try {
      return new Map((await this.#lists.list()).tasks.map((task) => [task.task_id, task]))
    } catch (error) {
      if (error instanceof SignalboxError && error.kind === 'Corrupt') return new Map()
      throw error
    }
  }

  /** Failures in inboxes and outboxes that nobody has taken. */
  async *#waiting(tasks: Tasks): AsyncGenerator<DreamView> {
    const now = await this.#parts.tree.now()
    for await (const view of this.#failures(['inbox', 'outbox'])) {
      if (isPast(view, tasks) || (await this.#answerTo(view.id))) continue
      const isOld = (await this.#ageOf(view, now)) >= this.#parts.settings.escalateAfterMs
      if (isOld || !(await this.#deliveries.agents.isSeen(view.to))) yield view
    }
  }

  async #ageOf(view: DreamView, now: number): Promise<number> {
    const entry = await this.#parts.tree.look(view.path as never)
    return entry ? now - entry.changedAt : 0
  }

  #questionOf(view: DreamView, tasks: Tasks): Question {
    const event = view.message as PlannerEvent
    const { error_details } = event.data
    const subject = subjectOf(event) ?? view.id
    const canBeRetried = tasks.get(subject)?.status === 'FAILED'
    return {
      id: view.id,
      kind: 'escalation',
      from: view.from,
      summary: `Task ${subject} has failed, and nobody deals with it.`,
      text: JSON.stringify(error_details ?? event.data, null, 2),
      digest: digestOf(view.path, JSON.stringify(event)),
      options: [],
      // Yes: it is tried again. No: it stays as it is.
      answers: canBeRetried ? ['approve', 'deny', 'answer'] : ['answer'],
      why: `The failure waits for ${view.to}.`,
      askedAt: view.createdAt,
      facts: [
        ['task', subject],
        ['file', view.path],
        ...(canBeRetried
          ? ([
              ['yes', 'it may start again'],
              ['no', 'it stays FAILED'],
            ] as const)
          : []),
      ],
      details: { path: view.path, task: subject },
    }
  }

  /**
   * What a person says goes to whoever failed, and the failure is put away; a yes lets the task start again. A note decides
   * which answer counts; whoever finds one whose writer was killed does the rest.
   */
  async answer(asked: Pick<Question, 'id'>, { verdict, by, text = '', digest }: Answer): Promise<Answered> {
    for await (const view of this.#failures()) {
      if (!isMeant(asked.id, view.id)) continue
      const note = await this.#answerTo(view.id)
      if (!note) {
        const tasks = await this.#tasks()
        const question = this.#questionOf(view, tasks)
        expectAnswerable(question, verdict)
        if (digest !== undefined && digest !== question.digest) throw changedSince(view.id)
        const first = this.#noteOf(view, tasks, { verdict, text, by })
        const created = await this.#parts.tree.create(pathOf(view.id), `${JSON.stringify(first)}\n`)
        if (created.outcome === 'created') return this.#settle(view, first, 'answered')
      }
      const given = note ?? (await this.#answerTo(view.id))
      if (!given || given.text !== text || given.verdict !== verdict) throw otherWords(view.id, given)
      return this.#settle(view, given, 'unchanged')
    }
    throw notFound('NO_SUCH_MESSAGE', `There is no failure ${asked.id.slice(0, 80)} that waits for a person.`, {
      hint: 'See what waits: signalbox human list',
      details: { id: asked.id.slice(0, 400) },
    })
  }

  #noteOf(view: DreamView, tasks: Tasks, { verdict, text, by }: Pick<Given, 'verdict' | 'text' | 'by'>): Given {
    const subject = subjectOf(view.message as PlannerEvent) ?? view.id
    const task = tasks.get(subject)
    const line = this.#logs.line('ESCALATION_ANSWERED', by, { path: view.path, by, verdict, answer: text })
    return { verdict, text, by, line, ...(task ? { failedAt: failureOf(task) } : {}) }
  }

  /** Finishes what people have answered and somebody died over. */
  async recover(): Promise<void> {
    for await (const view of this.#failures(['inbox', 'outbox'])) {
      const note = await this.#answerTo(view.id)
      if (note) await this.#settle(view, note, 'unchanged')
    }
  }

  /** All of it can be repeated. The failure is put away last, so that it is found until then. */
  async #settle(view: DreamView, given: Given, outcome: Answered['outcome']): Promise<Answered> {
    const { message: event, file, ...envelope } = view
    const task = subjectOf(event as PlannerEvent) ?? view.id
    if (given.verdict === 'approve' && given.failedAt !== undefined)
      await this.#lists.retry(task, given.failedAt, given.by)
    await this.#tell(view, task, given)
    const owner = ownerOf(view)
    const { state } = view
    const details = { told: view.from, verdict: given.verdict, task }
    if (owner === undefined || (state !== 'inbox' && state !== 'outbox')) return { outcome, message: envelope, details }
    const transition = state === 'inbox' ? 'finish' : 'keep'
    const { path } = await moveFileSomewhere(this.#parts, { agent: owner, name: file, from: state, transition })
    const now = state === 'inbox' ? 'archive/inbox' : 'archive/outbox'
    return { outcome, message: { ...envelope, state: now, path }, details }
  }

  /** Whoever failed, and the governance log: each once. */
  async #tell(view: DreamView, task: string, { verdict, text, by, line }: Given): Promise<void> {
    const { tree } = this.#parts
    const path = pathOf(view.id)
    await tree.exclusively(`dream ${path}`, async () => {
      const found = await readNote(tree, path)
      if (!found || found.told === true) return
      const event = { type: eventTypes.answered, source_id: by, target_id: view.from, data: {} }
      const said = { ...event, data: { correlation_id: task, verdict, answer: text } }
      const key = noteNameOf(view.id).slice(0, 16)
      const messages = isAgentId(view.from) ? [outgoingEvent(view.from, by, said, key)] : []
      await this.#deliveries.sendAll(path, found, messages)
      if (line) await this.#logs.appendOnce(line)
      await writeNote(tree, path, { ...found, staged: true, told: true })
    })
  }

  async *#failures(
    states: readonly Folder[] = ['inbox', 'outbox', 'archive/inbox', 'archive/outbox'],
  ): AsyncGenerator<DreamView> {
    for (const agent of await this.#deliveries.agents.withFolders()) {
      for (const folder of states) {
        for (const name of await messageNames(this.#parts, agent, folder)) {
          const view = await this.#inboxes.read(agent, folder, name)
          if (view && !('unreadable' in view) && isFailure(view.message)) yield view
        }
      }
    }
  }

  async #answerTo(id: string): Promise<Given | undefined> {
    const note = await readNote(this.#parts.tree, pathOf(id))
    if (typeof note?.text !== 'string' || typeof note.by !== 'string') return undefined
    const { text, by, verdict, failedAt, line } = note
    return {
      text,
      by,
      verdict: verdict === 'approve' || verdict === 'deny' ? verdict : 'answer',
      ...(typeof failedAt === 'string' ? { failedAt } : {}),
      ...(isObject(line) ? { line: line as GovernanceEvent } : {}),
    }
  }
}

/** A person's answer, as its note has it. */
interface Given {
  readonly verdict: Answer['verdict']
  readonly text: string
  readonly by: string
  /** Which failure of the task was meant, where the task is in the list. */
  readonly failedAt?: string
  readonly line?: GovernanceEvent
}

type Tasks = ReadonlyMap<string, Task>

/** Whether a failure is over: the task was done since, or tried again. */
function isPast({ message }: DreamView, tasks: Tasks): boolean {
  const event = message as PlannerEvent
  const task = tasks.get(subjectOf(event) ?? '')
  if (!task || task.status === 'COMPLETED') return task !== undefined
  const { timestamp } = event.data
  if (typeof timestamp !== 'string') return false
  return task.status !== 'FAILED' || (failureOf(task) !== '' && failureOf(task) !== timestamp)
}

const answersPath = childOf(statePath, 'answers')

const pathOf = (id: string): TreePath => childOf(answersPath, noteNameOf(id))

/** Whose folder it lies in. */
function ownerOf({ path }: DreamView): AgentId | undefined {
  const owner = path.split('/').at(-3) ?? ''
  return isAgentId(owner) ? owner : undefined
}

const otherWords = (id: string, given: Given | undefined) => {
  const said = { approve: 'yes', deny: `no: ${given?.text.slice(0, 200)}`, answer: given?.text.slice(0, 200) }
  return conflict(
    'ALREADY_ANSWERED',
    `${id} was answered already: ${given ? said[given.verdict] : 'by somebody else'}`,
    {
      hint: 'Send a message of your own to whoever should know.',
      details: { id },
    },
  )
}

const isFailure = (message: unknown): boolean => isEvent(message) && message.type === eventTypes.failed
