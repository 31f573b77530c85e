/** What people and agents change about a task without a message: its status, its checks, and giving it back. */
import { call } from '../../../kernel/call.ts'
import { conflict, denied, invalidInput, notFound } from '../../../kernel/errors.ts'
import { nearest } from '../../../kernel/nearest.ts'
import { isRecord, missingFor, withCheck } from '../effects.ts'
import type { CirceEvent } from '../events.ts'
import { type AgentId, agentId, isRooster, isSameAgent, type TaskId, taskId } from '../names.ts'
import { checksDetail } from '../replay.ts'
import { type CirceSettings, isRoleNamed, namedAs, roleThatSets } from '../settings.ts'
import type { CirceStep } from '../steps.ts'
import {
  type Checks,
  isClosed,
  type SettableCheck,
  settableChecks,
  type Task,
  type TaskFacts,
  type TaskStatus,
  taskStatuses,
} from '../task.ts'
import { catchUp, finishTask } from './catching-up.ts'
import { releasing } from './counting.ts'
import { commit, turn } from './journal.ts'
import type { TaskChanged } from './outcomes.ts'
import { taskView } from './overview.ts'
import type { CirceParts } from './parts.ts'
import { readSoundState } from './task-files.ts'

interface Change {
  readonly steps: readonly CirceStep[]
  readonly events: readonly Pick<CirceEvent, 'event' | 'detail'>[]
}

export class Tasks {
  readonly #parts: CirceParts

  constructor(parts: CirceParts) {
    this.#parts = parts
  }

  /** The owner sets it; `completed` can also be set by the agent that asked for the work. */
  async status(id: string, wanted: string, agent: string): Promise<TaskChanged> {
    const status = statusFrom(wanted)
    return changeTask(this.#parts, id, agent, (task, facts, who, at) => {
      if (status === 'completed') return completing(this.#parts, task, facts, who, at)
      expectOwner(task, who)
      if (isClosed(task.status)) throw closed(task)
      if (task.status === status) return undefined
      return {
        steps: [{ do: 'write', task: { ...task, status, updatedAt: at } }],
        events: [{ event: 'status', detail: status }],
      }
    })
  }

  /** Sets checks. `ready_for_merge` cannot be set: it follows from the other checks. */
  async check(id: string, agent: string, set: Readonly<Record<string, boolean>> = {}): Promise<TaskChanged> {
    const wanted = checksFrom(set)
    return changeTask(this.#parts, id, agent, (task, facts, who, at) => {
      const names = Object.keys(wanted) as SettableCheck[]
      if (names.length === 0) return undefined
      for (const name of names) expectMaySet(name, task, facts, who, this.#parts.settings)
      let checks: Checks = task.checks
      for (const name of names) checks = withCheck(checks, name, wanted[name]!)
      if (names.every((name) => checks[name] === task.checks[name])) return undefined
      return {
        steps: [{ do: 'write', task: { ...task, checks, updatedAt: at } }],
        events: [{ event: 'checks', detail: checksDetail(wanted as Record<string, boolean>) }],
      }
    })
  }

  /** Gives a task back: other agents can claim its work. */
  async release(agent: string, id: string): Promise<TaskChanged> {
    return changeTask(this.#parts, id, agent, (task, _, who, at) => {
      if (task.owner === undefined && task.status === 'new') return undefined
      expectOwner(task, who)
      if (isClosed(task.status)) throw closed(task)
      return { steps: releasing(task, at), events: [{ event: 'released', detail: '' }] }
    })
  }
}

function completing(parts: CirceParts, task: Task, facts: TaskFacts, who: string, at: number): Change | undefined {
  if (task.status === 'completed') return undefined
  const isSender = facts.request !== undefined && isSameAgent(facts.request.from, who)
  if (!isSender) expectOwner(task, who, ' Its owner completes it, or whoever asked for it.')
  const missing = missingFor(task, facts, parts.settings)
  if (missing !== undefined) {
    throw conflict('NOT_COMPLETE', `${missing}.`, {
      hint: `Let somebody else test it: ${asking(namedAs(parts.settings, 'qa') ?? 'qa', 'test', task.id)}`,
      details: { task: task.id, missing: ['tests_passed'] },
    })
  }
  return {
    steps: [
      { do: 'write', task: { ...task, status: 'completed', updatedAt: at } },
      { do: 'archive', task: task.id },
    ],
    events: [{ event: 'completed', detail: '' }],
  }
}

