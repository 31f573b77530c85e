/**
 * Message Routing in neutral words. It has no places (missions, workspaces), no claims that end and no questions to people;
 * and it has no archive, so that `archived` makes no difference: what was taken, evicted or rejected is told in these states
 * for as long as it is kept.
 */
import { isoTime } from '../../../kernel/clock.ts'
import type { Envelope } from '../../../kernel/envelope.ts'
import { notFound } from '../../../kernel/errors.ts'
import { isMeant } from '../../../kernel/short-id.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import { nameBefore } from '../../../messaging/quarantine/set-aside.ts'
import type { Finding } from '../../../tree/tree.ts'
import {
  type Correspondence,
  type Draft,
  envelopeOf,
  expectNoOwnId,
  expectNoPlace,
  type Filter,
  type InspectionOptions,
  isSince,
  type Message,
  type MessageOutcome,
  type Neutral,
  type Quarantined,
  type Receipt,
  type Sent,
  type Settled,
  type Taken,
  type TakeOptions,
} from '../../contract.ts'
import { type AgentId, agentId, type Folder, folders, isAgentId, stemOf } from '../layout.ts'
import type { MrMessage, Payload } from '../schema.ts'
import type { Agents } from './agents.ts'
import type { MrView } from './outcomes.ts'
import { messageNames, pathIn, type RoutingParts, unlessOdd } from './parts.ts'
import { readMessage } from './reading.ts'
import type { Routing } from './routing.ts'
import { viewOf } from './view.ts'

const priorities = { high: 8, normal: undefined, low: 2 } as const

const named = { title: 'Message Routing' }

export class MrNeutral implements Neutral {
  readonly #routing: Routing
  readonly #parts: RoutingParts
  readonly #agents: Agents

  constructor(routing: Routing, parts: RoutingParts, agents: Agents) {
    this.#routing = routing
    this.#parts = parts
    this.#agents = agents
  }

  async *seen({ place }: { readonly place?: string } = {}): AsyncGenerator<string> {
    if (place === undefined) yield* this.#agents.seen()
  }

  /** Reads the whole inbox, which has a limit, since only the messages tell their order. */
  async *waitingFor(agent: string, { limit }: { readonly limit?: number } = {}): AsyncGenerator<Message> {
    if (limit !== undefined && limit < 1) return
    const { messages } = await this.#routing.receive(agent, { peek: true, ...(limit === undefined ? {} : { limit }) })
    for (const view of messages) yield this.#message(view)
  }

  async *find(id: string): AsyncGenerator<Message> {
    const { idOfStem } = await this.#parts.foreign.load()
    for (const agent of (await this.#agents.known()).names) {
      const isFound = (stem: string) => isMeant(id, stem) || isMeant(id, idOfStem(stem))
      for await (const view of this.#views(agent, folders, isFound)) yield this.#message(view)
    }
  }

  async *messages({ place, from, to, states, limit = Number.POSITIVE_INFINITY }: Filter = {}): AsyncGenerator<Message> {
    if (place !== undefined || limit < 1) return
    const wanted = folders.filter((folder) => states?.includes(folder) ?? true)
    let count = 0
    for (const agent of to === undefined ? (await this.#agents.known()).names : isAgentId(to) ? [to] : []) {
      for await (const view of this.#views(agent, wanted)) {
        if (from !== undefined && view.from !== from) continue
        yield this.#message(view)
        if (++count >= limit) return
      }
    }
  }

  inspect(options: InspectionOptions): Promise<readonly Finding[]> {
    return this.#routing.inspect(options)
  }

  /**
   * A task: of the five types it is the one that says anything in words, and claims nothing about how work stands. A
   * summary of its own goes into `message`, which is where a reader looks for one.
   */
  async send({ from, to, text, summary, place, id, replyTo, urgency = 'normal' }: Draft): Promise<Sent> {
    expectNoOwnId(named, id)
    expectNoPlace(named, place)
    const priority = priorities[urgency]
    const { message, durability, notices } = await this.#routing.send({
      from,
      to,
      type: 'task-delegation',
      payload: { task: text, ...(summary === undefined ? {} : { message: summary }) },
      ...(replyTo === undefined ? {} : { replyTo }),
      ...(priority === undefined ? {} : { priority }),
    })
    return { outcome: 'sent', message: envelopeOf(message), durability, notices }
  }

  /** A message is its reader's for good: the receipt has no end. */
  async take(agent: string, { place, id, waitMs }: TakeOptions = {}): Promise<Taken> {
    expectNoPlace(named, place)
    const { messages, durability } = await this.#routing.receive(agent, {
      limit: 1,
      ...(id === undefined ? {} : { id }),
      ...(waitMs === undefined ? {} : { waitMs }),
    })
    const [view] = messages
    if (!view) return { outcome: 'nothing' }
    return { outcome: 'taken', message: this.#message(view), receipt: { id: view.id, agent }, durability }
  }

