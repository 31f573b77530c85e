/**
 * Tasks and what follows from their statuses. Pure. Spec: Dream.OS, GENERATE_TASK_SEQUENCE; the shape of a task is that of
 * its example.
 */
import { findInexact } from '../../formats/json.ts'
import { inputs } from '../../kernel/call.ts'
import type { Malformed, Problem } from '../../kernel/problem.ts'
import { sameButForCase } from '../../kernel/same-but-for-case.ts'
import { convertTask, listWithin } from './compat.ts'
import { type JsonOptions, type JsonText, readJsonText } from './json-text.ts'
import { isAgentId, isTaskId } from './names.ts'
import { malformed, missingOrWrong } from './problem.ts'
import { isObject, type Task, type TaskStatus, taskStatuses } from './schema.ts'

export interface TaskList {
  readonly outcome: 'list'
  readonly entries: readonly TaskEntry[]
  /** The key of the object around the list, where there is one. */
  readonly within: string | undefined
  readonly notes: readonly string[]
  edit: JsonText['edit']
}

/** One entry of the list: a task, or what is wrong with it. */
interface TaskEntry {
  readonly index: number
  readonly value: unknown
  readonly task?: Task
  readonly problems: readonly Problem[]
}

export function parseTaskList(bytes: Uint8Array, options: JsonOptions): TaskList | Malformed {
  const { compat = false } = options
  const read = readJsonText(bytes, options)
  if (read.outcome === 'malformed') return read
  const notes = read.hadRemarks ? ['Remarks behind // are passed over.'] : []
  const within = isObject(read.value) ? listWithin(read.value) : undefined
  if (within !== undefined && !compat) {
    return malformed(
      'NOT_A_TASK_LIST',
      'It is an object, not a list of tasks.',
      `An object around the list is read with ${inputs({ compat: true })}.`,
    )
  }
  const list = within === undefined ? read.value : (read.value as Record<string, unknown>)[within]
  if (!Array.isArray(list)) return malformed('NOT_A_TASK_LIST', 'It is no list of tasks.')
  if (within !== undefined) notes.push(`The list is in the field ${within} of an object.`)
  const known = new Set<string>()
  const entries = list.map((value: unknown, index): TaskEntry => {
    const read = readTask(value, compat)
    if (read.task && known.has(read.task.task_id)) {
      const twin = { code: 'DUPLICATE_ID', field: 'task_id', message: `Another task has the id ${read.task.task_id}.` }
      return { index, value, problems: [twin] }
    }
    if (read.task) known.add(read.task.task_id)
    notes.push(...read.notes.map((note) => `Task ${index + 1}: ${note}`))
    return { index, value, problems: read.problems, ...(read.task ? { task: read.task } : {}) }
  })
  return { outcome: 'list', entries, within, notes, edit: read.edit }
}

export function readTask(
  value: unknown,
  compat = false,
): { task?: Task; problems: Problem[]; notes: readonly string[] } {
  if (!isObject(value)) return { problems: [missingOrWrong('task', 'an object', value ?? null)], notes: [] }
  const { value: raised, notes } = compat ? convertTask(value) : { value, notes: [] }
  const problems: Problem[] = []
  const expect = (field: string, expected: string, isFine: boolean) => {
    if (!isFine) problems.push(missingOrWrong(field, expected, raised[field]))
  }
  const { task_id, action, params, target_agent, priority, depends_on } = raised
  const status = raised.status === 'PROCESSING' ? 'IN_PROGRESS' : raised.status
  expect('task_id', 'an id of letters, digits, `.`, `_` and `-`', typeof task_id === 'string' && isTaskId(task_id))
  expect('action', 'a word', typeof action === 'string' && action.trim() !== '')
  expect('params', 'an object', isObject(params))
  expect('target_agent', 'the name of an agent', typeof target_agent === 'string' && isAgentId(target_agent))
  expect('status', taskStatuses.join(', '), taskStatuses.includes(status as TaskStatus))
  expect('priority', 'a whole number, lower for more urgent', Number.isSafeInteger(priority))
  const areIds = Array.isArray(depends_on) && depends_on.every((id) => typeof id === 'string' && isTaskId(id))
  expect('depends_on', 'a list of ids of tasks', areIds)
  if (areIds && (depends_on as unknown[]).includes(task_id)) {
    problems.push({
      code: 'DEPENDS_ON_ITSELF',
      field: 'depends_on',
      message: `Task ${String(task_id)} depends on itself.`,
    })
  }
  // Parsing has rounded it: the agent would get another number.
  const inexact = findInexact(raised)
  if (inexact !== undefined)
    problems.push({
      code: 'INEXACT_NUMBER',
      field: inexact,
      message: `${inexact} is a whole number that is too large to be kept exactly; text is expected.`,
    })
  return problems.length > 0 ? { problems, notes } : { task: { ...raised, status } as Task, problems, notes }
}

