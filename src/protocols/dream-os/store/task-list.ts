/**
 * `task_list.json`: read, joined into, dispatched from, and brought up to date. One process of ours at a time changes it, and
 * what another program writes meanwhile is not overwritten. Unknown fields of a task stay as they are.
 */
import { call } from '../../../kernel/call.ts'
import { conflict, notFound } from '../../../kernel/errors.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { statedFieldsOf } from '../format.ts'
import { dispatchPath, taskFileName } from '../layout.ts'
import type { AgentId } from '../names.ts'
import { type CompletedTask, type Task, taskStatuses } from '../schema.ts'
import type { DreamStep, StepOf, TaskUpdate } from '../steps.ts'
import { consequencesOf, isOver, parseTaskList, runnableIn, type TaskList, whyNotExpandable } from '../tasks.ts'
import { isoOf } from '../times.ts'
import type { Judged, Recipient } from './agents.ts'
import type { Dream } from './dream.ts'
import { attemptIn, noteIn, readNote, writeNote } from './notes.ts'
import type { Dispatched, TasksListed } from './outcomes.ts'
import { badFile, bytesOf, Part, readLeaf } from './parts.ts'

type TasksStep = StepOf<'tasks'>

const notOver = taskStatuses.filter((status) => !isOver(status))

/** Writes an outcome into the list. */
export const settlingStep = (id: string, line: CompletedTask): TasksStep => {
  const { agent_id: by, status, timestamp, error_details, output } = line
  const what = status === 'FAILED' ? { error_details } : { output }
  return { do: 'tasks', by, updates: [{ task: id, while: notOver, set: { status, completed_at: timestamp, ...what } }] }
}

/** Lets a failed task start again, unless it has failed once more since. */
export const retryStep = (task: string, failedAt: string, by: string): TasksStep => {
  const set = { status: 'PENDING', completed_at: null, error_details: null }
  return { do: 'tasks', by, updates: [{ task, while: ['FAILED'], completedAt: failedAt, set }] }
}

export class Tasks extends Part {
  constructor(dream: Dream) {
    super(dream)
    dream.journal.performs({
      tasks: (step, isRepeat) => this.#change(step, isRepeat),
      attempt: ({ task, attempt }) => writeNote(dream.parts.tree, noteIn(dispatchPath, task), { attempt }),
    })
  }

  async list({ runnable = false }: { readonly runnable?: boolean } = {}): Promise<TasksListed> {
    const leaf = await readLeaf(this.parts, this.parts.places.taskList)
    const list = this.#parsed(leaf?.bytes)
    const tasks = tasksOf(list)
    return { tasks: runnable ? runnableAfter(tasks) : tasks, problems: problemsOf(list), notes: list.notes }
  }

  async find(id: string): Promise<Task> {
    const found = (await this.list()).tasks.find(({ task_id }) => task_id === id)
    if (found) return found
    throw notFound('NO_SUCH_TASK', `There is no task ${id.slice(0, 120)} in ${this.parts.places.taskList}.`, {
      hint: `See what there is: ${call('dream tasks')}`,
      details: { task: id.slice(0, 400) },
    })
  }

  /** Writes an outcome into the list that an agent of another program told by an event. Repeating it changes nothing. */
  async settle(id: string, line: CompletedTask): Promise<void> {
    await this.dream.journal.make('tasks', [settlingStep(id, line)])
  }

