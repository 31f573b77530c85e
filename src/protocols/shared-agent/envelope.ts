/** A task as an envelope, and a draft as a task. Pure. Fields of a draft that a task has no place for are kept in its `more`. */
import { isoTime } from '../../kernel/clock.ts'
import { type Draft, type Envelope, type Headline, handleOf, type Urgency } from '../../kernel/envelope.ts'
import { printableLine } from '../../kernel/printable.ts'
import { carriedFieldsIn, unsaidFields } from '../../messaging/envelope/carried-fields.ts'
import { documentPath, sessionId } from './layout.ts'
import { type SaidState, saidStages, taskStages } from './lifecycle.ts'
import type { Escalation, SessionChange, Task } from './record.ts'
import type { Priority } from './schema.ts'

/** What was delegated, escalated or said, as a list shows it. */
export interface SessionMessage extends Headline {
  readonly place: string
  readonly record: Task | Escalation | SessionChange
}

const priorities: Readonly<Record<Urgency, Priority>> = { high: 0, normal: 2, low: 3 }
const urgencies = ['high', 'high', 'normal', 'low'] as const
const longestSummary = 120

export const messageIdOf = (session: string, { id }: Pick<Task, 'id'>): string => `${session}:${id}`

export function messageOf(session: string, record: Task | Escalation): SessionMessage {
  const fields = isTask(record)
    ? { to: record.agent, state: record.state, summary: summaryOf(record) }
    : { to: record.answeredBy ?? 'human', state: record.answer === undefined ? 'asked' : 'answered' }
  return {
    protocol: 'session',
    id: messageIdOf(session, record),
    from: record.by,
    summary: textOf(record).slice(0, longestSummary),
    ...fields,
    path: documentPath(sessionId(session)),
    createdAt: isoTime(record.at),
    place: session,
    record,
  }
}

/** The id of what was said, by the number of its change. */
export const saidIdOf = (n: number | string): string => `msg_${n}`

/** What was said, for one of its readers; `all` where nobody had subscribed. */
export const saidMessageOf = (
  session: string,
  said: SessionChange,
  reader = 'all',
  isRead = false,
): SessionMessage => ({
  protocol: 'session',
  id: messageIdOf(session, { id: saidIdOf(said.n) }),
  from: said.by,
  to: reader,
  state: isRead ? 'read' : 'sent',
  path: documentPath(sessionId(session)),
  summary: oneLine(textOf(said)),
  createdAt: isoTime(said.at),
  place: session,
  record: said,
})

/** What was said, as it is read. */
export const textOf = (record: SessionMessage['record']): string =>
  isTask(record) ? record.task : 'did' in record ? (record.text ?? '') : record.issue

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
  if ('did' in record) {
    const said = { ...lifted, needsAnswer: false, stage: saidStages[headline.state as SaidState] }
    // A result names its task, and a broadcast its channel.
    if (record.about === undefined || record.did === 'BROADCAST') return { ...said, kind: 'tell' }
    return { ...said, kind: 'answer', replyTo: messageIdOf(headline.place, { id: record.about }) }
  }
  if (!isTask(record)) return { ...lifted, stage: record.answer === undefined ? 'written' : 'finished' }
  const { state, priority, more, agent: by, attempts: attempt } = record
  return {
    ...lifted,
    stage: taskStages[state],
    urgency: urgencies[priority],
    ...(state !== 'pending' ? { claim: { by, attempt } } : {}),
    ...carriedFieldsIn(more),
  }
}

export function lower(draft: Draft, { id, at }: Pick<Task, 'id' | 'at'>): Task {
  const { from, to, text, summary, urgency = 'normal' } = draft
  const task: Task = {
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
  }
  const more = unsaidFields(draft, lift(messageOf('s', task)))
  return more ? { ...task, more } : task
}

const isTask = (record: SessionMessage['record']): record is Task => 'task' in record

const summaryOf = ({ summary, task }: Task): string => oneLine(summary ?? task)

function oneLine(text: string): string {
  const line = printableLine(text.trim().split(/\r?\n/, 1)[0]!)
  return line.length > longestSummary ? `${line.slice(0, longestSummary - 1)}…` : line
}
