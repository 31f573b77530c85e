/**
 * Messages. Shared Agent Protocol §12. A message is a line of the log with the names of its readers: it reaches all of them or
 * none. Each reader has a mark up to which it has read.
 */
import { ring } from '../../../messaging/waiting/waiting.ts'
import { bellFolder, type SessionId } from '../layout.ts'
import { handedByInbox, handingOf, readUpTo, tidied, toldState } from '../mailboxes.ts'
import { type Handing, isTold, type Session, type SessionChange } from '../record.ts'
import { Refusal } from '../refusal.ts'
import type { SessionParts } from './parts.ts'
import { type CommandAnswer, type Handlers, type Speech, told } from './speech.ts'

export const channelHandlers: Handlers = {
  SUBSCRIBE: (speech) => subscribe(speech, true),
  UNSUBSCRIBE: (speech) => subscribe(speech, false),

  async BROADCAST({ parts, id, agent, given }) {
    const channel = channelOf(given.channel)
    const answer = await parts.documents.change(id, { by: agent }, (session) => {
      const to = listenersOf(session, channel)
      const line = { did: 'BROADCAST', about: channel, text: given.msg ?? '', to }
      return { line, answer: told(`sent:${to.length}`) }
    })
    await ring(parts.tree, bellFolder(id))
    return answer
  },

  async DIRECT({ parts, id, agent, given }) {
    const { agent: to = '', msg = '' } = given
    const line = { did: 'DIRECT', text: msg, to: [to] }
    const answer = await parts.documents.change(id, { by: agent }, () => ({ line, answer: told(`sent:${to}`) }))
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

/** A message for an agent. `again`: a reader was given it before and did not confirm that it wrote it out. */
export type Unread = SessionChange & { readonly again?: true }

/** What was sent to an agent and not read yet, oldest first. */
export async function unread(parts: SessionParts, id: SessionId, agent: string): Promise<Unread[]> {
  const session = await parts.documents.read(id)
  return session ? unreadIn(parts, session, id, agent) : []
}

async function unreadIn({ documents }: SessionParts, session: Session, id: SessionId, agent: string) {
  const given = handingOf(session, agent)?.given ?? 0
  const sent = (await documents.log(id, readUpTo(session, agent))).filter(({ to }) => to?.includes(agent))
  // What was taken one by one is not handed out here as well.
  const found = sent.filter((one) => !isTold(one) || toldState(session, agent, one.n) === 'unread')
  return found.map((one): Unread => (one.n <= given ? { ...one, again: true } : one))
}

export interface Taking {
  /** How many, the oldest first. */
  readonly most?: number | undefined
  /** They count as read only when `handedOut` is called: after they were written out. */
  readonly untilHandedOut?: boolean
  readonly signal?: AbortSignal | undefined
}

/**
 * Takes what was sent to an agent. Each message goes to one reader, since all readers change the same mark. Messages that another
 * reader has in hand are waited for, and taken over if that reader was killed or is paused.
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
      // Our own clock bounds the wait too: another program may have written the time in the document.
      if (performance.now() - since < settings.handingMs) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
        continue
      }
    }
    const told = found.filter(isTold).map(({ n }) => n)
    const next = { agent, given: Math.max(handing?.given ?? 0, last.n), upTo: last.n, until: now + settings.handingMs }
    const isMine = await documents.mark(id, (current) => {
      if (readUpTo(current, agent) !== before || !isSame(handingOf(current, agent), handing)) return undefined
      const handed = handedByInbox(current, agent, told)
      return handed && (untilHandedOut ? withHanding(handed, agent, next) : withRead(handed, agent, last.n))
    })
    if (isMine) return found
  }
}

/** Between two looks whether another reader has confirmed what it was given. */
const pauseMs = 20

/** Marks messages as read, after their reader has written them out. Twice is fine. */
export const handedOut = (parts: SessionParts, id: SessionId, agent: string, n: number): Promise<boolean> =>
  parts.documents.mark(id, (now) => (readUpTo(now, agent) < n ? withRead(now, agent, n) : undefined))

/** Gives back messages that could not be written out: the next reader need not wait. False when another reader has read on since. */
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
  return tidied({ ...withHanding(session, agent, left), read }, agent)
}
