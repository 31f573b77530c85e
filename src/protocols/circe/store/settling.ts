/**
 * What an agent does with a message that it has: start work on it, acknowledge it, be done with it. Each says so once,
 * however often it is asked for. Spec: CIRCE, "Message Locations".
 */
import { conflict, denied, notFound } from '../../../kernel/errors.ts'
import { isRecord } from '../effects.ts'
import type { CirceEvent, EventName } from '../events.ts'
import { takesTask } from '../intents.ts'
import { type AgentId, agentId, type FileName, fileName, isEverybody, type TaskId } from '../names.ts'
import type { At, Step } from '../steps.ts'
import { isClosed, type Task } from '../task.ts'
import { folderOf } from './agents.ts'
import type { CatchingUp } from './catching-up.ts'
import type { Claiming } from './claiming.ts'
import { isForEverybody } from './fan-out.ts'
import { handedOf } from './handed.ts'
import type { Journal } from './journal.ts'
import type { CirceSettled, Handled } from './outcomes.ts'
import { type CirceParts, subjectOf } from './parts.ts'
import { type Found, findMessage, isFor, isFound, loggedBytes, readAt } from './places.ts'
import { readSoundState } from './task-state.ts'
import { viewOfFound } from './view.ts'

type Change = (
  found: Found,
  agent: AgentId,
  isAcked: boolean,
) => Promise<{ readonly steps: readonly Step[]; readonly events: readonly EventName[] } | undefined>

export class Settling {
  readonly #parts: CirceParts
  readonly #journal: Journal
  readonly #claiming: Claiming
  readonly #catchingUp: CatchingUp

  constructor(parts: CirceParts, journal: Journal, claiming: Claiming, catchingUp: CatchingUp) {
    this.#parts = parts
    this.#journal = journal
    this.#claiming = claiming
    this.#catchingUp = catchingUp
  }

