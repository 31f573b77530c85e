/**
 * The changes of Dream.OS that have several steps, as plain data for the journal of messaging. Pure; each step is done by the part
 * of the store that owns what it changes.
 *
 * A note may have been written by another program: every field of a step is checked before it is used.
 */
import { isSegment } from '../../kernel/tree-path.ts'
import { isMessageName } from './layout.ts'
import { type AgentId, hashedName, isAgentId, mostMailboxes } from './names.ts'
import {
  type CompletedTask,
  type GovernanceEvent,
  isObject,
  outcomeStatuses,
  type Task,
  taskStatuses,
} from './schema.ts'
import { readTask } from './tasks.ts'

type Fields = Readonly<Record<string, unknown>>

/** What is written into the state of the supervisor. */
export interface News {
  /** When it happened. */
  readonly at: string
  readonly note?: string
  readonly goal?: string
  readonly agents?: Fields
  readonly assignments?: Fields
}

/** New fields for a task of the list, if it has one of the statuses in `while` and, where given, was completed at `completedAt`. */
export interface TaskUpdate {
  readonly task: string
  readonly while: readonly string[]
  readonly completedAt?: string
  readonly set: Fields
}

export type DreamStep =
  /** A line of the governance log. */
  | { readonly do: 'log'; readonly line: GovernanceEvent }
  /** A line of `completed_tasks.json`. */
  | { readonly do: 'complete'; readonly line: CompletedTask }
  | { readonly do: 'news'; readonly news: News }
  /** Moves a message that was staged into an inbox. */
  | { readonly do: 'carry'; readonly staged: string; readonly to: AgentId; readonly name: string }
  /** Changes the list of tasks; `by`: who is named in the log for tasks that are blocked by that. */
  | {
      readonly do: 'tasks'
      readonly by: string
      readonly updates: readonly TaskUpdate[]
      readonly add?: readonly Task[]
    }
  /** Remembers how often a task was handed out. */
  | { readonly do: 'attempt'; readonly task: string; readonly attempt: number }
  /** Remembers what is known of a plan. */
  | { readonly do: 'plan'; readonly plan: string; readonly note: Fields }
  /** Remembers what a person answered to a failure. */
  | { readonly do: 'answer'; readonly id: string; readonly note: Fields }
  /** Gives the mailbox of an agent that is gone to another one; lost if it is no longer that agent's. */
  | {
      readonly do: 'assign'
      readonly mailbox: number
      readonly agent: AgentId
      readonly from: string
      readonly at: number
    }
  | {
      readonly do: 'process'
      readonly mailbox: number
      readonly message: string
      readonly agent: string
      readonly at: number
    }
  /** Puts back messages that another program has overwritten. */
  | { readonly do: 'resend'; readonly mailbox: number; readonly ids: readonly string[] }
  /** Moves processed messages into the archive of the mailbox. */
  | { readonly do: 'pack'; readonly mailbox: number; readonly ids: readonly string[]; readonly at: number }
  /** Puts a file that is finished into the archive. */
  | { readonly do: 'finish'; readonly agent: AgentId; readonly file: string }
  /** Puts a failure that a person answered into the archive. */
  | { readonly do: 'put-away'; readonly agent: AgentId; readonly file: string; readonly from: 'inbox' | 'outbox' }

export type StepOf<Kind extends DreamStep['do']> = Extract<DreamStep, { do: Kind }>

/** What a change is about. Changes of one subject are made one at a time. */
export type Subject = 'tasks' | `${'mailbox' | 'plan' | 'file' | 'answer'}-${string}`

export const mailboxSubject = (mailbox: number): Subject => `mailbox-${mailbox}`
export const planSubject = (plan: string): Subject => `plan-${hashedName(plan)}`
export const fileSubject = (agent: string, file: string): Subject => `file-${hashedName(agent, file)}`
export const answerSubject = (id: string): Subject => `answer-${hashedName(id)}`