type JoinPlan =
  | { readonly outcome: 'valid' /** Those that are not in the list yet. */; readonly added: readonly Task[] }
  | { readonly outcome: 'refused'; readonly reasons: readonly string[] }

/** Whether the tasks of a planner's answer can be joined into a list, and which are new. `under`: the task they are parts of. */
export function planJoin(list: readonly Task[], results: unknown, under?: string): JoinPlan {
  if (!Array.isArray(results)) return refused(['results is no list of tasks.'])
  if (results.length === 0) return refused(['results is empty.'])
  const reasons: string[] = []
  const known = new Map(list.map((task) => [task.task_id, task]))
  const fresh = new Map<string, Task>()
  const ids: string[] = []
  for (const [index, value] of results.entries()) {
    const { task, problems } = readTask(value)
    reasons.push(
      ...problems.map(({ field, message }) => `results[${index}]${field === '' ? '' : `.${field}`}: ${message}`),
    )
    if (!task) continue
    const other = known.get(task.task_id)
    const twin = sameButForCase(task.task_id, [...known.keys(), ...fresh.keys()])
    if (twin !== undefined) reasons.push(`results[${index}].task_id: ${task.task_id} and ${twin} differ by case alone.`)
    else if (ids.includes(task.task_id))
      reasons.push(`results[${index}].task_id: ${task.task_id} is in this plan twice.`)
    else if (!other) fresh.set(task.task_id, task)
    else if (!saysTheSame(other, task))
      reasons.push(`results[${index}].task_id: there is another task ${task.task_id} already.`)
    ids.push(task.task_id)
  }
  for (const { task_id, depends_on } of fresh.values()) {
    for (const id of depends_on) {
      if (!known.has(id) && !fresh.has(id)) reasons.push(`${task_id}.depends_on: there is no task ${id}.`)
    }
  }
  const parent = list.find(({ task_id }) => task_id === under)
  // Since the planner was asked, the parent may have been done, or expanded by another plan.
  const fault = parent && JSON.stringify(partsOf(parent)) !== JSON.stringify(ids) ? whyNotExpandable(parent) : undefined
  if (fault !== undefined) reasons.push(fault)
  const all = [...list, ...fresh.values()].map((task) => (task === parent ? { ...task, subtasks: ids } : task))
  if (reasons.length === 0) reasons.push(...cyclesIn(all, new Set([...fresh.keys(), ...(parent ? ids : [])])))
  return reasons.length > 0 ? refused(reasons) : { outcome: 'valid', added: [...fresh.values()] }
}

const refused = (reasons: readonly string[]): JoinPlan => ({ outcome: 'refused', reasons })

/** Why a task cannot be expanded into parts; `undefined` if it can. */
export function whyNotExpandable(task: Task): string | undefined {
  const { task_id, status } = task
  const parts = partsOf(task)
  if (parts.length > 0) return `Task ${task_id} cannot be expanded: it has parts already: ${parts.join(', ')}.`
  return isOver(status) ? `Task ${task_id} cannot be expanded: it is ${status}.` : undefined
}

/** Whether two tasks ask for the same work; their statuses may differ. */
function saysTheSame(a: Task, b: Task): boolean {
  const plain = ({ action, params, target_agent, priority, depends_on }: Task) =>
    JSON.stringify([action, sorted(params), target_agent, priority, depends_on])
  return plain(a) === plain(b)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.keys(value)
    .sort()
    .map((key) => [key, sorted(value[key])])
}

/** Tasks of a list that wait for each other, as another program may have written them; none of them will ever run. */
export function circlesIn(tasks: readonly Task[]): string[] {
  const open = tasks.filter(({ status }) => !isOver(status))
  return cyclesIn(open, new Set(open.map(({ task_id }) => task_id)))
}

