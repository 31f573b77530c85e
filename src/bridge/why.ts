/**
 * Why a message is where it is: the first rung that it did not reach, the reason, and what to do, in one or two sentences.
 * docs/guide/why.md lists every sentence; a test makes each of them come about.
 */
import { call } from '../kernel/call.ts'
import { isoTime } from '../kernel/clock.ts'
import type { Envelope, Stage } from '../kernel/envelope.ts'
import { SignalboxError } from '../kernel/errors.ts'
import { nearest } from '../kernel/nearest.ts'
import { type Bus, type FoundMessage, findAll } from './bus.ts'
import { Homes } from './homes.ts'
import { ladderOf, type Rung, stageOf } from './ladder.ts'

export interface Explanation {
  readonly handle: string
  readonly stage: Stage
  readonly why: string
  /** The operation that helps, if there is one (`call`). */
  readonly next?: string
}

type Reason = Pick<Explanation, 'why' | 'next'>

export async function explain(bus: Bus, text: string): Promise<Explanation> {
  let copies: readonly [FoundMessage, ...FoundMessage[]]
  try {
    copies = await findAll(bus, text)
  } catch (error) {
    const file = error instanceof SignalboxError && error.kind === 'NotFound' && (await quarantined(bus, text))
    if (file) return file
    throw error
  }
  const ladder = await ladderOf(bus, copies)
  const stage = stageOf(ladder)
  const furthest = copies.find(({ envelope }) => envelope.stage !== 'written') ?? copies[0]
  const found = stage === 'written' ? copies[0] : furthest
  return { handle: found.envelope.handle, stage, ...(await reasonFor(bus, found, stage, ladder)) }
}

async function reasonFor(bus: Bus, found: FoundMessage, stage: Stage, ladder: readonly Rung[]): Promise<Reason> {
  const { envelope, member } = found
  const { to, claim } = envelope
  const holder = claim?.by ?? to
  switch (stage) {
    case 'finished':
      return { why: `${holder} has finished it.`, next: call('show', { handle: envelope.handle }) }
    case 'failed': {
      const outcome = await member.neutral.outcomeOf?.(envelope.id, envelope)
      return {
        why: `It failed: ${firstLine(outcome?.text ?? 'no reason was given')}`,
        next: call('show', { handle: envelope.handle }),
      }
    }
    case 'shown':
    case 'claimed':
      return whyUnfinished(bus, found, holder, ladder)
    case 'written':
      return whyNotTaken(bus, found)
  }
}

async function whyUnfinished(
  bus: Bus,
  { envelope }: FoundMessage,
  holder: string,
  ladder: readonly Rung[],
): Promise<Reason> {
  const { claim } = envelope
  const handle = envelope.handle
  const seen = await bus.directory.seen(holder)
  const lastSeen = seen?.lastSeenAt === undefined ? '' : `, last seen ${isoTime(seen.lastSeenAt)}`
  if (claim?.until !== undefined && Date.parse(claim.until) <= (await bus.tree.now())) {
    return { why: `${holder} claimed it and did not finish it in time${lastSeen}.`, next: call('doctor') }
  }
  const until = claim?.until === undefined ? '' : ` until ${isoTime(Date.parse(claim.until))}`
  if (!ladder.some(({ stage }) => stage === 'shown'))
    return {
      why: `${holder} has claimed it${until} by a command of ${envelope.protocol}${lastSeen}; whether it was shown is not noted.`,
    }
  return { why: `${holder} was shown it and works on it${until}${lastSeen}.`, next: call('wait', { handle }) }
}

async function whyNotTaken(bus: Bus, { envelope, member }: FoundMessage): Promise<Reason> {
  const { id, to, dependsOn } = envelope
  for await (const question of member.neutral.questions?.() ?? [])
    if (question.id === id)
      return { why: `It is held back for a person: ${firstLine(question.why)}`, next: call('human list') }
  for (const other of dependsOn) {
    const reason = await whyHeldBack(bus, member.name, other)
    if (reason) return reason
  }
  if (isEverybody(to))
    return { why: 'It waits for the first agent that takes it; none has.', next: call('take', { as: 'AGENT' }) }
  const seen = await bus.directory.seen(to)
  if (!seen) {
    const known = new Set(await bus.directory.listedNames())
    for await (const { name } of bus.directory.all()) known.add(name)
    if (!known.has(to)) {
      const meant = nearest(to, known)
      const proposal = meant === undefined ? '' : ` Did you mean ${meant}?`
      return { why: `Nobody has seen ${to}.${proposal}`, next: call('take', { as: to }) }
    }
  }
  const { home } = await new Homes(bus).of(to)
  if (home.protocol !== member.name)
    return {
      why: `${to} is at home in ${home.protocol}, and this lies in ${member.name}: only a bridge carries it there.`,
    }
  const before = await waitingBefore(member.neutral.waitingFor(to), id)
  if (before === undefined) return { why: `${member.title} does not hand it out now.`, next: call('doctor') }
  const ahead = before === 0 ? 'nothing is before it' : `${before} before it`
  const lastSeen = seen?.lastSeenAt === undefined ? 'has not acted yet' : `was last seen ${isoTime(seen.lastSeenAt)}`
  return {
    why: `It waits for ${to}, who ${lastSeen} and cannot be woken from here; ${ahead}.`,
    next: call('take', { as: to }),
  }
}

async function whyHeldBack(bus: Bus, protocol: string, other: string): Promise<Reason | undefined> {
  const handle = other.includes(':') ? other : `${protocol}:${other}`
  const found = await findAll(bus, handle).catch((error: unknown) => {
    if (!(error instanceof SignalboxError)) throw error
  })
  if (!found) return { why: `It waits for ${handle}, which is not there.`, next: call('doctor') }
  const [{ envelope }] = found
  if (envelope.stage === 'finished') return undefined
  const name = envelope.handle
  if (envelope.stage === 'failed')
    return { why: `It waits for ${name}, which has failed.`, next: call('why', { handle: name }) }
  return { why: `It waits for ${name}, which is not finished.`, next: call('why', { handle: name }) }
}

/** The explanation for a file that is no message and was set aside or skipped. */
async function quarantined(bus: Bus, text: string): Promise<Explanation | undefined> {
  for await (const { neutral, name } of bus.used()) {
    for await (const { id, path, reason } of neutral.quarantined?.() ?? []) {
      if (id !== text && path !== text && !(text.length >= 8 && id.startsWith(text))) continue
      return {
        handle: `${name}:${id}`,
        stage: 'written',
        why: `It is no message: ${firstLine(reason)}`,
        next: call('human list'),
      }
    }
  }
  return undefined
}

async function waitingBefore(
  waiting: AsyncIterable<{ readonly envelope: Envelope }>,
  id: string,
): Promise<number | undefined> {
  let before = 0
  for await (const { envelope } of waiting) {
    if (envelope.id === id) return before
    before++
  }
  return undefined
}

const isEverybody = (name: string): boolean => /^(all|broadcast)$/i.test(name)

const firstLine = (text: string): string => {
  const line = text.trim().split('\n', 1)[0]!
  return line.length > 160 ? `${line.slice(0, 159)}…` : line
}
