/**
 * A change of several steps, as plain data: written down before its first step and removed after its last, so that whoever
 * comes after a killed process can finish it. Every step may be done twice. Pure; `store/journal.ts` does them.
 *
 * What is read back may have been written by anybody: it is taken apart name by name, and what does not fit is no deed.
 */

import type { TaskBook } from './effects.ts'
import { type CirceEvent, eventNames } from './events.ts'
import { type TaskFile, taskFiles } from './layout.ts'
import { type AgentId, agentId, type FileName, isAgentId, isFileName, isTaskId, type TaskId } from './names.ts'
import { checksOf, settableChecks, type Task, taskStatuses } from './task.ts'

/** Where a message lies that a step is about. `agent`: in whose folder. */
export interface At {
  readonly place: 'new' | 'inbox' | 'workspace'
  readonly agent?: AgentId
}

export interface Asked {
  readonly kind: 'question' | 'escalation' | 'approval'
  readonly from: string
  readonly task?: TaskId | undefined
  readonly at: number
  /** The file of the answer, and what names its words. */
  readonly answer?: { readonly file: string; readonly digest: string } | undefined
}

export type Step =
  /** Decides a claim of work: lost if somebody else was first. `before`: the record that is replaced. */
  | {
      readonly do: 'own'
      readonly task: TaskId
      readonly owner: AgentId
      readonly at: number
      readonly before?: string
    }
  /** `at`: of the claim that ends. One that was made since is another. */
  | { readonly do: 'disown'; readonly task: TaskId; readonly owner: AgentId; readonly at?: number | undefined }
  /** Decides every other claim: lost if the message is gone. */
  | { readonly do: 'claim'; readonly file: FileName; readonly agent: AgentId; readonly task?: TaskId }
  | { readonly do: 'start'; readonly file: FileName; readonly agent: AgentId }
  | { readonly do: 'write'; readonly task: Task }
  /** Keeps a file that cannot be believed under another name, as long as it says what it said (`digest`). */
  | { readonly do: 'beside'; readonly task: TaskId; readonly file: TaskFile; readonly digest: string }
  | { readonly do: 'book'; readonly task: TaskId; readonly book: TaskBook; readonly applied: readonly FileName[] }
  | { readonly do: 'log' | 'settle'; readonly file: FileName; readonly from: At; readonly task?: TaskId }
  /** `unshown`: the agent has yet to be shown it. */
  | {
      readonly do: 'hand'
      readonly agent: AgentId
      readonly file: FileName
      readonly acked: boolean
      readonly unshown?: true
    }
  | { readonly do: 'unhand'; readonly agent: AgentId; readonly file: FileName }
  | { readonly do: 'archive'; readonly task: TaskId }
  | { readonly do: 'back'; readonly task: TaskId; readonly agent: AgentId }
  | { readonly do: 'ask'; readonly file: FileName; readonly asked: Asked }
  | { readonly do: 'deliver'; readonly file: FileName }
  /** Tells what happened in `events.log`, once. */
  | { readonly do: 'tell'; readonly event: CirceEvent }

export interface Deed {
  readonly steps: readonly Step[]
  /** Told when all steps are done. */
  readonly events: readonly CirceEvent[]
}

/** Steps that anybody may have written; `undefined` where one of them is none. */
export function parseSteps(steps: readonly unknown[]): readonly Step[] | undefined {
  try {
    return steps.map(stepFrom)
  } catch {
    return undefined // `unfit` was thrown, or a field is missing.
  }
}

/** The task that a step changes; `undefined` for one about a message alone. */
export const taskOf = (step: Step): TaskId | undefined =>
  step.do === 'write' ? step.task.id : 'task' in step ? step.task : undefined

type Raw = Readonly<Record<string, unknown>>

const unfit = (): never => {
  throw new Error('not a deed')
}
const raw = (value: unknown): Raw => (typeof value === 'object' && value !== null ? (value as Raw) : unfit())
const text = (value: unknown): string => (typeof value === 'string' ? value : unfit())
const time = (value: unknown): number => (typeof value === 'number' && Math.abs(value) <= 8.64e15 ? value : unfit())
const agent = (value: unknown): AgentId => (isAgentId(text(value)) ? agentId(text(value)) : unfit())
const task = (value: unknown): TaskId => (isTaskId(text(value)) ? (value as TaskId) : unfit())
const file = (value: unknown): FileName => (isFileName(text(value)) ? (value as FileName) : unfit())
const maybe = <T>(value: unknown, read: (value: unknown) => T): T | undefined =>
  value === undefined || value === null ? undefined : read(value)
