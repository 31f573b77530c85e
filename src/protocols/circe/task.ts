/**
 * The state of a task, and the three files that hold it. Unknown fields, comments and the order of an existing file are kept.
 * Pure. Spec: CIRCE, "Task State Files".
 */
import { readFields } from '../../formats/front-matter.ts'
import { editFieldLines } from '../../formats/front-matter-edit.ts'
import { printFields } from '../../formats/front-matter-print.ts'
import { type Field, lineAt } from '../../formats/header-field.ts'
import { list, maybe, object, type Reader, type Shaped, text, time } from '../../formats/plain-data.ts'
import { isoTime } from '../../kernel/clock.ts'
import { SignalboxError } from '../../kernel/errors.ts'
import type { Problem } from '../../kernel/problem.ts'
import { timeOf } from './format.ts'
import type { TaskFile } from './layout.ts'
import { type AgentId, agentId, isAgentId, type TaskId } from './names.ts'
import { type SettableCheck, settableChecks, type TaskStatus, taskStatuses } from './schema.ts'

export { type SettableCheck, settableChecks, type TaskStatus, taskStatuses }

/** A closed task is over until new work comes for it. */
export const isClosed = (status: TaskStatus): boolean => status === 'completed' || status === 'failed'

export interface Checks extends Readonly<Record<SettableCheck, boolean>> {
  /** Derived: all the others are true. */
  readonly ready_for_merge: boolean
}

export interface Task {
  readonly id: TaskId
  readonly status: TaskStatus
  readonly owner?: AgentId | undefined
  readonly claimedAt?: number | undefined
  readonly startedAt?: number | undefined
  readonly updatedAt?: number | undefined
  readonly checks: Checks
}

export const checksOf = (set: Readonly<Record<SettableCheck, boolean>>): Checks => ({
  ...set,
  ready_for_merge: settableChecks.every((name) => set[name]),
})

export const noChecks: Checks = checksOf({ tests_passed: false, coverage_threshold_met: false, peer_reviewed: false })

export const newTask = (id: TaskId): Task => ({ id, status: 'new', checks: noChecks })

/** The texts of the three files; `undefined` for one that is not there. */
export type TaskTexts = Readonly<Record<TaskFile, string | undefined>>

export interface ReadTask {
  readonly task: Task
  /** Another program made `.owner`, and `.status` does not name that owner yet. */
  readonly isClaimedByHand: boolean
  /** What is wrong in which file. */
  readonly problems: readonly (Problem & { readonly file: TaskFile })[]
}

