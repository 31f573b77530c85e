/**
 * The steps of changes, as plain data. The table says which fields a step has, and checks them when a note is read: another program
 * may have written it. Pure; `store/performing.ts` does the steps.
 */
import {
  flag,
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
import { type CirceEvent, eventNames } from './events.ts'
import { taskFiles } from './layout.ts'
import { type AgentId, agentId, isAgentId, isFileName, isTaskId, type TaskId } from './names.ts'
import { checksOf, type Task, taskFacts, taskStatuses } from './task.ts'

const task = matching(isTaskId)
const file = matching(isFileName)
const agent: Reader<AgentId> = (value) => (isAgentId(text(value)) ? agentId(text(value)) : unfit())

/** Where the message of a step lies. `agent`: in whose folder. */
export interface At {
  readonly place: 'new' | 'inbox' | 'workspace'
  readonly agent?: AgentId
}

const placeOf = object({ place: oneOf(['new', 'inbox', 'workspace']), agent: maybe(agent) })
const at: Reader<At> = (value) => {
  const { place, agent } = placeOf(value)
  return place === 'new' ? { place } : { place, agent: agent ?? unfit() }
}

const checks = object({ tests_passed: flag, coverage_threshold_met: flag, peer_reviewed: flag })
const wholeTask: Reader<Task> = object({
  id: task,
  status: oneOf(taskStatuses),
  owner: maybe(agent),
  claimedAt: maybe(time),
  startedAt: maybe(time),
  updatedAt: maybe(time),
  checks: (value) => checksOf(checks(value)),
})

const event: Reader<CirceEvent> = object({
  at: time,
  event: oneOf(eventNames),
  agent: text,
  task: maybe(text),
  file: maybe(text),
  detail: text,
})

const steps = {
  /** Decides a claim of work: lost if another agent was first. `before`: the `.owner` of a former owner, which is replaced. */
  own: { task, owner: agent, at: time, before: maybe(text) },
  /** `at`: the time of the claim that ends. A later claim is left alone. */
  disown: { task, owner: agent, at: maybe(time) },
  /** Decides every other claim: lost if the message is gone. */
  claim: { file, agent, task: maybe(task) },
  start: { file, agent },
  write: { task: wholeTask },
  /** Keeps a file with mistakes under another name, unless it has changed since it was read (`digest`). */
  beside: { task, file: oneOf(taskFiles), digest: text },
  /** Records in the ledger that these messages have counted for their task. */
  count: { task, facts: taskFacts, counted: list(file) },
  log: { file, from: at },
  settle: { file, from: at, task: maybe(task) },
  /** `unshown`: the message has not been printed to the agent yet. */
  hand: { agent, file, acked: flag, unshown: maybe(flag) },
  unhand: { agent, file },
  /** Moves a message that is no work back to `NEW_MESSAGES/`. */
  return: { file, from: at },
  archive: { task },
  back: { task, agent },
  deliver: { file },
  /** Writes a line of `events.log`, once. */
  tell: { event },
} as const

type Name = keyof typeof steps
export type CirceStep = { [N in Name]: { readonly do: N } & Shaped<(typeof steps)[N]> }[Name]
export type StepOf<N extends Name> = Extract<CirceStep, { do: N }>

const named = object({ do: oneOf(Object.keys(steps) as Name[]) })
const readers = Object.fromEntries(Object.entries(steps).map(([name, shape]) => [name, object(shape)]))
const step: Reader<CirceStep> = (value) => {
  const { do: name } = named(value)
  return { do: name, ...(readers[name]!(value) as object) } as CirceStep
}

/** `undefined` where one of the values is no step of ours. */
export function parseSteps(values: readonly unknown[]): readonly CirceStep[] | undefined {
  try {
    return values.map(step)
  } catch {
    return undefined // `unfit`
  }
}

/** The task that a step changes; `undefined` for one about a message alone. */
export const taskOf = (step: CirceStep): TaskId | undefined =>
  step.do === 'write' ? step.task.id : 'task' in step ? step.task : undefined

type Note = Readonly<Record<string, unknown>>

/** The steps of a note, also of one that an earlier version wrote: it kept events beside the steps, and questions in the cache. */
export function stepsInNote({ steps, events = [] }: Note): unknown {
  if (!Array.isArray(steps) || !Array.isArray(events)) return steps
  const present = steps.flatMap((step: unknown) => {
    const { do: name, task, book, applied } = (step ?? {}) as Note
    if (name === 'ask') return []
    return name === 'book' ? [{ do: 'count', task, facts: book, counted: applied }] : [step]
  })
  return [...present, ...events.map((event: unknown) => ({ do: 'tell', event }))]
}
