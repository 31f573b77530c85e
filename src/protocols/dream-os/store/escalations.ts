/** Failures that wait for a person: a `TASK_FAILED` for an agent that was never seen, or that its agent has not taken for too long. */
import { digestOf } from '../../../formats/digest.ts'
import { call } from '../../../kernel/call.ts'
import { conflict, notFound } from '../../../kernel/errors.ts'
import { isMeant } from '../../../kernel/short-id.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import { type Answer, type Answered, changedSince, expectAnswerable, type Question } from '../../contract.ts'
import { eventSubject, isEvent } from '../event-format.ts'
import { answersPath } from '../layout.ts'
import { nextFolder } from '../lifecycle.ts'
import { hashedName, isAgentId } from '../names.ts'
import { eventTypes, type PlannerEvent, type Task } from '../schema.ts'
import { answerSubject, type DreamStep, type StepOf, type Subject } from '../steps.ts'
import type { Dream } from './dream.ts'
import { moveFileSomewhere } from './moving.ts'
import { noteIn, readNote, writeNote } from './notes.ts'
import type { DreamView } from './outcomes.ts'
import { Part, pathIn, unlessCorrupt } from './parts.ts'
import { type Outgoing, outgoingEvent } from './sending.ts'
import { failureKey, retryStep } from './task-list.ts'

export class Escalations extends Part {
  constructor(dream: Dream) {
    super(dream)
    dream.journal.performs({
      answer: ({ id, note }) => writeNote(dream.parts.tree, pathOf(id), note),
      'put-away': (step) => this.#putAway(step),
    })
  }

  async *questions(): AsyncGenerator<Question> {
    const tasks = await this.#taskMap()
    const found: DreamView[] = []
    for await (const view of this.#waiting(tasks)) found.push(view)
    for (const view of found.sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt)))
      yield this.#questionOf(view, tasks)
  }

  /** A list that cannot be read counts as empty, so that no failure is hidden. */
  async #taskMap(): Promise<TaskMap> {
    let tasks: readonly Task[] = []
    await unlessCorrupt(async () => {
      tasks = (await this.dream.tasks.list()).tasks
    })
    return new Map(tasks.map((task) => [task.task_id, task]))
  }

  /** Failures in inboxes and outboxes that were not taken. */
  async *#waiting(tasks: TaskMap): AsyncGenerator<DreamView> {
    const now = await this.parts.tree.now()
    for await (const view of this.dream.inboxes.everywhere(['inbox', 'outbox'])) {
      if (!isFailure(view.message) || isPast(view, tasks) || (await this.#answerTo(view.id))) continue
      const isOld = (await this.#ageOf(view, now)) >= this.parts.settings.escalateAfterMs
      if (isOld || !(await this.dream.agents.isSeen(view.to))) yield view
    }
  }

  async #ageOf(view: DreamView, now: number): Promise<number> {
    const entry = await this.parts.tree.look(view.path as never)
    return entry ? now - entry.changedAt : 0
  }

  #questionOf(view: DreamView, tasks: TaskMap): Question {
    const event = view.message as PlannerEvent
    const { error_details } = event.data
    const subject = taskOf(view)
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
   * Sends a person's answer to the agent that failed, and archives the failure; a yes lets the task start again. Only the first
   * answer counts.
   */
  async answer(asked: Pick<Question, 'id'>, answer: Answer): Promise<AnsweredFailure> {
    for await (const view of this.dream.inboxes.everywhere(['inbox', 'outbox', 'archive/inbox', 'archive/outbox'])) {
      if (!isFailure(view.message) || !isMeant(asked.id, view.id)) continue
      const subject = answerSubject(view.id)
      const outcome = await this.dream.journal.turn(subject, () => this.#answerInTurn(view, subject, answer))
      const details = { told: view.from, verdict: answer.verdict, task: taskOf(view) }
      const [step] = putAwaySteps(view)
      if (!step) return { outcome, failure: view, details }
      const { agent, file, from } = step
      const state = nextFolder(from, putAwayOf(from))
      return { outcome, failure: { ...view, state, path: pathIn(this.parts, agent, state, file) }, details }
    }
    throw notFound('NO_SUCH_MESSAGE', `There is no failure ${asked.id.slice(0, 80)} that waits for a person.`, {
      hint: `See what waits: ${call('human list')}`,
      details: { id: asked.id.slice(0, 400) },
    })
  }

  async #answerInTurn(
    view: DreamView,
    subject: Subject,
    { verdict, by, text = '', digest }: Answer,
  ): Promise<Answered['outcome']> {
    const given = await this.#answerTo(view.id)
    if (given && (given.text !== text || given.verdict !== verdict)) throw otherWords(view.id, given)
    if (given) return 'unchanged'
    const tasks = await this.#taskMap()
    const question = this.#questionOf(view, tasks)
    expectAnswerable(question, verdict)
    if (digest !== undefined && digest !== question.digest) throw changedSince(view.id)
    await this.dream.journal.commit(subject, await this.#stepsFor(view, tasks.get(taskOf(view)), { verdict, text, by }))
    return 'answered'
  }

  async #stepsFor(view: DreamView, task: Task | undefined, given: NotedAnswer): Promise<DreamStep[]> {
    const { verdict, text, by } = given
    const { path, id } = view
    return [
      { do: 'answer', id, note: { verdict, text, by } },
      ...(verdict === 'approve' && task ? [retryStep(task.task_id, failureKey(task), by)] : []),
      ...(await this.dream.sending.stage(answerEvents(view, given))),
      { do: 'log', line: this.dream.logs.line('ESCALATION_ANSWERED', by, { path, by, verdict, answer: text }) },
      ...putAwaySteps(view),
    ]
  }

  async #putAway({ agent, file: name, from }: StepOf<'put-away'>): Promise<void> {
    await moveFileSomewhere(this.parts, { agent, name, from, transition: putAwayOf(from) })
  }

  async #answerTo(id: string): Promise<NotedAnswer | undefined> {
    const note = await readNote(this.parts.tree, pathOf(id))
    if (typeof note?.text !== 'string' || typeof note.by !== 'string') return undefined
    const { text, by, verdict } = note
    return { text, by, verdict: verdict === 'approve' || verdict === 'deny' ? verdict : 'answer' }
  }
}