/** One sentence for a cycle through one of the new tasks. Iterative: a chain may be as long as the list. */
function cyclesIn(tasks: readonly Task[], fresh: ReadonlySet<string>): string[] {
  // A task is done after what it depends on, and after its parts.
  const left = new Map(tasks.map((task) => [task.task_id, new Set([...task.depends_on, ...partsOf(task)])]))
  const waiting = new Map<string, string[]>()
  for (const [task_id, before] of left) {
    for (const id of before) waiting.set(id, [...(waiting.get(id) ?? []), task_id])
  }
  const free = [...left].filter(([, before]) => [...before].every((id) => !left.has(id))).map(([task_id]) => task_id)
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    left.delete(id)
    for (const other of waiting.get(id) ?? []) {
      const deps = left.get(other)
      deps?.delete(id)
      if (deps && [...deps].every((dep) => !left.has(dep))) free.push(other)
    }
  }
  const stuck = [...left.keys()].filter((id) => fresh.has(id))
  return stuck.length === 0
    ? []
    : [`depends_on: these depend on each other in a circle: ${stuck.slice(0, 10).join(', ')}.`]
}

const partsOf = ({ subtasks }: Task): readonly string[] => (Array.isArray(subtasks) ? subtasks : [])

/** What each task waits for: its own dependencies, and those of the tasks that it is a part of. */
function dependenciesOf(list: Iterable<Task>): (task: Task) => readonly string[] {
  const parents = new Map<string, Task[]>()
  for (const task of list) for (const id of partsOf(task)) parents.set(id, [...(parents.get(id) ?? []), task])
  return (task) => {
    if (!parents.has(task.task_id)) return task.depends_on
    // Iterating over a set also visits what is added meanwhile, and each task once: so a cycle ends.
    const line = new Set([task])
    for (const one of line) for (const parent of parents.get(one.task_id) ?? []) line.add(parent)
    return [...line].flatMap(({ depends_on }) => depends_on)
  }
}

/** The new fields of a task. */
interface TaskChange {
  readonly status: TaskStatus
  readonly blocked_reason?: string | null
}

/**
 * The changes that follow from the statuses. A task that depends on a failed one becomes BLOCKED, and PENDING again once that
 * one is no longer failed. A task with parts is COMPLETED when all of them are.
 */
export function consequencesOf(list: readonly Task[]): Map<string, TaskChange> {
  const now = new Map(list.map((task) => [task.task_id, task]))
  const changes = new Map<string, TaskChange>()
  const dependencies = dependenciesOf(list)
  for (let isStable = false; !isStable; ) {
    isStable = true
    for (const task of now.values()) {
      const change = consequenceFor(task, now, dependencies(task))
      if (!change) continue
      isStable = false
      changes.set(task.task_id, change)
      now.set(task.task_id, { ...task, ...change })
    }
  }
  return changes
}

export const isOver = (status: TaskStatus): boolean => status === 'COMPLETED' || status === 'FAILED'

function consequenceFor(
  task: Task,
  all: ReadonlyMap<string, Task>,
  dependencies: readonly string[],
): TaskChange | undefined {
  const { status, blocked_reason } = task
  if (isOver(status)) return undefined
  const parts = partsOf(task).flatMap((id) => all.get(id) ?? [])
  const failed = (tasks: readonly Task[]) => tasks.find((one) => one.status === 'FAILED' || one.status === 'BLOCKED')
  const cause = failed(dependencies.flatMap((id) => all.get(id) ?? []))
  const part = failed(parts)
  const reason = cause
    ? `It depends on ${cause.task_id}, which is ${cause.status}.`
    : part && `Its part ${part.task_id} is ${part.status}.`
  if (reason !== undefined) {
    if (status === 'IN_PROGRESS' && parts.length === 0) return undefined // Its agent works on it already.
    return status === 'BLOCKED' && blocked_reason === reason ? undefined : { status: 'BLOCKED', blocked_reason: reason }
  }
  if (parts.length > 0) {
    if (parts.every((one) => one.status === 'COMPLETED')) return { status: 'COMPLETED', ...cleared(task) }
    return status === 'IN_PROGRESS' ? undefined : { status: 'IN_PROGRESS', ...cleared(task) }
  }
  // Signalbox writes a reason when it blocks a task. A task that another program blocked stays BLOCKED.
  if (status === 'BLOCKED' && typeof blocked_reason === 'string') return { status: 'PENDING', blocked_reason: null }
  return undefined
}

const cleared = ({ blocked_reason }: Task) => (typeof blocked_reason === 'string' ? { blocked_reason: null } : {})

/** The tasks that may start: without parts, and with all dependencies completed. The most urgent first, then in list order. */
export function runnableIn(list: readonly Task[]): Task[] {
  const status = new Map(list.map((task) => [task.task_id, task.status]))
  const dependencies = dependenciesOf(list)
  return list
    .filter((task) => task.status === 'PENDING' && partsOf(task).length === 0)
    .filter((task) => dependencies(task).every((id) => status.get(id) === 'COMPLETED'))
    .sort((a, b) => a.priority - b.priority)
}
