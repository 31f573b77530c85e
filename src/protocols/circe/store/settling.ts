/**
 * What an agent does with a message that it has: start work on it, acknowledge it, finish it, give it back. A repeat changes
 * nothing.
 * Spec: CIRCE, "Message Locations".
 */
import { call } from '../../../kernel/call.ts'
import { conflict, denied } from '../../../kernel/errors.ts'
import { expectHeld, lostClaim } from '../../../messaging/claims/claim.ts'
import { isRecord } from '../effects.ts'
import type { EventName } from '../events.ts'
import { takesTask } from '../intents.ts'
import { type AgentId, agentId, type FileName, fileName, isEverybody } from '../names.ts'
import type { At, CirceStep } from '../steps.ts'
import { isClosed, type Task } from '../task.ts'
import { folderOf } from './agents.ts'
import { catchUp, finishTask } from './catching-up.ts'
import { tryOne } from './claiming.ts'
import { releasing } from './counting.ts'
import { isForEverybody } from './fan-out.ts'
import { handedOf } from './handed.ts'
import { commit, turn } from './journal.ts'
import { attemptOf } from './log.ts'
import type { CirceSettled, Handled } from './outcomes.ts'
import { type CirceParts, subjectOf } from './parts.ts'
import { expectMessage, isFor, isFound, isInLog, type PlacedMessage, readAt } from './places.ts'
import { readSoundState, type TaskState } from './task-files.ts'
import { idOf, viewOfFound } from './view.ts'

/** The steps for a message, and the events that record them. `undefined`: it has been done before. */
type Change = (
  found: PlacedMessage,
  agent: AgentId,
  isAcked: boolean,
) => Promise<{ readonly steps: readonly CirceStep[]; readonly events: readonly Told[] } | undefined>

type Told = readonly [event: EventName, detail?: string]

/** `attempt`: the number of the agent's claim (`attemptOf`). Without it: whichever claim the agent has. */
interface Holding {
  readonly attempt?: number | undefined
}

export class Settling {
  readonly #parts: CirceParts

  constructor(parts: CirceParts) {
    this.#parts = parts
  }

  /** Moves a message into the workspace, which acknowledges it. A task that the agent owns is in progress from now on. */
  start(agent: string, file: string): Promise<CirceSettled<'started'>> {
    return settle(this.#parts, agent, file, 'started', async (found, who, isAcked) => {
      if (found.place === 'workspace') return undefined
      const { task: id, intent } = found.message
      const state = id && (await readSoundState(this.#parts, id))
      const owner = state?.task.owner
      if (takesTask(intent) && owner !== undefined && owner !== who) throw ownedBy(id!, owner, `, not ${who}`)
      const updatedAt = this.#parts.clock.now()
      return {
        steps: [
          { do: 'log', file: found.name, from: atOf(found) },
          { do: 'start', file: found.name, agent: who },
          { do: 'hand', agent: who, file: found.name, acked: true },
          ...(state && isOwnedBy(state, who)
            ? [{ do: 'write', task: { ...state.task, status: 'in_progress', updatedAt } } as const]
            : []),
        ],
        events: isAcked ? [['started']] : [['acknowledged'], ['started']],
      }
    })
  }

  /** Copies a message into the log. It stays in the inbox until the agent is done with it. */
  ack(agent: string, file: string): Promise<CirceSettled<'acknowledged'>> {
    return settle(this.#parts, agent, file, 'acknowledged', async (found, who, isAcked) => {
      if (isAcked) return undefined
      return {
        steps: [
          { do: 'log', file: found.name, from: atOf(found) },
          { do: 'hand', agent: who, file: found.name, acked: true },
        ],
        events: [['acknowledged']],
      }
    })
  }

