/**
 * How far each agent has read what it was told: in order by the inbox, up to a mark, or one by one by `take`, out of order. A
 * message is handed out by one of the two. Pure.
 */
import type { Claim } from '../../messaging/claims/claim.ts'
import type { Handing, Mailbox, Session } from './record.ts'

export type ToldState = Mailbox['taken'][number]['state']

/** How far a message has come, in neutral words. */
export const toldStages = { unread: 'written', taken: 'claimed', read: 'finished' } as const

export const readUpTo = ({ read }: Session, agent: string): number => read.find(([name]) => name === agent)?.[1] ?? 0

export const handingOf = ({ handing = [] }: Session, agent: string): Handing | undefined =>
  handing.find((one) => one.agent === agent)

const mailboxOf = ({ mailboxes = [] }: Session, agent: string): Mailbox =>
  mailboxes.find((one) => one.agent === agent) ?? { agent, last: 0, upTo: 0, taken: [] }

const withMailbox = (session: Session, box: Mailbox): Session => ({
  ...session,
  mailboxes: [...(session.mailboxes ?? []).filter(({ agent }) => agent !== box.agent), box],
})

const takenAs = (session: Session, agent: string, n: number) =>
  mailboxOf(session, agent).taken.find((one) => one.n === n)

/** All that an agent was told up to this number is read, unless it was taken or given back. */
const allRead = (session: Session, agent: string): number =>
  Math.max(readUpTo(session, agent), mailboxOf(session, agent).upTo)

/** A line of the log that tells these agents something. */
export const withTold = (session: Session, n: number, to: readonly string[]): Session =>
  to.reduce((now, agent) => withMailbox(now, { ...mailboxOf(now, agent), last: n }), session)

export const toldState = (session: Session, agent: string, n: number): ToldState =>
  takenAs(session, agent, n)?.state ?? (n <= allRead(session, agent) ? 'read' : 'unread')

export function toldClaim(session: Session, agent: string, n: number): Claim | undefined {
  const { state, attempt = 1 } = takenAs(session, agent, n) ?? {}
  return state === 'taken' ? { holder: agent, attempt } : undefined
}

/** The number after which the first message comes that may be unread; `undefined` where there is none. */
export function unreadAfter(session: Session, agent: string): number | undefined {
  const { last, taken } = mailboxOf(session, agent)
  const after = allRead(session, agent)
  const open = taken.filter(({ state }) => state !== 'read').map(({ n }) => n - 1)
  if (last > after) open.push(after)
  return open.length === 0 ? undefined : Math.min(...open)
}

export const readers = ({ mailboxes = [] }: Session): readonly string[] => mailboxes.map(({ agent }) => agent)

/** The session in which the agent has taken a message; `undefined` where a reader has it, or had it. */
export function takenBy(session: Session, agent: string, n: number, now: number): Session | undefined {
  const { upTo = 0, until = 0, given = 0 } = handingOf(session, agent) ?? {}
  const isInHand = n > readUpTo(session, agent) && n <= upTo && now < until
  if (isInHand || toldState(session, agent, n) !== 'unread') return undefined
  // What a reader of the inbox was given, who did not confirm it, was handed out before.
  const attempt = takenAs(session, agent, n)?.attempt ?? (n <= given ? 1 : 0)
  return withTaken(session, agent, { n, attempt: attempt + 1, state: 'taken' })
}

function withTaken(session: Session, agent: string, entry: Mailbox['taken'][number]): Session {
  const box = mailboxOf(session, agent)
  return withMailbox(session, { ...box, taken: [...box.taken.filter(({ n }) => n !== entry.n), entry] })
}

export const givenBack = (session: Session, agent: string, n: number): Session =>
  withTaken(session, agent, { n, attempt: takenAs(session, agent, n)?.attempt ?? 1, state: 'unread' })

/** `told`: the numbers of all that the agent was told after `unreadAfter`, so that the list of those taken stays short. */
export function withReadOne(session: Session, agent: string, n: number, told: readonly number[]): Session {
  const next = withTaken(session, agent, { n, attempt: takenAs(session, agent, n)?.attempt ?? 1, state: 'read' })
  const open = told.find((one) => toldState(next, agent, one) !== 'read')
  const upTo = Math.max(mailboxOf(next, agent).upTo, open === undefined ? (told.at(-1) ?? 0) : open - 1)
  return tidied(withMailbox(next, { ...mailboxOf(next, agent), upTo }), agent)
}

/** The session in which the inbox hands these out; `undefined` if one of them was taken meanwhile. */
export function handedByInbox(session: Session, agent: string, told: readonly number[]): Session | undefined {
  if (told.some((n) => toldState(session, agent, n) !== 'unread')) return undefined
  const box = mailboxOf(session, agent)
  const taken = box.taken.filter(({ n }) => !told.includes(n))
  return taken.length === box.taken.length ? session : withMailbox(session, { ...box, taken })
}

/** Without what the marks say already. */
export function tidied(session: Session, agent: string): Session {
  const box = mailboxOf(session, agent)
  const taken = box.taken.filter(({ n, state }) => state !== 'read' || n > allRead(session, agent))
  return taken.length === box.taken.length ? session : withMailbox(session, { ...box, taken })
}
