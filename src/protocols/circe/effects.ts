/**
 * What a message does to its task: the table of the README as one pure function. The store writes what it answers.
 * Spec: CIRCE, "Task State Files" and "Message Flow Example".
 */
import { asksForWork, takesTask } from './intents.ts'
import { type AgentId, agentId, isAgentId, isEverybody, isSameAgent } from './names.ts'
import type { CirceMessage } from './schema.ts'
import { type CirceSettings, speaksFor } from './settings.ts'
import {
  type Checks,
  checksOf,
  isClosed,
  noChecks,
  type SettableCheck,
  type Task,
  type TaskFacts,
  type TaskStatus,
} from './task.ts'

export interface Effect {
  readonly task: Task
  readonly facts: TaskFacts
  /** For the log: what changed, in a few words; empty when only the time did. */
  readonly told: string
  /** What the store does next on the tree. */
  readonly next?: 'own' | 'release' | 'complete'
  /** Why the message did not do what its sender wanted. */
  readonly refused?: string
}

/** The fields of a message that count for its task. */
export type Counted = Pick<CirceMessage, 'from' | 'to' | 'intent' | 'status' | 'time'>

/** `at`: when the message was first seen. The caller makes sure that each message counts once. */
export function effectOf(task: Task, facts: TaskFacts, message: Counted, at: number, settings: CirceSettings): Effect {
  const { from, intent, status } = message
  const isOwned = task.owner !== undefined && !isRecord(task, facts)
  const wasOwned = isOwned && message.time >= wholeSecond(task.claimedAt ?? 0)
  const known = withRequest(facts, message, wasOwned, settings)
  const isOwner = isOwned && isSameAgent(from, task.owner!)
  const touched: Task = { ...task, updatedAt: Math.max(at, task.updatedAt ?? 0) }
  const set = (next: TaskStatus, told: string = next): Effect => ({
    task: { ...touched, status: next },
    facts: known,
    told,
  })
  const nothing: Effect = { task: touched, facts: known, told: '' }
  const refuse = (refused: string): Effect => ({ ...nothing, told: 'refused', refused })

  if (isClosed(task.status)) {
    // A message from before the task was closed, which is found only now, asks for nothing new.
    const isNews = takesTask(intent) && message.time >= wholeSecond(task.updatedAt ?? 0)
    return isNews ? { ...opened(touched, known, message), told: 'opened again' } : nothing
  }
  // With every intent but one: a task that is given back is not blocked.
  if (status === 'blocked' && isOwner && intent !== 'release_task') {
    return { ...set('blocked'), facts: withReviewer(known, message) }
  }
  if (intent === 'claim_task') {
    if (!isAgentId(from)) return refuse('only an agent can own a task')
    if (isOwner) return nothing
    if (isOwned) return refuse(`${task.owner} owns ${task.id}`)
    return { ...claimed(touched, known, agentId(from), at), next: 'own' }
  }
  if (intent === 'release_task') {
    return isOwner ? { ...set('new', 'released'), next: 'release' } : refuse(notOwner(task, from))
  }
  if (intent === 'review_code' && isOwner) return { ...nothing, facts: withReviewer(known, message) }
  if (intent === 'answer') return answered(nothing, task, message, settings)
  if (intent === 'test_results') return tested(nothing, task, message, isOwner, settings)
  if (intent !== 'status_update') return nothing
  if (status === 'completed') {
    const isSender = known.request !== undefined && isSameAgent(from, known.request.from)
    if (!isOwner && !isSender) return refuse(notOwner(task, from))
    const missing = missingFor(task, known, settings)
    return missing === undefined ? { ...set('completed'), next: 'complete' } : refuse(missing)
  }
  if (!isOwner || (status !== 'in_progress' && status !== 'failed')) return nothing
  return set(status)
}

/** New work for a closed task: `.owner` becomes a record of its former owner. */
export function opened(task: Task, facts: TaskFacts, message: Counted): Pick<Effect, 'task' | 'facts'> {
  const { owner, claimedAt } = task
  const formerOwner = owner === undefined ? undefined : { owner, claimedAt }
  return {
    task: { ...task, status: 'new', checks: noChecks },
    facts: { ...facts, request: requestOf(message), formerOwner },
  }
}

/** Messages give their time to the second. */
const wholeSecond = (ms: number): number => Math.floor(ms / 1000) * 1000

/**
 * True when `.owner` names the owner from before the task was opened again, and no agent has claimed the task since. A new claim by
 * the same agent has a later time. Files give times to the second, and files made by hand any time or none.
 */