  /** Moves a message from the inbox or workspace into the log. */
  done(agent: string, file: string, holding: Holding = {}): Promise<CirceSettled<'handled'>> {
    const change: Change = async (found, who, isAcked) => handling(found, who, isAcked)
    return settle(this.#parts, agent, file, 'handled', change, holding)
  }

  /** The same for an agent that gives the message up. If the agent owns its task, the task has failed. */
  failed(agent: string, file: string, holding: Holding = {}): Promise<CirceSettled<'handled'>> {
    const change: Change = async (found, who, isAcked) => {
      const { steps, events } = handling(found, who, isAcked, 'failed')
      const task = await workOf(this.#parts, found, who)
      if (!task) return { steps, events }
      const updatedAt = this.#parts.clock.now()
      const failure = { do: 'write', task: { ...task, status: 'failed', updatedAt } } as const
      return { steps: [...steps, failure], events: [...events, ['status', 'failed']] }
    }
    return settle(this.#parts, agent, file, 'handled', change, holding)
  }

  /** Gives a message back: work with its task; a copy of a message to all stays in the inbox; all else goes to `NEW_MESSAGES/`. */
  giveBack(agent: string, file: string, holding: Holding = {}): Promise<CirceSettled<'returned'>> {
    const change: Change = async (found, who) => {
      if (isForEverybody(found.message))
        return { steps: [{ do: 'unhand', agent: who, file: found.name }], events: [['returned']] }
      const task = await workOf(this.#parts, found, who)
      if (task) return { steps: releasing(task, this.#parts.clock.now()), events: [['released']] }
      return { steps: [{ do: 'return', file: found.name, from: atOf(found) }], events: [['returned']] }
    }
    return settle(this.#parts, agent, file, 'returned', change, holding)
  }

  /** Throws `LOST_CLAIM` for a claim that is not the agent's any more. Called before anything that depends on the claim. */
  async expectHeld(name: string, file: FileName, attempt: number): Promise<void> {
    const agent = agentId(name)
    const found = (await heldBy(this.#parts, agent, file)) ?? (await elsewhere(this.#parts, agent, file, attempt))
    if (found.agent === agent) await expectClaim(this.#parts, found, agent, attempt)
  }
}

const isOwnedBy = ({ task, facts }: Pick<TaskState, 'task' | 'facts'>, agent: AgentId): boolean =>
  task.owner === agent && !isClosed(task.status) && !isRecord(task, facts)

/** The task of some work, if this agent owns it. In the turn of the task. */
async function workOf(parts: CirceParts, { message }: PlacedMessage, agent: AgentId): Promise<Task | undefined> {
  const state = takesTask(message.intent) ? await readSoundState(parts, message.task!) : undefined
  return state && isOwnedBy(state, agent) ? state.task : undefined
}

/** Makes the change. A message that no agent has claimed is claimed first, unless the caller names a claim. */
async function settle<Did extends Handled>(
  parts: CirceParts,
  name: string,
  file: string,
  did: Did,
  change: Change,
  { attempt }: Holding = {},
): Promise<CirceSettled<Did>> {
  const agent = agentId(name)
  const wanted = fileName(file)
  const caughtUp = await catchUp(parts)
  const theirs = caughtUp.found.filter((one) => one.name === wanted)
  await finishTask(parts, caughtUp, theirs[0]?.message.task)
  const waiting = theirs.find((one) => one.place === 'new' && isFor(one.message, agent))
  if (waiting && attempt === undefined && !theirs.some((one) => one.agent === agent)) {
    const tried = await tryOne(parts, waiting, agent)
    if (tried !== 'lost' && 'owner' in tried) throw ownedBy(tried.task, tried.owner)
  }
  /** `undefined`: another program moved or replaced the message in this instant, so it is tried again. */
  const trySettling = async (): Promise<CirceSettled<Did> | undefined> => {
    const about = (await heldBy(parts, agent, wanted)) ?? (await elsewhere(parts, agent, wanted, attempt))
    const subject = subjectOf(wanted, about.message.task)
    return turn(parts, subject, async () => {
      const found = await heldBy(parts, agent, wanted)
      if (found && found.message.task !== about.message.task) return undefined
      const unchanged = (message: PlacedMessage): CirceSettled<Did> => ({
        outcome: 'unchanged',
        message: viewOfFound(message),
        durability: 'process',
      })
      if (!found) return unchanged(await elsewhere(parts, agent, wanted, attempt))
      if (attempt !== undefined) await expectClaim(parts, found, agent, attempt)
      const isAcked = (await handedOf(parts, agent, wanted)) === 'acknowledged' || (await isAcknowledged(parts, found))
      const made = await change(found, agent, isAcked)
      if (!made) return unchanged(found)
      const line = { at: parts.clock.now(), agent, task: found.message.task, file: wanted }
      const events = made.events.map(([event, detail = '']) => ({ ...line, event, detail }))
      const committed = await commit(parts, subject, made.steps, events)
      if (committed.outcome === 'lost') return undefined
      const place = did === 'returned' ? 'new' : 'logged'
      const now = (await heldBy(parts, agent, wanted)) ?? (await readAt(parts, { place }, wanted))
      return { outcome: did, message: viewOfFound(isFound(now) ? now : found), durability: committed.durability }
    })
  }
  for (;;) {
    const settled = await trySettling()
    if (settled) return settled
  }
}

/** The log has a copy of a message to all from the beginning, which says nothing about acknowledgement. */
const isAcknowledged = async (parts: CirceParts, { name, message }: PlacedMessage): Promise<boolean> =>
  !isEverybody(message.to) && (await isInLog(parts, name))

/** The message in the agent's inbox or workspace. */
async function heldBy(parts: CirceParts, agent: AgentId, name: FileName): Promise<PlacedMessage | undefined> {
  const folder = await folderOf(parts, agent)
  for (const place of ['inbox', 'workspace'] as const) {
    const read = await readAt(parts, { place, agent, folder }, name)
    if (isFound(read)) return read
  }
  return undefined
}

/** Throws `LOST_CLAIM` for a claim that was given back. In the turn of the message. */
async function expectClaim(
  parts: CirceParts,
  { place, name }: PlacedMessage,
  agent: AgentId,
  attempt: number,
): Promise<void> {
  const isHeld = place === 'workspace' || (await handedOf(parts, agent, name)) !== undefined
  const claim = isHeld ? { holder: agent, attempt: await attemptOf(parts, agent, name) } : undefined
  // A log that a person has shortened counts fewer claims.
  const now = claim && { ...claim, attempt: Math.max(claim.attempt, attempt) }
  expectHeld(idOf(name), now, { agent, attempt })
}

/** The message in the log, if the agent is done with it. Throws when it is another agent's, or waits. */
async function elsewhere(
  parts: CirceParts,
  agent: AgentId,
  name: FileName,
  attempt: number | undefined,
): Promise<PlacedMessage> {
  const found = await expectMessage(parts, name, `See what there is: ${call('circe inbox', { as: agent })}`)
  if (found.place === 'logged') return found
  // What was found may be another agent's copy of a message to all.
  const logged = isForEverybody(found.message) ? await readAt(parts, { place: 'logged' }, name) : undefined
  if (isFound(logged)) return logged
  if (attempt !== undefined) throw lostClaim(idOf(name), `${found.agent ?? 'nobody'} has it`)
  const whose = found.agent === undefined ? `for ${found.message.to}` : `${found.agent}’s`
  throw conflict('NOT_YOURS', `${name} is ${whose}, not ${agent}’s.`, {
    hint: `See what is: ${call('circe inbox', { as: agent })}`,
    details: { file: name, agent, path: found.path },
  })
}

/** `detail`: of the `handled` line. */
const handling = (found: PlacedMessage, agent: AgentId, isAcked: boolean, detail = '') => ({
  steps: [
    { do: 'settle', file: found.name, from: atOf(found), task: found.message.task },
    { do: 'unhand', agent, file: found.name },
  ] satisfies CirceStep[],
  events: [...(isAcked ? [] : [['acknowledged'] as const]), ['handled', detail] as const],
})

const atOf = ({ place, agent }: PlacedMessage): At =>
  agent === undefined ? { place: 'new' } : { place: place as 'inbox' | 'workspace', agent }

const ownedBy = (task: string, owner: string, more = '') =>
  denied('NOT_THE_OWNER', `${owner} owns ${task}${more}.`, {
    hint: `See how it stands: ${call('circe tasks', { id: task })}`,
    details: { task, owner },
  })