async function changeTask(
  parts: CirceParts,
  name: string,
  agent: string,
  change: (task: Task, facts: TaskFacts, who: AgentId | string, at: number) => Change | undefined,
): Promise<TaskChanged> {
  const id = taskId(name)
  const who = isRooster(agent) ? 'rooster' : agentId(agent)
  const caughtUp = await catchUp(parts, { logs: true })
  await finishTask(parts, caughtUp, id)
  const { found } = caughtUp
  return turn(parts, `task.${id}`, async () => {
    const { task: read, texts, facts, counted } = await readSoundState(parts, id)
    // The owner from before the task was opened again does not own it any more.
    const isFormer = isRecord(read, facts) && !isClosed(read.status)
    const task: Task = isFormer ? { ...read, owner: undefined, claimedAt: undefined } : read
    if (Object.values(texts).every((text) => text === undefined) && counted.size === 0) throw noTask(id)
    const at = parts.clock.now()
    const made = change(task, facts, who, at)
    if (!made) return { outcome: 'unchanged', task: await taskView(parts, id, found), durability: 'process' }
    const events = made.events.map((event): CirceEvent => ({ at, agent: who, task: id, ...event }))
    // `.status` keeps naming the former owner as `.owner` does: otherwise that would look like a claim made by hand.
    const { owner, claimedAt } = read
    const kept = (step: CirceStep) =>
      step.do === 'write' ? { ...step, task: { ...step.task, owner, claimedAt } } : step
    const steps = isFormer ? made.steps.map(kept) : made.steps
    const committed = await commit(parts, `task.${id}`, steps, events)
    const durability = committed.outcome === 'done' ? committed.durability : 'process'
    return { outcome: 'changed', task: await taskView(parts, id), durability }
  })
}

export const noTask = (id: TaskId) =>
  notFound('NO_SUCH_TASK', `There is no task ${id}.`, {
    hint: `See which there are: ${call('circe tasks')}`,
    details: { task: id },
  })

function expectOwner({ id, owner }: Task, who: string, more = ''): void {
  if (owner !== undefined && isSameAgent(owner, who)) return
  const why = owner === undefined ? `Nobody owns ${id}.` : `${owner} owns ${id}, not ${who}.`
  throw denied('NOT_THE_OWNER', `${why}${more}`, {
    hint: owner === undefined ? `Claim it first: ${call('circe claim', { as: who, task: id })}` : `Ask ${owner}.`,
    details: { task: id, ...(owner === undefined ? {} : { owner }) },
  })
}

/**
 * The owner sets the checks of its task. Where roles are configured, only an agent with the role `qa` sets `tests_passed`, and only
 * a `reviewer`, or an agent that the owner asked, sets `peer_reviewed`; the owner sets neither. `effects.ts` has the same rule.
 */
function expectMaySet(name: SettableCheck, task: Task, facts: TaskFacts, who: string, settings: CirceSettings): void {
  const role = roleThatSets(settings, name)
  if (role === undefined) {
    expectOwner(task, who)
    return
  }
  const isOwner = task.owner !== undefined && isSameAgent(task.owner, who)
  const isNamed = isRoleNamed(settings, role)
    ? settings.roles.get(who)?.has(role) === true
    : facts.reviewers.some((reviewer) => isSameAgent(reviewer, who))
  if (isNamed && !isOwner) return
  const whom = namedAs(settings, role) ?? 'AGENT'
  const may = isRoleNamed(settings, role) ? `who has the role ${role}` : 'who was asked to review it'
  throw denied(
    'NOT_THEIRS_TO_SAY',
    `${who} cannot set ${name} of ${task.id}: ${isOwner ? 'its owner does not' : `only ${may} does`}.`,
    {
      hint:
        role === 'qa'
          ? `Let them test it: ${asking(whom, 'test', task.id)}`
          : `Let them review it: ${asking(whom, 'review_code', task.id)}`,
      details: { task: task.id, check: name, role },
    },
  )
}

const asking = (to: string, intent: string, task: TaskId): string => call('circe send', { to, intent, task })

const closed = ({ id, status }: Task) =>
  conflict('TASK_CLOSED', `${id} is ${status}.`, {
    hint: `New work for it opens it again: ${call('circe send', { intent: 'fix_bug' })} …`,
    details: { task: id, status },
  })

function statusFrom(text: string): Exclude<TaskStatus, 'new'> {
  const status = text === 'done' ? 'completed' : taskStatuses.find((one) => one === text)
  if (status && status !== 'new') return status
  const meant = nearest(text, taskStatuses)
  throw invalidInput('BAD_STATUS', `A task cannot be set to ${JSON.stringify(text.slice(0, 40))}.`, {
    hint:
      text === 'new'
        ? `Give it back instead: ${call('circe release', { as: 'AGENT', task: 'ID' })}`
        : meant
          ? `Did you mean ${meant}?`
          : `Use one of ${taskStatuses.filter((one) => one !== 'new').join(', ')}.`,
    details: { status: text.slice(0, 400) },
  })
}

function checksFrom(set: Readonly<Record<string, boolean>>): Partial<Record<SettableCheck, boolean>> {
  const wanted: Partial<Record<SettableCheck, boolean>> = {}
  for (const [name, value] of Object.entries(set)) {
    const check = settableChecks.find((one) => one === name)
    if (check) wanted[check] = value
    else if (name === 'ready_for_merge') {
      throw invalidInput('DERIVED_CHECK', '`ready_for_merge` follows from the other checks and cannot be set.', {
        hint: `Set ${settableChecks.join(', ')}.`,
      })
    } else {
      const meant = nearest(name, settableChecks)
      throw invalidInput('UNKNOWN_CHECK', `Not a check: ${JSON.stringify(name.slice(0, 40))}.`, {
        hint: meant ? `Did you mean ${meant}?` : `Use one of ${settableChecks.join(', ')}.`,
      })
    }
  }
  return wanted
}