export function isRecord({ owner, claimedAt }: Task, { formerOwner }: TaskFacts): boolean {
  if (formerOwner === undefined || owner === undefined || !isSameAgent(formerOwner.owner, owner)) return false
  if (claimedAt === undefined || formerOwner.claimedAt === undefined) return true
  return wholeSecond(claimedAt) <= wholeSecond(formerOwner.claimedAt)
}

/** The task after a claim. */
export const claimed = (task: Task, facts: TaskFacts, owner: AgentId, at: number): Effect => ({
  task: { ...task, status: 'claimed', owner, claimedAt: at, startedAt: at, updatedAt: at, checks: noChecks },
  facts: { ...facts, formerOwner: undefined, reviewers: [] },
  told: `owner ${owner}`,
})

/** Why a task cannot be completed yet; `undefined` when it can. */
export function missingFor(
  { id, checks }: Task,
  { request }: TaskFacts,
  { needTests }: CirceSettings,
): string | undefined {
  // A task whose request is unknown counts as one about code.
  const isNeeded = request ? needTests.has(request.intent) : needTests.size > 0
  if (checks.tests_passed || !isNeeded) return undefined
  return `${id} needs tests_passed: a test_results message that is completed, from somebody else than its owner`
}

const answered = (nothing: Effect, task: Task, { from, to, status }: Counted, settings: CirceSettings): Effect => {
  const isForOwner = task.owner !== undefined && isSameAgent(to, task.owner)
  const isOwners = task.owner !== undefined && isSameAgent(from, task.owner)
  const isAsked = (name: string) => isSameAgent(name, from) || isEverybody(name)
  const isReview =
    status === 'completed' &&
    !isOwners &&
    speaksFor(settings, 'reviewer', from) &&
    nothing.facts.reviewers.some(isAsked)
  const isFree = isForOwner && task.status === 'blocked'
  return {
    ...nothing,
    task: {
      ...nothing.task,
      status: isFree ? 'in_progress' : task.status,
      checks: isReview ? withCheck(task.checks, 'peer_reviewed', true) : task.checks,
    },
    told: [isFree ? 'in_progress' : '', isReview ? 'peer_reviewed true' : ''].filter(Boolean).join(', '),
  }
}

function tested(
  nothing: Effect,
  task: Task,
  { from, status }: Counted,
  isOwner: boolean,
  settings: CirceSettings,
): Effect {
  if (status === 'new' || status === 'in_progress') return nothing
  const refuse = (refused: string): Effect => ({ ...nothing, told: 'refused', refused })
  if (isOwner) return refuse('its owner does not test it')
  if (!speaksFor(settings, 'qa', from)) return refuse(`${from} has not the role qa`)
  const isPassed = status === 'completed'
  return {
    ...nothing,
    task: { ...nothing.task, checks: withCheck(task.checks, 'tests_passed', isPassed) },
    told: `tests_passed ${isPassed}`,
  }
}

function withReviewer(facts: TaskFacts, { intent, to }: Counted): TaskFacts {
  if (intent !== 'review_code' || facts.reviewers.some((name) => isSameAgent(name, to))) return facts
  return { ...facts, reviewers: [...facts.reviewers, to.toLowerCase()] }
}

export const withCheck = (checks: Checks, name: SettableCheck, value: boolean): Checks =>
  checksOf({ ...checks, [name]: value })

/**
 * The facts with the request that the task began with: the first by time, in whichever order the messages are found. Work goes
 * before other requests, so that asking for a test does not turn a task about code into another kind. Once the task is owned, only
 * work counts.
 */
function withRequest(facts: TaskFacts, message: Counted, wasOwned: boolean, settings: CirceSettings): TaskFacts {
  const rank = requestRank(message.intent, settings)
  if (rank === undefined || (wasOwned && rank > 0)) return facts
  const before = facts.request && (requestRank(facts.request.intent, settings) ?? rank)
  if (before !== undefined && (before < rank || (before === rank && facts.request!.time <= message.time))) return facts
  return { ...facts, request: requestOf(message) }
}

/** Work, then other requests, then configured intents. */
function requestRank(intent: string, { furtherIntents }: CirceSettings): 0 | 1 | 2 | undefined {
  if (takesTask(intent)) return 0
  if (asksForWork(intent)) return 1
  return furtherIntents.includes(intent) ? 2 : undefined
}

const requestOf = ({ from, intent, time }: Counted) => ({ from, intent, time })

const notOwner = ({ id, owner }: Task, who: string): string =>
  owner === undefined ? `nobody owns ${id}` : `${who} does not own ${id}; ${owner} does`
