/**
 * `task_list.json`: read, joined into, dispatched from, and brought up to date. One process of ours at a time changes it, and
 * what another program writes meanwhile is not overwritten. What is not known of a task stays as it is.
 */
import type { JsonEditor } from '../../../formats/json-edit.ts'
import { conflict, notFound } from '../../../kernel/errors.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { dispatchPath, taskFileName } from '../layout.ts'
import { isAgentId } from '../names.ts'
import type { CompletedTask, Task } from '../schema.ts'
import { consequencesOf, parseTaskList, runnableIn, type TaskList } from '../tasks.ts'
import { isoOf } from '../times.ts'
import type { Judged, Recipient } from './agents.ts'
import type { Deliveries } from './deliveries.ts'
import type { Logs } from './governance.ts'
import { attemptIn, type Note, noteIn, readNote, writeNote } from './notes.ts'
import type { Dispatched, TaskSettled, TasksListed } from './outcomes.ts'
import { badFile, bytesOf, type DreamParts, readLeaf } from './parts.ts'
import type { Tale, Tellings } from './tellings.ts'

/** What is being done to the list, for `Tellings`. */
export const taskSubject = 'tasks'

/** Fields that a task gets, by its id. */
type FieldsOf = Map<string, Record<string, unknown>>
type ListChange = (list: TaskList) => { readonly fields: FieldsOf; readonly fresh?: readonly Task[] }

export class TaskLists {
  readonly #parts: DreamParts
  readonly #logs: Logs
  readonly #deliveries: Deliveries
  readonly #tellings: Tellings

  constructor(parts: DreamParts, logs: Logs, deliveries: Deliveries, tellings: Tellings) {
    this.#parts = parts
    this.#logs = logs
    this.#deliveries = deliveries
    this.#tellings = tellings
  }

  async list({ runnable = false }: { readonly runnable?: boolean } = {}): Promise<TasksListed> {
    const leaf = await readLeaf(this.#parts, this.#parts.places.taskList)
    const list = this.#parsed(leaf?.bytes)
    const tasks = tasksOf(list)
    return { tasks: runnable ? runnableAfter(tasks) : tasks, problems: problemsOf(list), notes: list.notes }
  }

  async find(id: string): Promise<Task> {
    const found = (await this.list()).tasks.find(({ task_id }) => task_id === id)
    if (found) return found
    throw notFound('NO_SUCH_TASK', `There is no task ${id.slice(0, 120)} in ${this.#parts.places.taskList}.`, {
      hint: 'See what there is: signalbox dream tasks',
      details: { task: id.slice(0, 400) },
    })
  }

  /** Runs `work` in the turn of the list, after what was left there has been finished. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#parts.tree.exclusively(`dream ${this.#parts.places.taskList}`, async () => {
      await this.#tellings.recover(taskSubject, (when) => this.#isMade(when))
      return work()
    })
  }

  /** Joins a plan to the end that somebody was killed over; `Planning` knows how. False: it was not begun. */
  finishPlan: (plan: string, digest: unknown) => Promise<boolean> = async () => false

  async #isMade({ dispatched, blocked, plan, told }: Note): Promise<boolean> {
    // Handing out can be repeated: it is done to the end.
    if (Array.isArray(dispatched)) {
      await this.#handAllOut(dispatched.map(String))
      return true
    }
    if (typeof plan === 'string') return this.finishPlan(plan, told)
    const { tasks } = await this.list()
    const statuses = new Map(tasks.map(({ task_id, status }) => [task_id, status]))
    return Array.isArray(blocked) && blocked.every((id) => statuses.get(String(id)) === 'BLOCKED')
  }

