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

export const withTask = (session: Session, task: Task): Session =>
  task.line === undefined
    ? { ...session, tasks: session.tasks.map((one) => (one.id === task.id ? task : one)) }
    : { ...session, tells: session.tells?.map((one) => (isSameTell(one, task) ? task : one)) ?? [] }

/** What was told to several agents is one message, which each of them has. */
const isSameTell = (one: Task, other: Task): boolean => one.line === other.line && one.agent === other.agent

/** As many as are remembered, of those that were read; what was read longer ago is in the log. */
const mostTells = 200

/** Adds what the next change tells, for each agent that it is told to. */
export function withTells(
  session: Session,
  at: number,
  told: Pick<Task, 'by' | 'task'>,
  to: readonly string[],
): Session {
  const made = to.map((agent): Task => ({ ...newTell(session, at), priority: 2, ...told, agent }))
  return made.length === 0 ? session : withRoomForTells({ ...session, tells: [...(session.tells ?? []), ...made] })
}

/** Of a new one, what its sender does not say. */
export const newTell = ({ changes }: Session, at: number) => {
  const line = changes + 1
  return {
    id: `tell_${String(line).padStart(3, '0')}`,
    state: 'pending',
    at,
    changedAt: at,
    attempts: 0,
    line,
  } as const
}

/** The oldest go, those that were read before those that were not, which the inbox still has. */
export function withRoomForTells(session: Session): Session {
  const { tells = [] } = session
  const surplus = tells.length - mostTells
  if (surplus <= 0) return session
  const oldest = [...tells].sort((a, b) => Number(isWaiting(a)) - Number(isWaiting(b)) || a.line! - b.line!)
  const gone = new Set(oldest.slice(0, surplus))
  return { ...session, tells: tells.filter((one) => !gone.has(one)) }
}

/** What was told to an agent and it has not read, oldest first. */
export const waitingTells = ({ tells = [] }: Session, agent: string): readonly Task[] =>
  tells.filter((one) => one.agent === agent && isWaiting(one))

const isWaiting = ({ state }: Task): boolean => state === 'pending'

/** What was told to an agent up to a line is read. */
export function withTellsRead(session: Session, agent: string, upTo: number): Session {
  const isRead = (one: Task) => one.agent === agent && one.line! <= upTo && one.state !== 'completed'
  if (!session.tells?.some(isRead)) return session
  return {
    ...session,
    tells: session.tells.map((one) => (isRead(one) ? { ...one, state: 'completed' as const } : one)),
  }
}

/** Whether an agent was handed what a line told by a verb of all protocols: its inbox does not tell it again. */
export const isHandedOut = ({ tells = [] }: Session, agent: string, line: number): boolean =>
  tells.some((one) => one.line === line && one.agent === agent && one.state !== 'pending')

/** The task of this id, or what was told under it to this agent. */
export const messageFor = (session: Pick<Session, 'tasks' | 'tells'>, id: string, agent: string): Task | undefined =>
  messagesIn(session).find((one) => one.id === id && (one.line === undefined || one.agent === agent))

/** The tasks of a session and what was told in it. */
export const messagesIn = ({ tasks, tells = [] }: Pick<Session, 'tasks' | 'tells'>): readonly Task[] =>
  tells.length === 0 ? tasks : [...tasks, ...tells]

/** The newest task that is meant, those that are not done before those that are. */
export function taskMeant(session: Session, agent: string | undefined, named: string): Task | undefined {
  const meant = session.tasks.filter((task) => isNamed(task, agent, named))
  return meant.findLast(({ state }) => state !== 'completed') ?? meant.at(-1)
}
