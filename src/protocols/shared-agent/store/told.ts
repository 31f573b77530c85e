/** What agents are told (`#DIRECT`, `#BROADCAST`), one message a reader, as `take` hands it out. */
import { isMeant } from '../../../kernel/short-id.ts'
import { expectHeld } from '../../../messaging/claims/claim.ts'
import { carriedFieldsIn } from '../../../messaging/envelope/carried-fields.ts'
import { ring } from '../../../messaging/waiting/waiting.ts'
import type { MessageOutcome, Receipt } from '../../contract.ts'
import { lowerTold, messageIdOf, type Told, toldId, toldNumber } from '../envelope.ts'
import { agentName, bellFolder, type SessionId, sessionId } from '../layout.ts'
import { givenBack, readers, takenBy, toldClaim, toldState, unreadAfter, withReadOne } from '../mailboxes.ts'
import { isTold, type Session, type SessionChange } from '../record.ts'
import type { SessionParts } from './parts.ts'

const toldOf = (session: Session, line: SessionChange, to: string): Told => {
  const { attempt } = toldClaim(session, to, line.n) ?? {}
  const state = toldState(session, to, line.n)
  return { id: toldId(line.n), line, to, state, ...(attempt === undefined ? {} : { attempt }) }
}

/**
 * What was told after number `after`, oldest first. `agent`: only what this one was told. `withResults`: also what came of tasks,
 * which is listed and found, but taken by nobody: the task itself has its result.
 */
async function toldAfter(
  { documents }: SessionParts,
  session: Session,
  after: number,
  { agent, upTo, withResults = false }: ToldFilter = {},
): Promise<Told[]> {
  const isWanted = (line: SessionChange) => isTold(line) || (withResults && isResult(line))
  const lines = (await documents.log(sessionId(session.id), after, upTo)).filter(isWanted)
  return lines.flatMap((line) => {
    const to = (line.to ?? []).filter((one) => (agent ?? one) === one)
    return to.map((one) => toldOf(session, line, one))
  })
}

interface ToldFilter {
  readonly agent?: string | undefined
  readonly upTo?: number
  readonly withResults?: boolean
}

const isResult = ({ did, to }: SessionChange): boolean => (did === 'DONE' || did === 'FAIL') && to !== undefined

/** What an agent could take, oldest first. */
export async function waitingTold(parts: SessionParts, session: Session, agent: string): Promise<Told[]> {
  const after = unreadAfter(session, agent)
  if (after === undefined) return []
  const now = await parts.tree.now()
  const told = await toldAfter(parts, session, after, { agent })
  return told.filter(({ line }) => takenBy(session, agent, line.n, now) !== undefined)
}

/** `isAll`: also those that are read and lie in old pages of the log. */
export async function everyTold(parts: SessionParts, session: Session, isAll: boolean): Promise<Told[]> {
  const kept = (session.log[0]?.n ?? 1) - 1
  const open = readers(session).map((agent) => unreadAfter(session, agent) ?? kept)
  return toldAfter(parts, session, isAll ? 0 : Math.min(kept, ...open), { withResults: true })
}

/** Those whose id is meant, one for each reader. */
export async function findTold(parts: SessionParts, session: Session, wanted: string): Promise<Told[]> {
  const stem = messageIdOf(session.id, { id: toldId(0).replace(/0+$/, '') })
  if (!wanted.startsWith(stem) && !stem.startsWith(wanted)) return []
  const n = toldNumber(wanted.slice(session.id.length + 1))
  if (n !== undefined) return toldAfter(parts, session, n - 1, { upTo: n, withResults: true })
  return (await toldAfter(parts, session, 0, { withResults: true })).filter((one) =>
    isMeant(wanted, messageIdOf(session.id, one)),
  )
}

export const toldAt = (parts: SessionParts, session: Session, n: number, agent?: string): Promise<Told[]> =>
  toldAfter(parts, session, n - 1, { agent, upTo: n })

