/**
 * What was delegated, escalated or told, as an envelope; and a draft as a task (an ask) or as a line that tells it (`#DIRECT`).
 * Pure. Fields of a draft that these have no place for are kept in their `more`.
 */
import { isoTime } from '../../kernel/clock.ts'
import { type Draft, type Envelope, type Headline, handleOf, kindOf, type Urgency } from '../../kernel/envelope.ts'
import { printableLine } from '../../kernel/printable.ts'
import { carriedFieldsIn, unsaidFields } from '../../messaging/envelope/carried-fields.ts'
import { documentPath, sessionId } from './layout.ts'
import { taskStages } from './lifecycle.ts'
import { type ToldState, toldStages } from './mailboxes.ts'
import type { Escalation, SessionChange, Task } from './record.ts'
import type { Priority } from './schema.ts'

/** A line of the log that tells an agent something, for one of those whom it tells. */
export interface Told {
  readonly id: string
  readonly line: SessionChange
  readonly to: string
  readonly state: ToldState
  /** Which time it was taken. */
  readonly attempt?: number
}

type MessageRecord = Task | Escalation | Told

/** What was delegated, escalated or told, as a list shows it. */
export interface SessionMessage extends Headline {
  readonly place: string
  readonly record: MessageRecord
}

const priorities: Readonly<Record<Urgency, Priority>> = { high: 0, normal: 2, low: 3 }
const urgencies = ['high', 'high', 'normal', 'low'] as const
const longestSummary = 120

export const messageIdOf = (session: string, { id }: { readonly id: string }): string => `${session}:${id}`

/** The id of what a line tells. */
export const toldId = (n: number): string => `msg_${String(n).padStart(3, '0')}`

/** The number of the line; `undefined` for the id of anything else. */
export function toldNumber(id: string): number | undefined {
  const n = Number(/^msg_(\d{3,12})$/.exec(id)?.[1] ?? 0)
  return toldId(n) === id ? n : undefined
}

export function messageOf(session: string, record: MessageRecord): SessionMessage {
  const { by, at } = isTold(record) ? record.line : record
  return {
    protocol: 'session',
    id: messageIdOf(session, record),
    from: by,
    ...fieldsOf(record),
    path: documentPath(sessionId(session)),
    createdAt: isoTime(at),
    place: session,
    record,
  }
}

function fieldsOf(record: MessageRecord): Pick<SessionMessage, 'to' | 'state' | 'summary'> {
  if (isTask(record))
    return { to: record.agent, state: record.state, summary: summaryOf(record.summary ?? record.task) }
  if (isTold(record)) return { to: record.to, state: record.state, summary: summaryOf(textOf(record)) }
  const { answer, answeredBy = 'human', issue } = record
  const state = answer === undefined ? 'asked' : 'answered'
  return { to: answeredBy, state, summary: issue.slice(0, longestSummary) }
}

export const textOf = (record: MessageRecord): string =>
  isTask(record) ? record.task : isTold(record) ? (record.line.text ?? '') : record.issue

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
  if (isTold(record)) {
    const { line, to, attempt, state: told } = record
    return {
      ...lifted,
      kind: 'tell',
      needsAnswer: false,
      stage: toldStages[told],
      ...(attempt === undefined ? {} : { claim: { by: to, attempt } }),
      native: line,
      // A result names its task, and a broadcast its channel.
      ...(line.about === undefined || line.did === 'BROADCAST'
        ? {}
        : { kind: 'answer', replyTo: messageIdOf(headline.place, { id: line.about }) }),
      ...carriedFieldsIn(line.more),
    }
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

export const priorityOf = (record: Task | Told): Priority =>
  isTask(record) ? record.priority : priorities[carriedFieldsIn(record.line.more).urgency ?? 'normal']

/** An ask is a task. */
export const isAsk = (draft: Draft): boolean => kindOf(draft) === 'ask'

export function lowerTold(draft: Draft): Pick<SessionChange, 'did' | 'text' | 'to' | 'more'> {
  const { from: by, to, text } = draft
  const line = { did: 'DIRECT', text, to: [to] }
  const told = { id: '', to, state: 'unread', line: { n: 0, at: 0, by, ...line } } as const
  const more = unsaidFields(draft, lift(messageOf('s', told)))
  return more ? { ...line, more } : line
}

const isTask = (record: MessageRecord): record is Task => 'task' in record
const isTold = (record: MessageRecord): record is Told => 'line' in record

function summaryOf(text: string): string {
  const line = printableLine(text.trim().split(/\r?\n/, 1)[0]!)
  return line.length > longestSummary ? `${line.slice(0, longestSummary - 1)}…` : line
}
