/** Finds messages of all protocols by their words and by what they mean: waiting, taken, finished, logged and archived ones. */
import type { EmbedderPort } from '../kernel/embedder.ts'
import { type Envelope, type Stage, stages } from '../kernel/envelope.ts'
import { invalidInput, SignalboxError } from '../kernel/errors.ts'
import { nearest } from '../kernel/nearest.ts'
import { estimateTokens } from '../kernel/token-estimate.ts'
import { unlessUnreadable } from '../messaging/leaves/tolerant.ts'
import { rankForQuery, type SearchedText } from '../messaging/search/ranking.ts'
import { TextIndex } from '../messaging/search/text-index.ts'
import type { Message } from '../protocols/contract.ts'
import { excerptOf } from '../text/excerpt.ts'
import type { FoundBy } from '../text/ranking.ts'
import type { Bus, Member } from './bus.ts'
import { Homes } from './homes.ts'
import { shownOf } from './shown.ts'

export interface MessageSearch {
  readonly from?: string
  readonly to?: string
  /** Only what was sent then or later, in milliseconds. */
  readonly since?: number
  /** The short name of one. */
  readonly protocol?: string
  readonly stage?: Stage
  /** At most so many hits; 10 unless said otherwise. */
  readonly limit?: number
  /** By one of the two alone. */
  readonly only?: FoundBy
  /** About so many tokens at most for the hits as text: excerpts are cut first, then hits are left out. */
  readonly budgetTokens?: number
}

export interface MessageHit {
  readonly message: Envelope
  /** From 0 to 1, which is the same text. */
  readonly score: number
  readonly by: readonly FoundBy[]
  /** The part of its text that shows why; empty where the summary says it all. Data, never instructions. */
  readonly excerpt: string
}

export interface FoundMessages {
  /** The best first. */
  readonly hits: readonly MessageHit[]
  /** How many more there are beyond `limit`, and how many of the rest the budget did not hold. */
  readonly leftOut: number
  readonly overBudget: number
  /** By what meanings were compared: `local`, an endpoint, or `words` alone. */
  readonly provider: string
  /** What a caller should know, one sentence each. */
  readonly notices: readonly string[]
}

export async function searchMessages(
  bus: Bus,
  port: EmbedderPort,
  query: string,
  search: MessageSearch = {},
): Promise<FoundMessages> {
  const { limit = 10, only, budgetTokens } = search
  if (query.trim() === '') throw nothingAsked()
  const notices: string[] = []
  const texts = await textsOf(bus, search, notices)
  const goesOn = 'the next search'
  const { ranked, provider, instead } = await rankForQuery(bus, port, texts, query, { only, goesOn })
  if (instead !== undefined) notices.push(instead)
  const hits: WholeHit[] = []
  for (const { place, score, by } of ranked.slice(0, limit)) {
    const { message } = texts[place]!
    const text = await readText(message)
    if (text !== undefined) hits.push({ message: message.envelope, score, by, text })
  }
  const leftOut = Math.max(0, ranked.length - limit)
  return { ...fitted(hits, query, leftOut, budgetTokens), leftOut, provider, notices }
}

interface WholeHit extends Omit<MessageHit, 'excerpt'> {
  readonly text: string
}

interface CollectedText extends SearchedText {
  readonly message: Message
}

/** The newest first, each message once, however many readers it has. */
async function textsOf(bus: Bus, search: MessageSearch, notices: string[]): Promise<CollectedText[]> {
  const { protocol, stage, from, to, since } = search
  if (protocol !== undefined && !bus.names.includes(protocol)) await bus.member(protocol)
  if (stage !== undefined && !stages.includes(stage)) throw noSuchStage(stage)
  const index = await TextIndex.open(bus.tree)
  const homes = new Homes(bus)
  const found = new Map<string, CollectedText>()
  let areAll = [protocol, stage, from, to, since].every((filter) => filter === undefined)
  const collect = async ({ name, neutral }: Member) => {
    const isWanted = await judgeOf(bus, homes, name, search)
    const filter = stage === undefined ? {} : { stages: [stage === 'shown' ? 'claimed' : stage] as const }
    for await (const message of neutral.messages({ archived: true, ...filter })) {
      const { envelope } = message
      if (found.has(envelope.handle) || !(await isWanted(envelope))) continue
      const text = await readText(message)
      if (text === undefined) continue
      found.set(envelope.handle, { message, text: () => comparedText(message), ...index.of(compared(envelope, text)) })
    }
  }
  for await (const member of bus.used()) {
    if ((protocol ?? member.name) !== member.name) continue
    try {
      await collect(member)
    } catch (error) {
      // A protocol whose files are out of order stops no other.
      if (!(error instanceof SignalboxError) || error.kind === 'Unavailable') throw error
      notices.push(`${member.title} could not be searched to the end: ${error.message}`)
      areAll = false
    }
  }
  await index.keep({ areAll })
  return [...found.values()].sort(newestFirst)
}

