/** The tasks of a session: which waits for which, and which is next. Shared Agent Protocol §12, "Dependency Management". Pure. */
import type { Claim } from '../../messaging/claims/claim.ts'
import { carriedFieldsIn } from '../../messaging/envelope/carried-fields.ts'
import { nextTaskState, type TaskStep } from './lifecycle.ts'
import type { Dependency, Session, Task } from './record.ts'
import { Refusal } from './refusal.ts'

type Waits = Pick<Session, 'id' | 'tasks' | 'depends'>

/** Whether `named` is the id or the text of this task. */
export const isNamed = (task: Task, agent: string | undefined, named: string): boolean =>
  (agent === undefined || task.agent === agent) && (task.id === named || task.task === named)

const isDone = ({ tasks }: Waits, { agent, task }: Dependency): boolean =>
  tasks.some((one) => isNamed(one, agent, task) && one.state === 'completed')

/** The dependencies that the agent of a task still waits for. */
export const waitsFor = (session: Waits, { agent }: Task): readonly Dependency[] =>
  session.depends.filter((one) => one.by === agent && !isDone(session, one))

/** Whether a task of this session that the sender named as a dependency is not done yet. */
function isHeldBack({ id: session, tasks }: Waits, { more }: Task): boolean {
  if (more === undefined) return false
  const { dependsOn = [] } = carriedFieldsIn(more)
  const isMeant = ({ id }: Task) => dependsOn.includes(`${session}:${id}`)
  return dependsOn.length > 0 && tasks.some((one) => one.state !== 'completed' && isMeant(one))
}

/** Pending tasks that wait for nothing, the most urgent first, then the oldest. */
export const runnable = (session: Waits, agent?: string): readonly Task[] =>
  session.tasks
    .filter((task) => task.state === 'pending' && (agent === undefined || task.agent === agent))
    .filter((task) => waitsFor(session, task).length === 0 && !isHeldBack(session, task))
    .sort((a, b) => a.priority - b.priority || a.at - b.at || (a.id < b.id ? -1 : 1))

/** Tasks with a carrier that may be handed over after a change, and could not be before it. */
export function freedBy(before: Waits, after: Waits): readonly Task[] {
  const ready = new Set(runnable(before).map(({ id }) => id))
  return runnable(after).filter(({ id, via }) => via !== undefined && !ready.has(id))
}

/** The agents of the circle that a dependency would close, if any. */
export function circleWith(session: Waits, wanted: Dependency): string[] | undefined {
  const seen = new Set<string>()
  const search = (agent: string, way: readonly string[]): string[] | undefined => {
    const on = [...way, agent]
    if (agent === wanted.by) return on
    if (seen.has(agent)) return undefined
    seen.add(agent)
    for (const one of session.depends) {
      if (one.by !== agent || isDone(session, one)) continue
      const found = search(one.agent, on)
      if (found) return found
    }
    return undefined
  }
  return isDone(session, wanted) ? undefined : search(wanted.agent, [wanted.by])
}

/** The claim on a task that was begun, also when it is over. */
export const claimOf = ({ state, agent, attempts }: Task): Claim | undefined =>
  state === 'pending' ? undefined : { holder: agent, attempt: attempts }

/** The next attempt at a task. */
export const begun = (task: Task, at: number): Task => stepped(task, 'start', at, { attempts: task.attempts + 1 })

/** The fields of a new task that do not come from its sender. */
export const newTask = ({ lastTask }: Session, at: number) => {
  const id = `task_id_${String(lastTask + 1).padStart(3, '0')}`
  return { id, state: 'pending', at, changedAt: at, attempts: 0 } as const
}

export const withNewTask = (session: Session, task: Task): Session => ({
  ...session,
  lastTask: session.lastTask + 1,
  tasks: [...session.tasks, task],
})

/** A task after a step. Throws a `Refusal` if its lifecycle has no such step. */
export function stepped(task: Task, step: TaskStep, at: number, more: Partial<Task> = {}): Task {
  const state = nextTaskState(task.state, step)
  if (state === undefined)
    throw new Refusal('E002', `task_is_${task.state}`, `${task.id} is ${task.state}; it cannot ${step}.`)
  return { ...task, ...more, state, changedAt: at }
}

export const withTask = (session: Session, task: Task): Session => ({
  ...session,
  tasks: session.tasks.map((one) => (one.id === task.id ? task : one)),
})

/** The newest task of this name; one that is not completed, if there is one. */
export function taskMeant(session: Session, agent: string | undefined, named: string): Task | undefined {
  const meant = session.tasks.filter((task) => isNamed(task, agent, named))
  return meant.findLast(({ state }) => state !== 'completed') ?? meant.at(-1)
}