  /** Moves a message into the workspace. Its owner's task is in progress from now on. Starting acknowledges. */
  start(agent: string, file: string): Promise<CirceSettled<'started'>> {
    return this.#with(agent, file, 'started', async (found, who, isAcked) => {
      if (found.place === 'workspace') return undefined
      const id = found.message.task as TaskId | undefined
      const state = id === undefined ? undefined : await readSoundState(this.#parts, id)
      if (state && takesTask(found.message.intent)) expectOwner(state.task, who)
      const updatedAt = this.#parts.clock.now()
      const isOwners = state?.task.owner === who && !isClosed(state.task.status) && !isRecord(state.task, state.facts)
      return {
        steps: [
          { do: 'log', file: found.name, from: atOf(found) },
          { do: 'start', file: found.name, agent: who },
          { do: 'hand', agent: who, file: found.name, acked: true },
          ...(isOwners ? [{ do: 'write', task: { ...state.task, status: 'in_progress', updatedAt } } as const] : []),
        ],
        events: isAcked ? ['started'] : ['acknowledged', 'started'],
      }
    })
  }

  /** Copies a message into the log and says so; it stays in the inbox until it is dealt with. */
  ack(agent: string, file: string): Promise<CirceSettled<'acknowledged'>> {
    return this.#with(agent, file, 'acknowledged', async (found, who, isAcked) => {
      if (isAcked) return undefined
      return {
        steps: [
          { do: 'log', file: found.name, from: atOf(found) },
          { do: 'hand', agent: who, file: found.name, acked: true },
        ],
        events: ['acknowledged'],
      }
    })
  }

  /** Takes a message out of inbox and workspace; the log keeps it. */
  done(agent: string, file: string): Promise<CirceSettled<'handled'>> {
    return this.#with(agent, file, 'handled', async (found, who, isAcked) => ({
      steps: [
        { do: 'settle', file: found.name, from: atOf(found), task: found.message.task as TaskId | undefined },
        { do: 'unhand', agent: who, file: found.name },
      ],
      events: isAcked ? ['handled'] : ['acknowledged', 'handled'],
    }))
  }

  /** Claims the message first if nobody has, then makes the change; `undefined` from `change` means that it was made before. */
  async #with<Did extends Handled>(name: string, file: string, did: Did, change: Change): Promise<CirceSettled<Did>> {
    const agent = agentId(name)
    const wanted = fileName(file)
    const caughtUp = await this.#catchingUp.catchUp()
    const { found: lying } = caughtUp
    await this.#catchingUp.finish(caughtUp, lying.find(({ name }) => name === wanted)?.message.task)
    const waiting = lying.find((one) => one.place === 'new' && one.name === wanted && isFor(one.message, agent))
    const theirs = lying.some((one) => one.agent === agent && one.name === wanted)
    if (waiting && !theirs) {
      const tried = await this.#claiming.tryOne(waiting, agent)
      if (tried !== 'lost' && 'owner' in tried) throw ownedBy(tried.task, tried.owner)
    }
    for (;;) {
      const settled = await this.#tryWith(agent, wanted, did, change)
      if (settled) return settled
    }
  }

  /** `undefined`: another program moved or replaced the message in this instant, so that it must be looked at again. */
  async #tryWith<Did extends Handled>(
    agent: AgentId,
    wanted: FileName,
    did: Did,
    change: Change,
  ): Promise<CirceSettled<Did> | undefined> {
    const about = (await this.#has(agent, wanted)) ?? (await this.#elsewhere(agent, wanted))
    return this.#journal.turn(subjectOf(wanted, about.message.task), async () => {
      const found = await this.#has(agent, wanted)
      if (found && found.message.task !== about.message.task) return undefined
      if (!found) {
        const message = viewOfFound(await this.#elsewhere(agent, wanted))
        return { outcome: 'unchanged', message, durability: 'process' }
      }
      const isAcked = (await handedOf(this.#parts, agent, wanted)) === 'acknowledged' || (await this.#isInLog(found))
      const made = await change(found, agent, isAcked)
      if (!made) return { outcome: 'unchanged', message: viewOfFound(found), durability: 'process' }
      const at = this.#parts.clock.now()
      const events = made.events.map(
        (event): CirceEvent => ({ at, event, agent, task: found.message.task, file: wanted, detail: '' }),
      )
      const committed = await this.#journal.commit(subjectOf(wanted, found.message.task), made.steps, events)
      if (committed.outcome === 'lost') return undefined
      const now = (await this.#has(agent, wanted)) ?? (await readAt(this.#parts, { place: 'logged' }, wanted))
      const { durability } = committed
      return { outcome: did, message: viewOfFound(isFound(now) ? now : found), durability }
    })
  }

  /** Only a message for one agent: of one for all the log has a copy from the beginning. */
  async #isInLog({ name, message }: Found): Promise<boolean> {
    if (!isEverybody(message.to)) return (await loggedBytes(this.#parts.tree, this.#parts.root, name)) !== undefined
    return false
  }

  /** In the agent's inbox or workspace. */
  async #has(agent: AgentId, name: FileName): Promise<Found | undefined> {
    const folder = await folderOf(this.#parts, agent)
    for (const place of ['inbox', 'workspace'] as const) {
      const read = await readAt(this.#parts, { place, agent, folder }, name)
      if (isFound(read)) return read
    }
    return undefined
  }

  /** It is dealt with already, or it is not this agent's. */
  async #elsewhere(agent: AgentId, name: FileName): Promise<Found> {
    const found = await findMessage(this.#parts, name)
    if (!found) {
      throw notFound('NO_SUCH_MESSAGE', `There is no message ${name}.`, {
        hint: `See what there is: signalbox circe inbox ${agent}`,
        details: { file: name },
      })
    }
    if (found.place === 'logged') return found
    // Of a message that went to everybody others may still have theirs, when this agent has dealt with its own.
    const logged = isForEverybody(found.message) ? await readAt(this.#parts, { place: 'logged' }, name) : undefined
    if (isFound(logged)) return logged
    const whose = found.agent === undefined ? `for ${found.message.to}` : `${found.agent}’s`
    throw conflict('NOT_YOURS', `${name} is ${whose}, not ${agent}’s.`, {
      hint: `See what is: signalbox circe inbox ${agent}`,
      details: { file: name, agent, path: found.path },
    })
  }
}

const atOf = ({ place, agent }: Found): At =>
  agent === undefined ? { place: 'new' } : { place: place as 'inbox' | 'workspace', agent }

function expectOwner({ id, owner }: Task, agent: AgentId): void {
  if (owner !== undefined && owner !== agent) throw ownedBy(id, owner, `, not ${agent}`)
}

const ownedBy = (task: string, owner: string, more = '') =>
  denied('NOT_THE_OWNER', `${owner} owns ${task}${more}.`, {
    hint: `See how it stands: signalbox circe tasks ${task}`,
    details: { task, owner },
  })