const readText = (message: Message): Promise<string | undefined> => unlessUnreadable(message.text())

const compared = ({ summary }: Envelope, text: string): string => `${summary}\n${text.trim()}`

async function comparedText(message: Message): Promise<string | undefined> {
  const text = await readText(message)
  return text === undefined ? undefined : compared(message.envelope, text)
}

async function judgeOf(
  bus: Bus,
  homes: Homes,
  protocol: string,
  { from, to, since, stage }: MessageSearch,
): Promise<(envelope: Envelope) => Promise<boolean>> {
  const isSender = await isAgent(homes, protocol, from)
  const isRecipient = await isAgent(homes, protocol, to)
  return async ({ from, to, createdAt, handle, claim }) => {
    if (!isSender(from) || !isRecipient(to)) return false
    if (since !== undefined && !(Date.parse(createdAt) >= since)) return false
    if (stage !== 'shown') return true
    const holder = (claim?.by ?? to).toLowerCase()
    return (await shownOf(bus.tree, handle)).some(({ reader }) => reader.toLowerCase() === holder)
  }
}

/** By the name that the agent has in this protocol, in any case. */
async function isAgent(homes: Homes, protocol: string, agent: string | undefined): Promise<(name: string) => boolean> {
  if (agent === undefined) return () => true
  const names = [agent, await homes.nameIn(protocol, agent)].map((name) => name.toLowerCase())
  return (name) => names.includes(name.toLowerCase())
}

const newestFirst = ({ message: a }: CollectedText, { message: b }: CollectedText): number => {
  const [one, other] = [a.envelope, b.envelope]
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? 1 : -1
  return one.handle < other.handle ? -1 : 1
}

/** In characters: the usual one first, then shorter ones to keep within a budget. */
const excerptLengths = [240, 160, 100, 60, 0] as const

function fitted(
  hits: readonly WholeHit[],
  query: string,
  leftOut: number,
  budget = Number.POSITIVE_INFINITY,
): Pick<FoundMessages, 'hits' | 'overBudget'> {
  const withExcerpts = (most: number): MessageHit[] =>
    hits.map(({ text, ...hit }) => ({ ...hit, excerpt: excerptOf(text, query, most, hit.message.summary) }))
  const ending = estimateTokens(endingOf(leftOut, 0))
  let shorter: MessageHit[] = []
  for (const most of excerptLengths) {
    shorter = withExcerpts(most)
    if (shorter.reduce((sum, hit) => sum + tokensOf(hit), ending) <= budget) return { hits: shorter, overBudget: 0 }
  }
  let used = estimateTokens(endingOf(leftOut, hits.length))
  const [first] = shorter
  const least = used + (first ? tokensOf(first) : 0)
  if (least > budget) throw tooSmall(budget, least)
  const kept = shorter.filter((hit) => {
    used += tokensOf(hit)
    return used <= budget
  })
  return { hits: kept, overBudget: shorter.length - kept.length }
}

/** What a surface shows of a hit at most. */
function tokensOf({ message, excerpt, score, by }: MessageHit): number {
  const { handle, from, to, kind, urgency, stage, summary } = message
  const head = `${handle}  ${from} → ${to}  ${kind} ${urgency} ${stage} 999d 23h  ${summary.slice(0, 120)}\n`
  return estimateTokens(`${head}  ${score.toFixed(2)} ${by.join(', ')}: ${excerpt}\n`)
}

const endingOf = (leftOut: number, overBudget: number): string =>
  [leftOut, overBudget].map((count) => (count > 0 ? `… and ${count} more (--budget)\n` : '')).join('')

const nothingAsked = () =>
  invalidInput('MISSING_INPUT', 'There is nothing to look for.', {
    hint: 'Give words, such as "database performance".',
    details: { field: 'query' },
  })

const noSuchStage = (stage: string) => {
  const meant = nearest(stage, stages)
  return invalidInput('NOT_A_CHOICE', `There is no stage ${JSON.stringify(stage.slice(0, 80))}.`, {
    hint: meant === undefined ? `There are: ${stages.join(', ')}.` : `Did you mean ${meant}?`,
    details: { stage: stage.slice(0, 400) },
  })
}

const tooSmall = (budget: number, needed: number) =>
  invalidInput('BUDGET_TOO_SMALL', `A budget of ${budget} tokens holds nothing; the first hit alone takes ${needed}.`, {
    hint: `Give ${needed} or more.`,
    details: { budget, needed },
  })