  /** Brings statuses in line with each other, after another program has changed some. */
  async refresh(by: string): Promise<void> {
    const leaf = await readLeaf(this.parts, this.parts.places.taskList)
    if (!leaf || consequencesOf(tasksOf(this.#parsed(leaf.bytes))).size === 0) return
    await this.dream.journal.make('tasks', [{ do: 'tasks', by, updates: [] }])
  }

  /** Puts what may start into the inboxes of its agents, each once, the most urgent first. */
  async dispatch(by: string, { recipient }: { readonly recipient?: Recipient } = {}): Promise<Dispatched> {
    // Recipients are judged before the turn, which other processes wait for.
    const judged = new Map<string, Judged>()
    for (const { target_agent: one } of (await this.list({ runnable: true })).tasks)
      if (!judged.has(one)) judged.set(one, await this.dream.agents.judge(one, recipient))
    const isRight = (agent: string) => judged.get(agent)?.refused === undefined
    const handed = await this.dream.journal.turn('tasks', () => this.#dispatch(by, isRight))
    const got = new Set(handed.tasks.map(({ target_agent }) => target_agent))
    const notices = [...judged].flatMap(([one, { refused, notices = [] }]) => refused ?? (got.has(one) ? notices : []))
    return { ...handed, notices }
  }

  async #dispatch(by: string, isRight: (agent: string) => boolean): Promise<Omit<Dispatched, 'notices'>> {
    const leaf = await readLeaf(this.parts, this.parts.places.taskList)
    const list = this.#parsed(leaf?.bytes)
    const runnable = runnableAfter(tasksOf(list)).filter(({ target_agent }) => isRight(target_agent))
    const problems = problemsOf(list)
    if (runnable.length === 0) return { outcome: 'nothing', tasks: [], paths: [], problems }
    const dispatched_at = isoOf(this.parts.clock.now())
    const steps: DreamStep[] = []
    for (const task of runnable) {
      const { task_id, target_agent } = task
      // A task that was set back to PENDING goes out again, as another file.
      const attempt = attemptIn(await readNote(this.parts.tree, noteIn(dispatchPath, task_id))) + 1
      // An agent that answers by a message must know whom.
      const sender = statedFieldsOf({ ...task }).from === undefined ? { source_id: by } : {}
      const text = `${JSON.stringify({ ...task, status: 'IN_PROGRESS', ...sender }, null, 2)}\n`
      const message = { to: target_agent as AgentId, name: taskFileName(task_id, attempt), text }
      steps.push({ do: 'attempt', task: task_id, attempt }, ...(await this.dream.sending.stage([message])))
    }
    const set = { status: 'IN_PROGRESS', dispatched_at }
    const updates = runnable.map(({ task_id }): TaskUpdate => ({ task: task_id, while: ['PENDING', 'BLOCKED'], set }))
    const lines = runnable.map(({ task_id, target_agent }) =>
      this.dream.logs.line('TASKS_DISPATCHED', by, { task_id, target_agent }),
    )
    const news = {
      at: dispatched_at,
      note: `${by} dispatched ${runnable.map(({ task_id }) => task_id).join(', ')}.`,
      assignments: Object.fromEntries(runnable.map(({ task_id, target_agent }) => [task_id, target_agent])),
    }
    steps.push({ do: 'tasks', by, updates }, ...lines.map((line): DreamStep => ({ do: 'log', line })), {
      do: 'news',
      news,
    })
    await this.dream.journal.commit('tasks', steps)
    this.dream.journal.expectWhole(steps)
    const handed = runnable.map((task): Task => ({ ...task, status: 'IN_PROGRESS' }))
    return { outcome: 'dispatched', tasks: handed, paths: this.dream.sending.pathsOf(steps), problems }
  }

  /** Writes new fields, new tasks and what follows from them, and logs the tasks that are blocked by that. */
  async #change({ by, updates, add = [] }: TasksStep, isRepeat: boolean): Promise<void> {
    let blocked: readonly Blocked[] = []
    await changeLeaf(this.parts.tree, this.parts.places.taskList, (leaf) => {
      const list = this.#parsed(leaf?.bytes)
      const tasks = tasksOf(list)
      const there = new Set(tasks.map(({ task_id }) => task_id))
      const fresh = add.filter(({ task_id }) => !there.has(task_id))
      const fields = fieldsOf(tasks, updates)
      const after = [...tasks, ...fresh].map((task) => ({ ...task, ...fields.get(task.task_id) }) as Task)
      const consequences = consequencesOf(after)
      blocked = isRepeat ? blockedIn(after) : blockedBy(consequences)
      for (const [id, change] of consequences) fields.set(id, { ...fields.get(id), ...change })
      if (fields.size === 0 && fresh.length === 0) return undefined
      const json = list.edit()
      const place = list.within === undefined ? json.root : json.member(json.root, list.within)!
      const items = json.items(place)
      for (const { index, task } of list.entries)
        for (const [key, value] of Object.entries((task && fields.get(task.task_id)) ?? {}))
          json.set(items[index]!, key, value)
      for (const task of fresh) json.push(place, { ...task, ...fields.get(task.task_id) })
      return bytesOf(json.result())
    })
    if (blocked.length > 0) await this.#tellBlocked(by, blocked, isRepeat ? timeOf(updates) : undefined)
  }

  /** `repeatedSince`: since then a killed process may have logged some of them. */
  async #tellBlocked(by: string, blocked: readonly Blocked[], repeatedSince: number | undefined): Promise<void> {
    const type = 'TASKS_BLOCKED'
    const { events } =
      repeatedSince === undefined ? { events: [] } : await this.dream.logs.events({ type, since: repeatedSince })
    const told = new Set(events.map(({ details }) => JSON.stringify(details)))
    for (const { task_id, reason } of blocked)
      if (!told.has(JSON.stringify({ task_id, reason }))) await this.dream.logs.tell(type, by, { task_id, reason })
  }

  #parsed(bytes: Uint8Array | undefined): TaskList {
    const { compat, settings, places } = this.parts
    const list = parseTaskList(bytes ?? bytesOf('[]\n'), { compat, most: settings.largest })
    if (list.outcome === 'malformed') throw badFile(this.parts, places.taskList, 'BAD_TASK_LIST', list.problems)
    return list
  }
}