  /** Acknowledges what asks for it. Nothing is told of anything else, and so nothing changes. */
  async done({ id, agent }: Receipt, { text }: { readonly text?: string } = {}): Promise<Settled> {
    const view = await this.#taken(agentId(agent), id)
    const message = envelopeOf(view)
    if (!view.requiresAck) return { outcome: 'unchanged', message, durability: 'process' }
    const { outcome, durability } = await this.#routing.ack(agent, id, text === undefined ? {} : { text })
    return { outcome: outcome === 'acknowledged' ? 'settled' : 'unchanged', message, durability }
  }

  /** Only an answer tells it. One that names no message counts while it waits, if it came since. */
  async outcomeOf(id: string, sent: Correspondence): Promise<MessageOutcome | undefined> {
    const { from, to } = sent
    const { messages } = await this.#routing.receive(from, { peek: true })
    for (const view of messages) {
      const { correlationId, createdAt } = view
      const isAbout = correlationId === undefined ? isSince(Date.parse(createdAt), sent) : correlationId === id
      const state = isAbout && view.from === to ? stateToldBy(view.message) : undefined
      if (state) return { state, text: resultIn(view.message.payload), answer: view.id }
    }
    // Somebody may have read it already.
    for await (const view of this.#views(agentId(from), ['taken'])) {
      const state = view.correlationId === id && view.from === to ? stateToldBy(view.message) : undefined
      if (state) return { state, text: resultIn(view.message.payload) }
    }
    return undefined
  }

  async *quarantined(): AsyncGenerator<Quarantined> {
    const { quarantinedOf } = await import('./quarantine.ts')
    for (const agent of (await this.#agents.known()).names) yield* quarantinedOf(this.#parts, agent)
  }

  async putBack({ id, place }: Quarantined): Promise<Envelope> {
    const agent = agentId(place!)
    const { path } = await this.#routing.recover(agent, stemOf(id), { from: 'rejected' })
    const isIt = (stem: string) => stem === stemOf(nameBefore(id))
    for await (const view of this.#views(agent, ['inbox', 'taken'], isIt)) return envelopeOf(view)
    // In a form of another program, which only a reader with `compat` understands.
    const createdAt = isoTime(this.#parts.clock.now())
    const envelope = { protocol: 'mr', id: stemOf(id), from: 'unknown', to: agent, state: 'inbox', path, createdAt }
    return { ...envelope, summary: 'It was put back.' }
  }

  async #taken(agent: AgentId, id: string): Promise<MrView> {
    const { idOfStem } = await this.#parts.foreign.load()
    for await (const view of this.#views(agent, ['taken'], (stem) => idOfStem(stem) === id)) return view
    throw notFound(
      'NO_SUCH_MESSAGE',
      `${agent} has not taken a message ${id.slice(0, 80)}, or it is not kept any more.`,
      {
        hint: `See what there is: signalbox mr taken ${agent}`,
        details: { agent, id: id.slice(0, 400) },
      },
    )
  }

  /** One file at a time. What is no message, or stands where none can be, is passed over; `inspect` tells of it. */
  async *#views(agent: AgentId, states: readonly Folder[], isWanted = (_stem: string) => true): AsyncGenerator<MrView> {
    for (const folder of states) {
      for (const name of (await unlessOdd(() => messageNames(this.#parts, agent, folder))) ?? []) {
        if (!isWanted(stemOf(nameBefore(name)))) continue
        const message = await unlessOdd(() => readMessage(this.#parts, agent, folder, name))
        if (message) yield viewOf(message, folder, pathIn(this.#parts, agent, folder, name))
      }
    }
  }

  #message(view: MrView): Message {
    const isThere = async () => (await this.#parts.tree.look(treePath(view.path))) !== undefined
    return {
      envelope: envelopeOf(view),
      text: async () => ((await isThere()) ? textOf(view.message.payload) : undefined),
    }
  }
}

/** Whether an answer says that the work is over. An acknowledgement, a sign of life and a question of its own do not. */
function stateToldBy({ type, payload, correlation_id }: MrMessage): MessageOutcome['state'] | undefined {
  const { status } = payload
  if (type === 'status-update') return status === 'completed' || status === 'failed' ? status : undefined
  if (type === 'result') return status === 'failure' ? 'failed' : 'completed'
  return type === 'heartbeat' || correlation_id === undefined ? undefined : 'completed'
}

/** The words of an answer, else what it says field by field, one line each. */
function resultIn(payload: Payload): string {
  const { task, message } = payload
  if (typeof task === 'string' || typeof message === 'string') return textOf(payload)
  return Object.entries(payload)
    .map(([field, value]) => `${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n')
}

/** The words of the payload; what it says besides stands below them, as it was written. */
function textOf(payload: Payload): string {
  const field = ['task', 'message'].find((name) => typeof payload[name] === 'string')
  if (field === undefined) return JSON.stringify(payload, null, 2)
  // Beside a task, `message` is its summary, which the envelope tells.
  const { [field]: words, message: _, ...others } = payload
  return Object.keys(others).length === 0 ? `${words}` : `${words}\n\n${JSON.stringify(others, null, 2)}`
}