/** The failure as it is after a person's answer. */
interface AnsweredFailure extends Pick<Answered, 'outcome' | 'details'> {
  readonly failure: DreamView
}

/** A person's answer, as its note has it. */
type NotedAnswer = Pick<Answer, 'verdict' | 'by'> & { readonly text: string }

type TaskMap = ReadonlyMap<string, Task>

/** Whether the task of a failure was completed since, or tried again. */
function isPast({ message }: DreamView, tasks: TaskMap): boolean {
  const event = message as PlannerEvent
  const task = tasks.get(eventSubject(event) ?? '')
  if (!task || task.status === 'COMPLETED') return task !== undefined
  const { timestamp } = event.data
  if (typeof timestamp !== 'string') return false
  return task.status !== 'FAILED' || (failureKey(task) !== '' && failureKey(task) !== timestamp)
}

const pathOf = (id: string): TreePath => noteIn(answersPath, id)

export const taskOf = ({ message, id }: DreamView): string => eventSubject(message as PlannerEvent) ?? id

/** The event for the agent that failed. */
export function answerEvents(view: DreamView, { verdict, text, by }: NotedAnswer): Outgoing[] {
  const data = { correlation_id: taskOf(view), verdict, answer: text }
  const event = { type: eventTypes.answered, source_id: by, target_id: view.from, data }
  return isAgentId(view.from) ? [outgoingEvent(view.from, by, event, hashedName(view.id).slice(0, 16))] : []
}

/** No step for a failure that is archived already. */
export function putAwaySteps({ path, file, state }: DreamView): StepOf<'put-away'>[] {
  const owner = path.split('/').at(-3) ?? ''
  const isThere = isAgentId(owner) && (state === 'inbox' || state === 'outbox')
  return isThere ? [{ do: 'put-away', agent: owner, file, from: state }] : []
}

const putAwayOf = (from: StepOf<'put-away'>['from']) => (from === 'inbox' ? 'finish' : 'keep')

const otherWords = (id: string, { verdict, text }: NotedAnswer) => {
  const said = { approve: 'yes', deny: `no: ${text.slice(0, 200)}`, answer: text.slice(0, 200) }
  return conflict('ALREADY_ANSWERED', `${id} was answered already: ${said[verdict]}`, {
    hint: 'Send a message of your own to whoever should know.',
    details: { id },
  })
}

export const isFailure = (message: unknown): boolean => isEvent(message) && message.type === eventTypes.failed
