/**
 * Messages. Shared Agent Protocol §12. What is sent is a line of the log with the names of its readers: it reaches all of them or
 * none. Each reader has a mark up to which it has read.
 */
import { ring } from '../../../messaging/waiting/waiting.ts'
import { bellFolder, type SessionId } from '../layout.ts'
import type { Handing, Session, SessionChange } from '../record.ts'
import { Refusal } from '../refusal.ts'
import { isHandedOut, withTells, withTellsRead } from '../tasks.ts'
import type { SessionParts } from './parts.ts'
import { type CommandAnswer, type Handlers, type Speech, told } from './speech.ts'

export const channelHandlers: Handlers = {
  SUBSCRIBE: (speech) => subscribe(speech, true),
  UNSUBSCRIBE: (speech) => subscribe(speech, false),

  async BROADCAST({ parts, id, agent, given }) {
    const channel = channelOf(given.channel)
    const answer = await parts.documents.change(id, { by: agent }, (session, at) => {
      const to = listenersOf(session, channel)
      const text = given.msg ?? ''
      const line = { did: 'BROADCAST', about: channel, text, to }
      return { session: withTells(session, at, { by: agent, task: text }, to), line, answer: told(`sent:${to.length}`) }
    })
    await ring(parts.tree, bellFolder(id))
    return answer
  },

  async DIRECT({ parts, id, agent, given }) {
    const { agent: to = '', msg = '' } = given
    const line = { did: 'DIRECT', text: msg, to: [to] }
    const answer = await parts.documents.change(id, { by: agent }, (session, at) => ({
      session: withTells(session, at, { by: agent, task: msg }, [to]),
      line,
      answer: told(`sent:${to}`),
    }))
    await ring(parts.tree, bellFolder(id))
    return answer
  },
}

async function subscribe({ parts, id, agent, given }: Speech, isWanted: boolean): Promise<CommandAnswer> {
  const channel = channelOf(given.channel)
  const answer = told(`${isWanted ? 'subscribed' : 'unsubscribed'}:${channel}`)
  return parts.documents.change(id, { by: agent }, (session) => {
    const agents = listenersOf(session, channel)
    if (agents.includes(agent) === isWanted) return { answer }
    const others = agents.filter((one) => one !== agent)
    const line = { did: isWanted ? 'SUBSCRIBE' : 'UNSUBSCRIBE', about: channel }
    return { session: withAgents(session, channel, isWanted ? [...others, agent] : others), line, answer }
  })
}

const listenersOf = ({ channels }: Session, channel: string): readonly string[] =>
  channels.find((one) => one.channel === channel)?.agents ?? []

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

/** A message for an agent; `again` where a reader was given it before and was not seen to write it out. */
export type Unread = SessionChange & { readonly again?: true }

/** What was sent to an agent and not read yet, oldest first. */
export async function unread(parts: SessionParts, id: SessionId, agent: string): Promise<Unread[]> {
  const session = await parts.documents.read(id)
  return session ? unreadIn(parts, session, id, agent) : []
}

async function unreadIn({ documents }: SessionParts, session: Session, id: SessionId, agent: string) {
  const given = handingOf(session, agent)?.given ?? 0
  const found = (await documents.log(id, readUpTo(session, agent))).filter(
    ({ to, n }) => to?.includes(agent) && !isHandedOut(session, agent, n),
  )
  return found.map((one): Unread => (one.n <= given ? { ...one, again: true } : one))
}

const readUpTo = ({ read }: Session, agent: string): number => read.find(([name]) => name === agent)?.[1] ?? 0

const handingOf = ({ handing = [] }: Session, agent: string): Handing | undefined =>
  handing.find((one) => one.agent === agent)

export interface Taking {
  /** The oldest so many. */
  readonly most?: number | undefined
  /** They count as read when `handedOut` says that they were written out, and not before. */
  readonly untilHandedOut?: boolean
  readonly signal?: AbortSignal | undefined
}

/**
 * Takes what was sent to an agent: each message goes to one reader, since all change the same mark. What another reader has in
 * hand is waited for, and taken over if that reader was killed or is held.
 */
export async function takeUnread(
  parts: SessionParts,
  id: SessionId,
  agent: string,
  taking: Taking = {},
): Promise<Unread[]> {
  const { documents, tree, settings } = parts
  const { most = Number.POSITIVE_INFINITY, untilHandedOut = false, signal } = taking
  let since = performance.now()
  for (let waitedFor: Handing | undefined; ; ) {
    const session = await documents.read(id)
    if (!session) return []
    const found = (await unreadIn(parts, session, id, agent)).slice(0, most)
    const last = found.at(-1)
    if (!last || signal?.aborted) return []
    const [before, handing, now] = [readUpTo(session, agent), handingOf(session, agent), await tree.now()]
    if (handing && handing.upTo > before && now < handing.until) {
      if (!isSame(handing, waitedFor)) since = performance.now()
      waitedFor = handing
      // By our own clock too: the time that stands there may be a stranger's.
      if (performance.now() - since < settings.handingMs) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
        continue
      }
    }
    const next = { agent, given: Math.max(handing?.given ?? 0, last.n), upTo: last.n, until: now + settings.handingMs }
    const isMine = await documents.mark(id, (current) => {
      if (readUpTo(current, agent) !== before || !isSame(handingOf(current, agent), handing)) return undefined
      return untilHandedOut ? withHanding(current, agent, next) : withRead(current, agent, last.n)
    })
    if (isMine) return found
  }
}

/** Between two looks whether another reader has written out what it has. */
const pauseMs = 20

/** What a reader was given was written out: it counts as read. Twice is fine. */
export const handedOut = (parts: SessionParts, id: SessionId, agent: string, n: number): Promise<boolean> =>
  parts.documents.mark(id, (now) => (readUpTo(now, agent) < n ? withRead(now, agent, n) : undefined))

/** A reader could not write out what it was given: the next one need not wait. False when another reader has read on since. */
export const giveBack = (parts: SessionParts, id: SessionId, agent: string, n: number): Promise<boolean> =>
  parts.documents.mark(id, (now) => {
    const handing = handingOf(now, agent)
    return handing && readUpTo(now, agent) < n ? withHanding(now, agent, { ...handing, until: 0 }) : undefined
  })

const isSame = (a: Handing | undefined, b: Handing | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && a.given === b.given && a.upTo === b.upTo && a.until === b.until)

const withHanding = (session: Session, agent: string, handing: Handing | undefined): Session => ({
  ...session,
  handing: [...(session.handing ?? []).filter((one) => one.agent !== agent), ...(handing ? [handing] : [])],
})

function withRead(session: Session, agent: string, n: number): Session {
  const handing = handingOf(session, agent)
  const left = handing && handing.given > n ? handing : undefined
  const read = [...session.read.filter(([name]) => name !== agent), [agent, n] as const]
  return { ...withTellsRead(withHanding(session, agent, left), agent, n), read }
}
