/**
 * Message Routing in neutral words. It has no places (missions, workspaces), no claims that end or can be given back, and no
 * questions to people; and it has no archive, so that `archived` makes no difference: what was taken, evicted or rejected is
 * told in these states for as long as it is kept.
 */
import { isoTime } from '../../../kernel/clock.ts'
import type { Envelope } from '../../../kernel/envelope.ts'
import { notFound } from '../../../kernel/errors.ts'
import { isMeant } from '../../../kernel/short-id.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import { nameBefore } from '../../../messaging/quarantine/quarantine.ts'
import { type Correspondence, isSince, type MessageOutcome, type Neutral, type Quarantined } from '../../contract.ts'
import { neutralOf, type Source } from '../../neutral.ts'
import { lift, lower, textOf } from '../envelope.ts'
import { agentId, folderPath, folders, isAgentId, stemOf } from '../layout.ts'
import { stages } from '../lifecycle.ts'
import type { MrMessage } from '../schema.ts'
import type { MrView } from './outcomes.ts'
import type { RoutingParts } from './parts.ts'
import { viewOfId, viewsIn } from './reading.ts'
import type { Routing } from './routing.ts'

export function mrNeutral(routing: Routing, parts: RoutingParts): Neutral {
  const { agents, sending, claiming, settling, recovering } = routing

  const source: Source<MrView> = {
    protocol: { name: 'mr', title: 'Message Routing' },
    tree: parts.tree,
    hasPlaces: false,
    stages,
    lift,
    text: async ({ path, message }) => ((await parts.tree.look(treePath(path))) ? textOf(message) : undefined),
    seen: () => agents.seen(),

    /** Reads the whole inbox, which has a limit, since only the messages tell their order. */
    async *waiting(agent, limit) {
      const { messages } = await claiming.receive(agent, { peek: true, ...(Number.isFinite(limit) ? { limit } : {}) })
      yield* messages
    },

    async *each({ to, states }) {
      const wanted = folders.filter((folder) => states?.includes(folder) ?? true)
      for (const agent of to === undefined ? (await agents.known()).names : isAgentId(to) ? [to] : [])
        yield* viewsIn(parts, agent, wanted)
    },

    async *find(id) {
      const { idOfStem } = await parts.foreign.load()
      const isFound = (stem: string) => isMeant(id, stem) || isMeant(id, idOfStem(stem))
      for (const agent of (await agents.known()).names) yield* viewsIn(parts, agent, folders, isFound)
    },

    watched: async () => [
      parts.root,
      ...(await agents.known()).names.map((agent) => folderPath(parts.root, agent, 'inbox')),
    ],

    async send(draft, options) {
      const { outcome, message, durability, notices } = await sending.send(lower(draft), options)
      return { outcome, message, durability, notices }
    },

    /** A message is its reader's for good: the receipt has no end. */
    async take(agent, { id, waitMs, signal }) {
      const { messages, durability } = await claiming.receive(agent, {
        limit: 1,
        ...(id === undefined ? {} : { id }),
        ...(waitMs === undefined ? {} : { waitMs }),
        ...(signal === undefined ? {} : { signal }),
      })
      const [message] = messages
      return message && { message, receipt: { id: message.id, agent }, durability }
    },

    /** Acknowledges what asks for it. Nothing is told of anything else, and so nothing changes. */
    async done({ id, agent }, { text }) {
      const message = await viewOfId(parts, agentId(agent), ['taken'], id)
      if (!message) throw notTaken(agent, id)
      if (!message.requiresAck) return { outcome: 'unchanged', message, durability: 'process' }
      const { outcome, durability } = await settling.ack(agent, id, text === undefined ? {} : { text })
      return { outcome: outcome === 'acknowledged' ? 'settled' : 'unchanged', message, durability }
    },
  }

  return neutralOf(source, {
    inspect: (options) => routing.inspect(options),

    /** Only an answer tells it. One that names no message counts while it waits, if it came since. */
    async outcomeOf(id: string, sent: Correspondence): Promise<MessageOutcome | undefined> {
      const { from, to } = sent
      const { messages } = await claiming.receive(from, { peek: true })
      for (const view of messages) {
        const { correlationId, createdAt } = view
        const isAbout = correlationId === undefined ? isSince(Date.parse(createdAt), sent) : correlationId === id
        const state = isAbout && view.from === to ? stateToldBy(view.message) : undefined
        if (state) return { state, text: resultIn(view.message), answer: view.id }
      }
      // Its reader may have taken it already.
      for await (const view of viewsIn(parts, agentId(from), ['taken'])) {
        const state = view.correlationId === id && view.from === to ? stateToldBy(view.message) : undefined
        if (state) return { state, text: resultIn(view.message) }
      }
      return undefined
    },

    async *quarantined() {
      const { quarantinedOf } = await import('./quarantine.ts')
      for (const agent of (await agents.known()).names) yield* quarantinedOf(parts, agent)
    },

    async putBack({ id, place }: Quarantined): Promise<Envelope> {
      const agent = agentId(place!)
      const { path } = await recovering.recover(agent, stemOf(id), { from: 'rejected' })
      const isIt = (stem: string) => stem === stemOf(nameBefore(id))
      for await (const view of viewsIn(parts, agent, ['inbox', 'taken'], isIt)) return lift(view)
      // In a form of another program, which only a reader with `compat` understands.
      const createdAt = isoTime(parts.clock.now())
      const headline = { protocol: 'mr', id: stemOf(id), from: 'unknown', to: agent, state: 'inbox', path, createdAt }
      return { ...headline, summary: 'It was put back.' }
    },
  })
}

const notTaken = (agent: string, id: string) =>
  notFound('NO_SUCH_MESSAGE', `${agent} has not taken a message ${id.slice(0, 80)}, or it is not kept any more.`, {
    hint: `See what there is: signalbox mr taken ${agent}`,
    details: { agent, id: id.slice(0, 400) },
  })

/** Whether an answer says that the work is over. An acknowledgement, a sign of life and a question of its own do not. */
function stateToldBy({ type, payload, correlation_id }: MrMessage): MessageOutcome['state'] | undefined {
  const { status } = payload
  if (type === 'status-update') return status === 'completed' || status === 'failed' ? status : undefined
  if (type === 'result') return status === 'failure' ? 'failed' : 'completed'
  return type === 'heartbeat' || correlation_id === undefined ? undefined : 'completed'
}

/** The words of an answer, else what it says field by field, one line each. */
function resultIn(message: MrMessage): string {
  const { task, message: words } = message.payload
  if (typeof task === 'string' || typeof words === 'string') return textOf(message)
  return Object.entries(message.payload)
    .map(([field, value]) => `${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n')
}
