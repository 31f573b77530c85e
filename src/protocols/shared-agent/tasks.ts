/** What tasks say together: which waits for which, and which is next. Shared Agent Protocol §12, "Dependency Management". Pure. */
import type { Claim } from '../../messaging/claims/claim.ts'
import { carriedFieldsIn } from '../../messaging/envelope/carried-fields.ts'
import { nextTaskState, type TaskStep } from './lifecycle.ts'
import type { Dependency, Session, Task } from './record.ts'
import { Refusal } from './refusal.ts'

type Waits = Pick<Session, 'id' | 'tasks' | 'depends'>

/** Whether a task is named so: by its id or its words. */
export const isNamed = (task: Task, agent: string | undefined, named: string): boolean =>
  (agent === undefined || task.agent === agent) && (task.id === named || task.task === named)

const isDone = ({ tasks }: Waits, { agent, task }: Dependency): boolean =>
  tasks.some((one) => isNamed(one, agent, task) && one.state === 'completed')

/** What the agent of a task still waits for. */
export const waitsFor = (session: Waits, { agent }: Task): readonly Dependency[] =>
  session.depends.filter((one) => one.by === agent && !isDone(session, one))

/** Whether a task of the same session that its sender named is not done yet. */
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

/** Tasks with a carrier that may be handed over now, and could not be before. */
export function freedBy(before: Waits, after: Waits): readonly Task[] {
  const ready = new Set(runnable(before).map(({ id }) => id))
  return runnable(after).filter(({ id, via }) => via !== undefined && !ready.has(id))
}

/** The agents on the way back to the one that would wait, if a dependency would close a circle. */
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

/** What a claim is judged by: the attempt of a task that was begun, also when it is over. */
export const claimOf = ({ state, agent, attempts }: Task): Claim | undefined =>
  state === 'pending' ? undefined : { holder: agent, attempt: attempts }

/** The next attempt at a task. */
export const begun = (task: Task, at: number): Task => stepped(task, 'start', at, { attempts: task.attempts + 1 })

/** Of a new one, what its sender does not say. */
export const newTask = ({ lastTask }: Session, at: number) => {
  const id = `task_id_${String(lastTask + 1).padStart(3, '0')}`
  return { id, state: 'pending', at, changedAt: at, attempts: 0 } as const
}

export const withNewTask = (session: Session, task: Task): Session => ({
  ...session,
  lastTask: session.lastTask + 1,
  tasks: [...session.tasks, task],
})

/** A task after a step that its lifecycle has; throws a `Refusal` for one that it has not. */
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

/** The newest task that is meant, those that are not done before those that are. */
export function taskMeant(session: Session, agent: string | undefined, named: string): Task | undefined {
  const meant = session.tasks.filter((task) => isNamed(task, agent, named))
  return meant.findLast(({ state }) => state !== 'completed') ?? meant.at(-1)
}