const oneOf = <T extends string>(value: unknown, all: readonly T[]): T => all.find((one) => one === value) ?? unfit()
const list = <T>(value: unknown, read: (value: unknown) => T): T[] => (Array.isArray(value) ? value.map(read) : unfit())

function stepFrom(value: unknown): Step {
  const step = raw(value)
  const kind = step.do
  switch (kind) {
    case 'own': {
      const before = maybe(step.before, text)
      const own = { do: kind, task: task(step.task), owner: agent(step.owner), at: time(step.at) } as const
      return before === undefined ? own : { ...own, before }
    }
    case 'disown':
      return { do: kind, task: task(step.task), owner: agent(step.owner), at: maybe(step.at, time) }
    case 'beside':
      return { do: kind, task: task(step.task), file: oneOf(step.file, taskFiles), digest: text(step.digest) }
    case 'claim': {
      const about = maybe(step.task, task)
      const claim = { do: kind, file: file(step.file), agent: agent(step.agent) } as const
      return about === undefined ? claim : { ...claim, task: about }
    }
    case 'start':
    case 'unhand':
      return { do: kind, file: file(step.file), agent: agent(step.agent) }
    case 'hand':
      return {
        ...{ do: kind, file: file(step.file), agent: agent(step.agent), acked: step.acked === true },
        ...(step.unshown === true ? { unshown: true } : {}),
      }
    case 'write':
      return { do: kind, task: taskFrom(step.task) }
    case 'book':
      return { do: kind, task: task(step.task), book: bookFrom(step.book), applied: list(step.applied, file) }
    case 'log':
    case 'settle': {
      const about = maybe(step.task, task)
      const settle = { do: kind, file: file(step.file), from: atFrom(step.from) } as const
      return about === undefined ? settle : { ...settle, task: about }
    }
    case 'archive':
      return { do: kind, task: task(step.task) }
    case 'back':
      return { do: kind, task: task(step.task), agent: agent(step.agent) }
    case 'ask':
      return { do: kind, file: file(step.file), asked: askedFrom(step.asked) }
    case 'deliver':
      return { do: kind, file: file(step.file) }
    case 'tell':
      return { do: kind, event: eventFrom(step.event) }
    default:
      return unfit()
  }
}

function atFrom(value: unknown): At {
  const at = raw(value)
  const place = oneOf(at.place, ['new', 'inbox', 'workspace'])
  return place === 'new' ? { place } : { place, agent: agent(at.agent) }
}

function taskFrom(value: unknown): Task {
  const { id, status, owner, claimedAt, startedAt, updatedAt, checks } = raw(value)
  const set = raw(checks)
  return {
    id: task(id),
    status: oneOf(status, taskStatuses),
    owner: maybe(owner, agent),
    claimedAt: maybe(claimedAt, time),
    startedAt: maybe(startedAt, time),
    updatedAt: maybe(updatedAt, time),
    checks: checksOf(
      Object.fromEntries(settableChecks.map((name) => [name, set[name] === true])) as Record<
        (typeof settableChecks)[number],
        boolean
      >,
    ),
  }
}

export function bookFrom(value: unknown): TaskBook {
  const { request, reviewers, formerOwner } = raw(value)
  return {
    request: maybe(request, (one) => {
      const { from, intent, time: at } = raw(one)
      return { from: text(from), intent: text(intent), time: time(at) }
    }),
    reviewers: list(reviewers, text),
    formerOwner: maybe(formerOwner, (one) => {
      const { owner, claimedAt } = raw(one)
      return { owner: text(owner), claimedAt: maybe(claimedAt, time) }
    }),
  }
}

export function askedFrom(value: unknown): Asked {
  const asked = raw(value)
  return {
    kind: oneOf(asked.kind, ['question', 'escalation', 'approval']),
    from: text(asked.from),
    task: maybe(asked.task, task),
    at: time(asked.at),
    answer: maybe(asked.answer, (one) => {
      const { file, digest } = raw(one)
      return { file: text(file), digest: text(digest) }
    }),
  }
}

function eventFrom(value: unknown): CirceEvent {
  const event = raw(value)
  return {
    at: time(event.at),
    event: oneOf(event.event, eventNames),
    agent: text(event.agent),
    task: maybe(event.task, text),
    file: maybe(event.file, text),
    detail: text(event.detail),
  }
}
