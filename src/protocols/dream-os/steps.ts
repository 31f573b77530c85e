/**
 * The changes of Dream.OS that have several steps, as plain data for the journal of messaging: the table says what each step is
 * made of, and reads it back. Another program may have written the note that is read. Pure; each step is done by the part of the
 * store that owns what it changes.
 */
import {
  list,
  matching,
  maybe,
  object,
  oneOf,
  type Reader,
  type Shaped,
  text,
  time,
  unfit,
} from '../../formats/plain-data.ts'
import { isSegment } from '../../kernel/tree-path.ts'
import { isMessageName } from './layout.ts'
import { hashedName, isAgentId, mostMailboxes } from './names.ts'
import { type CompletedTask, type GovernanceEvent, isObject, outcomeStatuses, taskStatuses } from './schema.ts'
import { readTask } from './tasks.ts'

const agent = matching(isAgentId)
const file = matching((name): name is string => isSegment(name) && isMessageName(name))
const fields = (value: unknown) => (isObject(value) ? value : unfit())
const textOrNull = (value: unknown) => (value === null ? null : text(value))
const countUpTo =
  (most: number): Reader<number> =>
  (value) =>
    Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most ? (value as number) : unfit()
const mailbox = countUpTo(mostMailboxes)

/** Checks some fields, and keeps the others. */
const whole =
  <T>(check: Reader<unknown>): Reader<T> =>
  (value) => {
    check(value)
    return value as T
  }

const governanceEvent = whole<GovernanceEvent>(
  object({ event_id: text, timestamp: text, event_type: text, agent_source: text, details: fields }),
)
const completedTask = whole<CompletedTask>(
  object({
    message_id: textOrNull,
    task_id: textOrNull,
    agent_id: text,
    status: oneOf(outcomeStatuses),
    timestamp: text,
  }),
)

/** What is written into the state of the supervisor. `at`: when it happened. */
const news = {
  at: text,
  note: maybe(text),
  goal: maybe(text),
  agents: maybe(fields),
  assignments: maybe(fields),
} as const
export type News = Shaped<typeof news>

/** New fields for a task of the list, if it has one of the statuses in `while` and, where given, was completed at `completedAt`. */
const taskUpdate = { task: text, while: list(oneOf(taskStatuses)), completedAt: maybe(text), set: fields } as const
export type TaskUpdate = Shaped<typeof taskUpdate>

const steps = {
  /** Appends a line to the governance log. */
  log: { line: governanceEvent },
  /** Appends a line to `completed_tasks.json`. */
  complete: { line: completedTask },
  news: { news: object(news) },
  /** Moves a message that was staged into an inbox. */
  carry: { staged: file, to: agent, name: file },
  /** Changes the list of tasks. `by`: who is named in the log for tasks that are blocked by that. */
  tasks: {
    by: text,
    updates: list(object(taskUpdate)),
    add: maybe(list((value) => readTask(value).task ?? unfit())),
  },
  /** Remembers how often a task was handed out. */
  attempt: { task: text, attempt: countUpTo(Number.MAX_SAFE_INTEGER) },
  /** Remembers what is known of a plan. */
  plan: { plan: text, note: fields },
  /** Remembers what a person answered to a failure. */
  answer: { id: text, note: fields },
  /** Gives the mailbox of an agent that is gone to another one; lost if it is no longer that agent's. */
  assign: { mailbox, agent, from: text, at: time },
  /** Marks a message as processed. */
  process: { mailbox, message: text, agent: text, at: time },
  /** Puts back messages that another program has overwritten. */
  resend: { mailbox, ids: list(text) },
  /** Moves processed messages into the archive of the mailbox. */
  pack: { mailbox, ids: list(text), at: time },
  /** Puts a file that is finished into the archive. */
  finish: { agent, file },
  /** Puts a failure that a person answered into the archive. */
  'put-away': { agent, file, from: oneOf(['inbox', 'outbox']) },
} as const

type Kind = keyof typeof steps
export type DreamStep = { [K in Kind]: { readonly do: K } & Shaped<(typeof steps)[K]> }[Kind]
export type StepOf<K extends Kind> = Extract<DreamStep, { do: K }>

const kind = object({ do: oneOf(Object.keys(steps) as Kind[]) })

/** The steps of a note about this subject; `undefined` where one of them is no step, or about another subject. */
export function parseSteps(values: readonly unknown[], subject: Subject): readonly DreamStep[] | undefined {
  try {
    const read = values.map((value) => ({ ...kind(value), ...object(steps[kind(value).do])(value) }) as DreamStep)
    return read.every((step) => isAbout(step, subject)) ? read : undefined
  } catch {
    return undefined // `unfit`
  }
}

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