export const isSubject = (name: string): name is Subject =>
  name === 'tasks' || mailboxOf(name) !== undefined || /^(plan|file|answer)-[0-9a-f]{24}$/.test(name)

/** The mailbox that a change is about. */
export function mailboxOf(subject: string): number | undefined {
  const digits = /^mailbox-([1-9]\d{0,2})$/.exec(subject)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** The steps of a note about this subject; `undefined` where one of them is no step, or about another subject. */
export const parseSteps = (values: readonly unknown[], subject: Subject): readonly DreamStep[] | undefined =>
  values.every((value) => isStep(value) && isAbout(value, subject)) ? (values as readonly DreamStep[]) : undefined

/** Whether a step may be done while holding the lock of this subject alone. */
function isAbout(step: DreamStep, subject: Subject): boolean {
  switch (step.do) {
    case 'attempt':
      return subject === 'tasks'
    case 'plan':
      return subject === 'tasks' || subject === planSubject(step.plan)
    case 'answer':
      return subject === answerSubject(step.id)
    case 'finish':
      return subject === fileSubject(step.agent, step.file)
    case 'put-away':
      return subject.startsWith('answer-')
    default:
      return !('mailbox' in step) || subject === mailboxSubject(step.mailbox)
  }
}

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isTime: Check = (value) => typeof value === 'number' && Math.abs(value) <= 8.64e15
const isAgent: Check = (value) => typeof value === 'string' && isAgentId(value)
const isFile: Check = (value) => typeof value === 'string' && isSegment(value) && isMessageName(value)
const isMailbox: Check = (value) =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= mostMailboxes
const isOneOf =
  (all: readonly unknown[]): Check =>
  (value) =>
    all.includes(value)
const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const objectOf =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(checks).every(([field, check]) => check(value[field]))

const mailboxFields = { mailbox: isMailbox, at: isTime }

const checks: Readonly<Record<DreamStep['do'], Check>> = {
  log: objectOf({
    line: objectOf({
      event_id: isText,
      timestamp: isText,
      event_type: isText,
      agent_source: isText,
      details: isObject,
    }),
  }),
  complete: objectOf({
    line: objectOf({
      message_id: orNull(isText),
      task_id: orNull(isText),
      agent_id: isText,
      status: isOneOf(outcomeStatuses),
      timestamp: isText,
    }),
  }),
  news: objectOf({
    news: objectOf({
      at: isText,
      note: maybe(isText),
      goal: maybe(isText),
      agents: maybe(isObject),
      assignments: maybe(isObject),
    }),
  }),
  carry: objectOf({ staged: isFile, to: isAgent, name: isFile }),
  tasks: objectOf({
    by: isText,
    updates: listOf(
      objectOf({ task: isText, while: listOf(isOneOf(taskStatuses)), completedAt: maybe(isText), set: isObject }),
    ),
    add: maybe(listOf((value) => readTask(value).task !== undefined)),
  }),
  attempt: objectOf({ task: isText, attempt: (value) => Number.isSafeInteger(value) && (value as number) > 0 }),
  plan: objectOf({ plan: isText, note: isObject }),
  answer: objectOf({ id: isText, note: isObject }),
  assign: objectOf({ ...mailboxFields, agent: isAgent, from: isText }),
  process: objectOf({ ...mailboxFields, message: isText, agent: isText }),
  resend: objectOf({ mailbox: isMailbox, ids: listOf(isText) }),
  pack: objectOf({ ...mailboxFields, ids: listOf(isText) }),
  finish: objectOf({ agent: isAgent, file: isFile }),
  'put-away': objectOf({ agent: isAgent, file: isFile, from: isOneOf(['inbox', 'outbox']) }),
}

const isStep = (value: unknown): value is DreamStep =>
  isObject(value) && Object.hasOwn(checks, String(value.do)) && checks[value.do as DreamStep['do']](value)