/** `.owner` decides who owns the task: the first claimer makes it. `.status` only repeats the name. */
export function readTask(id: TaskId, texts: TaskTexts): ReadTask {
  const problems: (Problem & { file: TaskFile })[] = []
  const lines = new Map<string, number>()
  const unread = new Set<TaskFile>()
  const fieldsOf = (file: TaskFile) => {
    const text = withoutMark(texts[file] ?? '')
    try {
      const fields = [...readFields(text)]
      for (const [key, { from }] of fields) lines.set(`${file} ${key}`, lineAt(text, Math.max(0, from), 1))
      return new Map(fields.map(([key, field]) => [key, wordOf(field)]))
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error
      const message = error.message.replace(/^Front matter, line/, 'Line')
      problems.push({ file, code: 'BAD_TASK_FILE', field: '', message })
      unread.add(file)
      return new Map<string, string>()
    }
  }
  const wrong = (file: TaskFile, field: string, found: string, expected: string) => {
    if (unread.has(file)) return
    const line = lines.get(`${file} ${field}`)
    const what = `\`${field}\` must be ${expected}; found ${JSON.stringify(found.slice(0, 80))}.`
    const message = `${line === undefined ? '' : `Line ${line}: `}${what}`
    problems.push({ file, code: 'BAD_TASK_FILE', field, message })
  }
  const [status, owner, checks] = [fieldsOf('status'), fieldsOf('owner'), fieldsOf('checks')]

  const timeIn = (file: TaskFile, fields: ReadonlyMap<string, string>, field: string): number | undefined => {
    const said = fields.get(field) ?? ''
    const time = timeOf(said)
    if (said !== '' && time === undefined) wrong(file, field, said, 'a time such as 2025-11-06T14:05:00Z')
    return time
  }
  const named = status.get('task_id')
  if (named !== undefined && named !== id) wrong('status', 'task_id', named, `${id}, as the file is called`)
  const said = status.get('status') ?? ''
  const known = said === 'done' ? 'completed' : taskStatuses.find((one) => one === said)
  if (texts.status !== undefined && !known) wrong('status', 'status', said, `one of ${taskStatuses.join(', ')}`)
  const holder = owner.get('owner') ?? ''
  if (texts.owner !== undefined && !isAgentId(holder)) wrong('owner', 'owner', holder, 'the name of an agent')
  const isSet = (name: SettableCheck): boolean => {
    const text = checks.get(name) ?? 'false'
    if (text !== 'true' && text !== 'false') wrong('checks', name, text, 'true or false')
    return text === 'true'
  }
  // A `.status` that names the same owner, or is closed, was written after `.owner`.
  const isRepeated = (status.get('owner') ?? '').toLowerCase() === holder.toLowerCase()
  const isClaimedByHand = isAgentId(holder) && !isRepeated && (known === 'new' || texts.status === undefined)
  const task: Task = {
    id,
    status: isClaimedByHand ? 'claimed' : (known ?? 'new'),
    owner: isAgentId(holder) ? agentId(holder) : undefined,
    claimedAt: timeIn('owner', owner, 'claimed_at'),
    startedAt: timeIn('status', status, 'started_at'),
    updatedAt: timeIn('status', status, 'updated_at'),
    checks: checksOf({
      tests_passed: isSet('tests_passed'),
      coverage_threshold_met: isSet('coverage_threshold_met'),
      peer_reviewed: isSet('peer_reviewed'),
    }),
  }
  return { task, problems, isClaimedByHand }
}

/** Empty for a field without a value and for `null`, which we write in that case. `[…]` stands for lists and maps. */
const wordOf = ({ value, text }: Field): string => (value === null ? '' : (text ?? '[…]'))

/** A byte-order mark is no part of the first key. */
const withoutMark = (text: string): string => text.replace(/^\ufeff/, '')

/** The line of a field, counted from 1; 1 where the field is missing. */
export function lineNumberOf(text: string, field: string): number {
  const at = text.split('\n').findIndex((line) => line.startsWith(`${field}:`))
  return at < 0 ? 1 : at + 1
}

/** The text of one file of a task: a new one, or the existing text with the changed fields. */
export function printTaskFile(file: TaskFile, task: Task, before: string | undefined): string {
  const fields = fieldsOf[file](task)
  if (before === undefined) return printFields(Object.entries(fields))
  const text = withoutMark(before)
  return before.slice(0, before.length - text.length) + editFieldLines(text, fields)
}

const timeText = (ms: number | undefined): string | null => (ms === undefined ? null : isoTime(ms))

/** In the order of the specification. */
const fieldsOf: Readonly<Record<TaskFile, (task: Task) => Readonly<Record<string, string | boolean | null>>>> = {
  status: ({ id, status, owner, startedAt, updatedAt }) => ({
    task_id: id,
    status,
    owner: owner ?? null,
    started_at: timeText(startedAt),
    updated_at: timeText(updatedAt),
  }),
  owner: ({ owner, claimedAt }) => ({ owner: owner ?? null, claimed_at: timeText(claimedAt) }),
  checks: ({ checks }) => ({ ...checks }),
}

/** What the messages of a task tell besides its three files. */
const factsShape = {
  /** The message that the task began with: who asked, and for what. */
  request: maybe(object({ from: text, intent: text, time })),
  /** The agents that its owner has asked to review. */
  reviewers: list(text),
  /** The owner before the task was opened again, whom `.owner` still names: a record, not a claim. */
  formerOwner: maybe(object({ owner: text, claimedAt: maybe(time) })),
}
export type TaskFacts = Shaped<typeof factsShape>
export const taskFacts: Reader<TaskFacts> = object(factsShape)

export const noFacts: TaskFacts = { reviewers: [] }
