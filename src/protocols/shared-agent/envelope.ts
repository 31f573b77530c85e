/** A task as an envelope, and a draft as a task. Pure. What a task has no field for travels in its `more`. */
import { isoTime } from '../../kernel/clock.ts'
import {
  type Draft,
  type Envelope,
  type Headline,
  handleOf,
  kindOf,
  needsAnswerOf,
  type Urgency,
} from '../../kernel/envelope.ts'
import { printableLine } from '../../kernel/printable.ts'
import { carriedFieldsIn, unsaidFields } from '../../messaging/envelope/carried-fields.ts'
import { documentPath, sessionId } from './layout.ts'
import { taskStages } from './lifecycle.ts'
import type { Escalation, Task } from './record.ts'
import type { Priority } from './schema.ts'

/** What was delegated or escalated, as a list shows it. */
export interface SessionMessage extends Headline {
  readonly place: string
  readonly record: Task | Escalation
}

const priorities: Readonly<Record<Urgency, Priority>> = { high: 0, normal: 2, low: 3 }
const urgencies = ['high', 'high', 'normal', 'low'] as const
const longestSummary = 120

export const messageIdOf = (session: string, { id }: Pick<Task, 'id'>): string => `${session}:${id}`

export function messageOf(session: string, record: Task | Escalation): SessionMessage {
  const said = isTask(record)
    ? { to: record.agent, state: record.state, summary: summaryOf(record) }
    : { to: record.answeredBy ?? 'human', state: record.answer === undefined ? 'asked' : 'answered' }
  return {
    protocol: 'session',
    id: messageIdOf(session, record),
    from: record.by,
    summary: textOf(record).slice(0, longestSummary),
    ...said,
    path: documentPath(sessionId(session)),
    createdAt: isoTime(record.at),
    place: session,
    record,
  }
}

/** What was said, as it is read. */
export const textOf = (record: Task | Escalation): string => (isTask(record) ? record.task : record.issue)

export function lift({ record, ...headline }: SessionMessage): Envelope {
  const lifted = {
    ...headline,
    handle: handleOf(headline),
    kind: 'ask',
    stage: 'finished',
    urgency: 'normal',
    needsAnswer: true,
    dependsOn: [],
    attachments: [],
    native: record,
  } as const
  if (!isTask(record)) return { ...lifted, stage: record.answer === undefined ? 'written' : 'finished' }
  const { state, priority, more, agent: by, attempts: attempt, line } = record
  return {
    ...lifted,
    ...(line === undefined ? {} : ({ kind: 'tell', needsAnswer: false } as const)),
    stage: taskStages[state],
    urgency: urgencies[priority],
    ...(state !== 'pending' ? { claim: { by, attempt } } : {}),
    ...carriedFieldsIn(more),
  }
}

/** Whether a session tells it (`#DIRECT`) rather than gives it as a task. */
export const isTold = (draft: Draft): boolean =>
  kindOf(draft) !== 'ask' && !needsAnswerOf(draft) && !draft.dependsOn?.length

/** `line`: of what is only told. */
export function lower(draft: Draft, { id, at, line }: Pick<Task, 'id' | 'at' | 'line'>): Task {
  const { from, to, text, summary, urgency = 'normal' } = draft
  const said: Task = {
    id,
    agent: to,
    task: text,
    priority: priorities[urgency],
    state: 'pending',
    by: from,
    at,
    changedAt: at,
    attempts: 0,
    ...(summary === undefined ? {} : { summary }),
    ...(line === undefined ? {} : { line }),
  }
  const more = unsaidFields(draft, lift(messageOf('s', said)))
  return more ? { ...said, more } : said
}

const isTask = (record: Task | Escalation): record is Task => 'task' in record

function summaryOf({ summary, task }: Task): string {
  const line = printableLine((summary || task).trim().split(/\r?\n/, 1)[0]!)
  return line.length > longestSummary ? `${line.slice(0, longestSummary - 1)}…` : line
}