/** `undefined`: another process was first. */
export async function takeTold(parts: SessionParts, id: SessionId, { line, to }: Told): Promise<Told | undefined> {
  const now = await parts.tree.now()
  let taken: Session | undefined
  await parts.documents.mark(id, (session) => {
    taken = takenBy(session, to, line.n, now)
    return taken
  })
  return taken && toldOf(taken, line, to)
}

/** What an agent was told since it has read everything, and the one of number `n` among it. */
async function heldTold(parts: SessionParts, id: SessionId, n: number, agent: string) {
  const session = await parts.documents.read(id)
  const after = session && Math.min(unreadAfter(session, agent) ?? n, n - 1)
  const all = session ? await toldAfter(parts, session, after!, { agent }) : []
  return { line: all.find(({ line }) => line.n === n)?.line, numbers: all.map(({ line }) => line.n) }
}

export interface SettledTold {
  readonly outcome: 'settled' | 'unchanged'
  readonly told: Told
}

/** Counts as read; `answer` goes back to whoever told it. Throws `LOST_CLAIM` when it was handed out again. Twice is fine. */
export async function settleTold(
  parts: SessionParts,
  id: SessionId,
  receipt: Receipt,
  n: number,
  answer: string | undefined,
): Promise<SettledTold | undefined> {
  const by = agentName(receipt.agent)
  const { line: told, numbers } = await heldTold(parts, id, n, by)
  if (!told) return undefined
  const back = answer === undefined ? undefined : { from: by, to: told.by, text: answer, replyTo: receipt.id }
  const settled = await parts.documents.change<SettledTold>(id, { by, startsIt: false }, (now) => {
    const state = toldState(now, by, n)
    if (state === 'read') return { answer: { outcome: 'unchanged', told: toldOf(now, told, by) } }
    if (state === 'taken' || receipt.attempt !== undefined) expectHeld(receipt.id, toldClaim(now, by, n), receipt)
    const session = withReadOne(now, by, n, numbers)
    const settled = { outcome: 'settled', told: toldOf(session, told, by) } as const
    return { session, line: back && lowerTold(back), answer: settled }
  })
  if (back) await ring(parts.tree, bellFolder(id))
  return settled
}

/** Puts it back: it is unread again. */
export async function releaseTold(
  parts: SessionParts,
  id: SessionId,
  receipt: Receipt,
  n: number,
): Promise<SettledTold | undefined> {
  const agent = agentName(receipt.agent)
  const { line } = await heldTold(parts, id, n, agent)
  if (!line) return undefined
  const told = await parts.documents.change(id, { by: agent, startsIt: false }, (now) => {
    expectHeld(receipt.id, toldClaim(now, agent, n), receipt)
    const session = givenBack(now, agent, n)
    return { session, answer: toldOf(session, line, agent) }
  })
  await ring(parts.tree, bellFolder(id))
  return { outcome: 'settled', told }
}

/** What its reader answered; that it was read, unless an answer is wanted; `undefined` while there is neither. */
export async function outcomeOfTold(
  parts: SessionParts,
  id: SessionId,
  n: number,
): Promise<MessageOutcome | undefined> {
  const session = await parts.documents.read(id)
  const copies = session ? await toldAt(parts, session, n) : []
  if (!session || copies.length === 0) return undefined
  const own = messageIdOf(id, { id: toldId(n) })
  for (const { line, id: answer, state, to } of await toldAfter(parts, session, n)) {
    const isFromReader = copies.some((one) => one.to === line.by && one.line.by === to)
    if (isFromReader && carriedFieldsIn(line.more).replyTo === own)
      return {
        state: 'completed',
        text: line.text ?? '',
        ...(state === 'unread' ? { answer: messageIdOf(id, { id: answer }) } : {}),
      }
  }
  const isRead = copies.every(({ state }) => state === 'read')
  return isRead && !carriedFieldsIn(copies[0]!.line.more).needsAnswer ? { state: 'completed', text: 'read' } : undefined
}