/** The new fields of each task whose status is still an expected one. */
function fieldsOf(tasks: readonly Task[], updates: readonly TaskUpdate[]): Map<string, Record<string, unknown>> {
  const fields = new Map<string, Record<string, unknown>>()
  for (const { task: id, while: statuses, completedAt, set } of updates) {
    const task = tasks.find(({ task_id }) => task_id === id)
    if (!task || !statuses.includes(task.status)) continue
    if (completedAt !== undefined && failureKey(task) !== completedAt) continue
    fields.set(id, { ...set, ...(task.blocked_reason ? { blocked_reason: null } : {}) })
  }
  return fields
}

/** The time of the outcome that the updates write; 0 where they write none. */
const timeOf = ([first]: readonly TaskUpdate[]): number => Date.parse(String(first?.set.completed_at)) || 0

/** A task that waits for one that has failed. */
interface Blocked {
  readonly task_id: string
  readonly reason: string
}

const blockedBy = (changes: ReturnType<typeof consequencesOf>): Blocked[] =>
  [...changes].flatMap(([task_id, { status, blocked_reason: reason }]) =>
    status === 'BLOCKED' && typeof reason === 'string' ? [{ task_id, reason }] : [],
  )

/** All tasks that are blocked, by this change or before. */
const blockedIn = (tasks: readonly Task[]): Blocked[] =>
  blockedBy(consequencesOf(tasks.map((task) => (task.status === 'BLOCKED' ? { ...task, status: 'PENDING' } : task))))

/** The tasks that may start once what follows from the statuses is written. */
function runnableAfter(tasks: readonly Task[]): Task[] {
  const changes = consequencesOf(tasks)
  return runnableIn(tasks.map((task) => ({ ...task, ...changes.get(task.task_id) }) as Task))
}

/** A failure is identified by its time. */
export const failureKey = ({ completed_at }: Task): string => (typeof completed_at === 'string' ? completed_at : '')

export const tasksOf = ({ entries }: TaskList): Task[] => entries.flatMap(({ task }) => task ?? [])

const problemsOf = ({ entries }: TaskList): string[] =>
  entries.flatMap(({ index, problems }) =>
    problems.map(({ message }) => `Task ${index + 1} of the list is passed over: ${message} Correct it there.`),
  )

/** Throws unless a task can be expanded into parts. */
export function expectExpandable(task: Task): void {
  const why = whyNotExpandable(task)
  if (why === undefined) return
  throw conflict('NOT_EXPANDABLE', why, {
    hint: `Expand one of those that are not done: ${call('dream tasks')}`,
    details: { task: task.task_id, status: task.status },
  })
}