  /** Only in its turn: adds tasks, and says of another that these are its parts. What follows from that is written too. */
  async add(added: readonly Task[], under: string | undefined): Promise<void> {
    await this.#edit((list) => {
      const there = new Set(tasksOf(list).map(({ task_id }) => task_id))
      const fresh = added.filter(({ task_id }) => !there.has(task_id))
      const fields: FieldsOf = new Map()
      if (under !== undefined)
        fields.set(under, { subtasks: added.map(({ task_id }) => task_id), status: 'IN_PROGRESS' })
      return { fields, fresh }
    })
  }

  /** Writes an outcome back, and what follows from it. Repeating it changes nothing. */
  async settle(id: string, line: CompletedTask): Promise<TaskSettled> {
    return this.inTurn(() =>
      this.#write(line.agent_id, (list) => {
        const task = tasksOf(list).find(({ task_id }) => task_id === id)
        const fields: FieldsOf = new Map()
        if (!task || task.status === 'COMPLETED' || task.status === 'FAILED') return { fields }
        const { status, timestamp } = line
        const what = status === 'FAILED' ? { error_details: line.error_details } : { output: line.output }
        fields.set(id, {
          status,
          completed_at: timestamp,
          ...what,
          ...(task.blocked_reason ? { blocked_reason: null } : {}),
        })
        return { fields }
      }),
    )
  }

  /** A failed task may be tried again, if it is still the failure of that time. Repeating it changes nothing. */
  async retry(id: string, failedAt: string, by: string): Promise<TaskSettled> {
    return this.inTurn(() =>
      this.#write(by, (list) => {
        const task = tasksOf(list).find(({ task_id }) => task_id === id)
        const fields: FieldsOf = new Map()
        if (task?.status === 'FAILED' && failureOf(task) === failedAt)
          fields.set(id, { status: 'PENDING', completed_at: null, error_details: null })
        return { fields }
      }),
    )
  }

  /** Brings statuses in line with each other, after another program has changed some. */
  async refresh(by: string): Promise<TaskSettled> {
    const leaf = await readLeaf(this.#parts, this.#parts.places.taskList)
    if (!leaf || consequencesOf(tasksOf(this.#parsed(leaf.bytes))).size === 0)
      return { outcome: 'unchanged', changes: [] }
    return this.inTurn(() => this.#write(by, () => ({ fields: new Map() })))
  }

  /** Puts what may start into the inboxes of its agents, each once, the most urgent first. */
  async dispatch(by: string, { recipient }: { readonly recipient?: Recipient } = {}): Promise<Dispatched> {
    // Asked outside of the turn: others wait for it.
    const judged = new Map<string, Judged>()
    for (const { target_agent: one } of (await this.list({ runnable: true })).tasks)
      if (!judged.has(one)) judged.set(one, await this.#deliveries.agents.judge(one, recipient))
    const handed = await this.#dispatch(by, (agent) => judged.get(agent)?.refused === undefined)
    const got = new Set(handed.tasks.map(({ target_agent }) => target_agent))
    const notices = [...judged].flatMap(([one, { refused, notices = [] }]) => refused ?? (got.has(one) ? notices : []))
    return { ...handed, notices }
  }

  #dispatch(by: string, isRight: (agent: string) => boolean): Promise<Omit<Dispatched, 'notices'>> {
    return this.inTurn(async () => {
      const leaf = await readLeaf(this.#parts, this.#parts.places.taskList)
      const list = this.#parsed(leaf?.bytes)
      const runnable = runnableAfter(tasksOf(list)).filter(({ target_agent }) => isRight(target_agent))
      const problems = problemsOf(list)
      if (runnable.length === 0) return { outcome: 'nothing', tasks: [], paths: [], problems }
      const ids = runnable.map(({ task_id }) => task_id)
      const lines = runnable.map(({ task_id, target_agent }) =>
        this.#logs.line('TASKS_DISPATCHED', by, { task_id, target_agent }),
      )
      const news = {
        at: isoOf(this.#parts.clock.now()),
        note: `${by} dispatched ${ids.join(', ')}.`,
        assignments: Object.fromEntries(runnable.map(({ task_id, target_agent }) => [task_id, target_agent])),
      }
      const tale = { lines, news, when: { dispatched: ids } }
      const paths = await this.#tellings.around(taskSubject, tale, () => this.#handAllOut(ids))
      const handed = runnable.map((task): Task => ({ ...task, status: 'IN_PROGRESS' }))
      return { outcome: 'dispatched', tasks: handed, paths, problems }
    })
  }

  /** Those of them that still may start. All of it can be repeated. */
  async #handAllOut(ids: readonly string[]): Promise<string[]> {
    const wanted = new Set(ids)
    const runnable = runnableAfter((await this.list()).tasks).filter(({ task_id }) => wanted.has(task_id))
    const paths: string[] = []
    for (const task of runnable) paths.push(await this.#handOut(task))
    const at = isoOf(this.#parts.clock.now())
    await this.#edit(() => ({
      fields: new Map(runnable.map(({ task_id }) => [task_id, { status: 'IN_PROGRESS', dispatched_at: at }])),
    }))
    for (const id of ids) await this.#close(id)
    return paths
  }

  /**
   * A note says which attempt is under way: after a crash between the file and the list, the same file is not made again,
   * while a task that somebody has set back to PENDING is.
   */
  async #handOut(task: Task): Promise<string> {
    const { tree } = this.#parts
    const path = noteIn(dispatchPath, task.task_id)
    const note = await readNote(tree, path)
    const last = attemptIn(note)
    const isOpen = note?.open === true && last > 0
    const now = isOpen ? note : { attempt: last + 1, open: true }
    if (!isOpen) await writeNote(tree, path, now)
    const { target_agent: to } = task
    if (!isAgentId(to)) throw new Error('A task that was read has an agent.')
    const name = taskFileName(task.task_id, isOpen ? last : last + 1)
    const text = `${JSON.stringify({ ...task, status: 'IN_PROGRESS' }, null, 2)}\n`
    const [handed] = await this.#deliveries.sendAll(path, now, [{ to, name, text }])
    return handed!
  }

  async #close(id: string): Promise<void> {
    const path = noteIn(dispatchPath, id)
    const note = await readNote(this.#parts.tree, path)
    if (note?.open === true) await writeNote(this.#parts.tree, path, { attempt: note.attempt })
  }

  /** Only in its turn. Writes fields and new tasks and whatever follows from them, and tells what is blocked by that. */
  async #write(by: string, work: ListChange): Promise<TaskSettled> {
    let tale: Tale | undefined
    const settled = await this.#edit(work, async (changes) => {
      const blocked = changes.filter(({ status }) => status === 'BLOCKED')
      if (blocked.length === 0) return
      const lines = blocked.map(({ task_id, reason }) => this.#logs.line('TASKS_BLOCKED', by, { task_id, reason }))
      tale = { lines, when: { blocked: blocked.map(({ task_id }) => task_id) } }
      await this.#tellings.begin(taskSubject, tale)
    })
    if (tale && settled.outcome === 'changed') await this.#tellings.end(taskSubject, tale)
    else if (tale) await this.#tellings.drop(taskSubject)
    return settled
  }

  /** `before`: what is about to be written. */
  async #edit(work: ListChange, before?: (changes: TaskSettled['changes']) => Promise<void>): Promise<TaskSettled> {
    let changes: TaskSettled['changes'] = []
    const { outcome } = await changeLeaf(this.#parts.tree, this.#parts.places.taskList, async (leaf) => {
      const list = this.#parsed(leaf?.bytes)
      const { fields, fresh = [] } = work(list)
      const after = [...tasksOf(list), ...fresh].map((task) => ({ ...task, ...fields.get(task.task_id) }) as Task)
      const consequences = consequencesOf(after)
      for (const [id, change] of consequences) fields.set(id, { ...fields.get(id), ...change })
      changes = [...fields].flatMap(([task_id, { status, blocked_reason }]) =>
        status === undefined
          ? []
          : [
              {
                task_id,
                status: status as Task['status'],
                ...(typeof blocked_reason === 'string' ? { reason: blocked_reason } : {}),
              },
            ],
      )
      if (fields.size === 0 && fresh.length === 0) return undefined
      const json = list.edit()
      const place = list.within === undefined ? json.root : json.member(json.root, list.within)!
      const items = json.items(place)
      for (const { index, task } of list.entries) setFields(json, items[index]!, task && fields.get(task.task_id))
      for (const task of fresh) json.push(place, { ...task, ...fields.get(task.task_id) })
      await before?.(changes)
      return bytesOf(json.result())
    })
    return outcome === 'unchanged' ? { outcome: 'unchanged', changes: [] } : { outcome: 'changed', changes }
  }

  #parsed(bytes: Uint8Array | undefined): TaskList {
    const { compat, settings, places } = this.#parts
    const list = parseTaskList(bytes ?? bytesOf('[]\n'), { compat, most: settings.largest })
    if (list.outcome === 'malformed') throw badFile(this.#parts, places.taskList, 'BAD_TASK_LIST', list.problems)
    return list
  }
}

