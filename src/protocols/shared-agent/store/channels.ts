/**
 * `#BROADCAST`, `#SUBSCRIBE`, `#UNSUBSCRIBE` and `#DIRECT`. Shared Agent Protocol §12. What is sent is a line of the session's
 * log with the names of those it is for, in one step with whatever else changes: it reaches all of them or none. Each
 * reader has a mark up to which it has read.
 */
import { ring } from '../../../tree/bell.ts'
import { bellFolder, type SessionId } from '../layout.ts'
import type { Change, Session } from '../record.ts'
import { Refusal } from '../refusal.ts'
import type { SessionParts } from './parts.ts'
import { type Handlers, told } from './speech.ts'

export const standardChannels = ['file_changes', 'deploy_status', 'test_results', 'priority_alert'] as const

export const channelHandlers: Handlers = {
  async SUBSCRIBE({ parts, id, agent, given }) {
    const channel = channelOf(given.channel)
    return parts.documents.change(id, { by: agent }, (session) => {
      const { agents = [] } = session.channels.find((one) => one.channel === channel) ?? {}
      const answer = told(`subscribed:${channel}`)
      if (agents.includes(agent)) return { did: undefined, answer }
      return {
        did: { session: withAgents(session, channel, [...agents, agent]), line: { did: 'SUBSCRIBE', about: channel } },
        answer,
      }
    })
  },

  async UNSUBSCRIBE({ parts, id, agent, given }) {
    const channel = channelOf(given.channel)
    return parts.documents.change(id, { by: agent }, (session) => {
      const { agents = [] } = session.channels.find((one) => one.channel === channel) ?? {}
      const answer = told(`unsubscribed:${channel}`)
      if (!agents.includes(agent)) return { did: undefined, answer }
      const left = agents.filter((one) => one !== agent)
      return {
        did: { session: withAgents(session, channel, left), line: { did: 'UNSUBSCRIBE', about: channel } },
        answer,
      }
    })
  },

  async BROADCAST({ parts, id, agent, given }) {
    const channel = channelOf(given.channel)
    const answer = await parts.documents.change(id, { by: agent }, (session) => {
      const { agents = [] } = session.channels.find((one) => one.channel === channel) ?? {}
      const line = { did: 'BROADCAST', about: channel, text: given.msg ?? '', to: agents }
      return { did: { session, line }, answer: told(`sent:${agents.length}`) }
    })
    await ring(parts.tree, bellFolder(id))
    return answer
  },

  async DIRECT({ parts, id, agent, given }) {
    const { agent: to = '', msg = '' } = given
    await parts.documents.change(id, { by: agent }, (session) => ({
      did: { session, line: { did: 'DIRECT', text: msg, to: [to] } },
      answer: undefined,
    }))
    await ring(parts.tree, bellFolder(id))
    return told(`sent:${to}`)
  },
}

const withAgents = (session: Session, channel: string, agents: readonly string[]): Session => ({
  ...session,
  channels: [
    ...session.channels.filter((one) => one.channel !== channel),
    ...(agents.length > 0 ? [{ channel, agents }] : []),
  ],
})

function channelOf(text = ''): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(text)) return text
  throw new Refusal('E002', 'bad_channel', 'A channel has letters, digits, `_`, `.` and `-`.')
}

/** What was sent to an agent and not read yet, oldest first. */
export async function unread(parts: SessionParts, id: SessionId, agent: string): Promise<Change[]> {
  const session = await parts.documents.read(id)
  if (!session) return []
  const after = readUpTo(session, agent)
  return (await parts.documents.log(id, after)).filter(({ to }) => to?.includes(agent))
}

export const readUpTo = ({ read }: Session, agent: string): number => read.find(([name]) => name === agent)?.[1] ?? 0

/**
 * Takes what was sent to an agent: each message goes to one reader, once. `most`: the oldest so many.
 * The document tells who was first, since every reader of an agent moves the same mark.
 */
export async function take(parts: SessionParts, id: SessionId, agent: string, most = Number.POSITIVE_INFINITY) {
  for (;;) {
    const session = await parts.documents.read(id)
    if (!session) return []
    const found = (await unread(parts, id, agent)).slice(0, most)
    const last = found.at(-1)
    if (!last) return []
    const before = readUpTo(session, agent)
    const isMine = await parts.documents.mark(id, (now) =>
      readUpTo(now, agent) === before ? withMark(now, agent, last.n) : undefined,
    )
    if (isMine) return found
  }
}

/** Takes the reading back, unless somebody has read on since. */
export const giveBack = (parts: SessionParts, id: SessionId, agent: string, numbers: readonly number[]) =>
  parts.documents.mark(id, (now) => {
    const [first, last] = [numbers[0], numbers.at(-1)]
    return first !== undefined && readUpTo(now, agent) === last ? withMark(now, agent, first - 1) : undefined
  })

const withMark = (session: Session, agent: string, n: number): Session => ({
  ...session,
  read: [...session.read.filter(([name]) => name !== agent), [agent, n]],
})