function setFields(
  json: JsonEditor,
  place: { start: number; end: number },
  fields: Record<string, unknown> | undefined,
) {
  for (const [key, value] of Object.entries(fields ?? {})) json.set(place, key, value)
}

/** What may start once every status follows from the others. */
function runnableAfter(tasks: readonly Task[]): Task[] {
  const changes = consequencesOf(tasks)
  return runnableIn(tasks.map((task) => ({ ...task, ...changes.get(task.task_id) }) as Task))
}

/** Which failure it is: when it was. */
export const failureOf = ({ completed_at }: Task): string => (typeof completed_at === 'string' ? completed_at : '')

export const tasksOf = ({ entries }: TaskList): Task[] => entries.flatMap(({ task }) => task ?? [])

const problemsOf = ({ entries }: TaskList): string[] =>
  entries.flatMap(({ index, problems }) =>
    problems.map(({ message }) => `Task ${index + 1} of the list is passed over: ${message} Correct it there.`),
  )

/** Throws unless a task can be expanded into parts. */
export function expectExpandable({ task_id, status, subtasks }: Task): void {
  const isExpanded = Array.isArray(subtasks) && subtasks.length > 0
  if (!isExpanded && status !== 'COMPLETED' && status !== 'FAILED') return
  const why = isExpanded ? `it has parts already: ${subtasks.join(', ')}` : `it is ${status}`
  throw conflict('NOT_EXPANDABLE', `Task ${task_id} cannot be expanded: ${why}.`, {
    hint: 'Expand one of those that are not done: signalbox dream tasks',
    details: { task: task_id, status },
  })
}
