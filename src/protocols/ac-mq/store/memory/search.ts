/** Finds messages by their words and by what they mean, in the archive too. AC-MQ §13.2. */
import type { Embedder } from '../../../../kernel/embedder.ts'
import { SignalboxError } from '../../../../kernel/errors.ts'
import { subjectOf } from '../../../../text/query.ts'
import { type FoundBy, type Hit, rankTexts, rankWithEndpoint } from '../../../../text/ranking.ts'
import { isEnglishText } from '../../../../text/stop-words.ts'
import { toUnit } from '../../../../text/vectors.ts'
import type { Noted } from '../../memory/noted.ts'
import type { AcmqPorts } from '../../ports.ts'
import type { MissionFiles } from '../parts.ts'
import type { AcmqView } from '../view.ts'
import { keepBook, type OpenBook, openBook, textIn } from './book.ts'
import { embedTexts, type Patience } from './embedding.ts'
import { listQueues } from './listing.ts'
import { textOf } from './texts.ts'

export interface SearchOptions {
  readonly limit?: number
  /** Only by one of the two. */
  readonly only?: FoundBy
}

export interface FoundMessage {
  readonly message: AcmqView
  /** From 0 to 1, which is the same text. */
  readonly score: number
  readonly by: readonly FoundBy[]
}

export interface Searched {
  readonly hits: readonly FoundMessage[]
  /** How many more there are. */
  readonly leftOut: number
  /** Whose vectors were compared; `words` if nobody's. */
  readonly provider: string
  /** Why it is not the configured one, or what could not be compared by meaning. */
  readonly instead?: string
}

export const standardLimit = 10

/** A search waits for vectors the first time, or when that finishes them; otherwise it takes what is there. */
const searchPatience: Patience = { atFirst: 8_000, later: 300 }

export async function searchMission(
  files: MissionFiles,
  ports: AcmqPorts,
  query: string,
  { limit = standardLimit, only }: SearchOptions = {},
): Promise<Searched> {
  const book = await openBook(files, [], await listQueues(files))
  const messages = [...book.messages.values()].sort(newestFirst)
  const { ranked, provider, instead } = await rankMessages(files, ports, book, messages, query, only)
  const hits: FoundMessage[] = []
  for (const { place, score, by } of ranked.slice(0, limit)) {
    const found = await textIn(files, book, messages[place]!.id)
    if (found) hits.push({ message: found.message, score, by })
  }
  await keepBook(files, { ...book.before, titles: book.titles, entries: book.entries }, book.read)
  const leftOut = Math.max(0, ranked.length - limit)
  return { hits, leftOut, provider, ...(instead === undefined ? {} : { instead }) }
}

export interface RankedMessages {
  readonly ranked: readonly Hit[]
  readonly provider: string
  /** Why it is not the configured one, or what could not be compared by meaning. */
  readonly instead?: string
  /** The configured endpoint failed, so that another took its place. */
  readonly isFallback?: true
}

/** `messages`: the newest first. When the endpoint fails, what comes with the package takes over, and that is told. */
export async function rankMessages(
  files: MissionFiles,
  ports: AcmqPorts,
  book: OpenBook,
  messages: readonly Noted[],
  query: string,
  only?: FoundBy,
): Promise<RankedMessages> {
  const asked: Asked = { files, book, messages, query: subjectOf(query), only }
  if (only === 'words') return byWords(asked)
  try {
    const { embedder, instead } = await ports.meaning()
    return embedder ? await byMeaning(asked, embedder) : byWords(asked, instead)
  } catch (error) {
    if (!isProviderFailure(error)) throw error
    const failed = { instead: error.message, ...(isEndpointFailure(error) ? ({ isFallback: true } as const) : {}) }
    return { ...(await withoutEndpoint(ports, asked, isEndpointFailure(error))), ...failed }
  }
}

interface Asked {
  readonly files: MissionFiles
  readonly book: OpenBook
  readonly messages: readonly Noted[]
  readonly query: string
  readonly only: FoundBy | undefined
}

async function withoutEndpoint(ports: AcmqPorts, asked: Asked, hasLocal: boolean): Promise<RankedMessages> {
  const { embedder } = hasLocal ? await ports.meaning('offline') : {}
  try {
    return embedder ? await byMeaning(asked, embedder) : byWords(asked)
  } catch (error) {
    if (!isProviderFailure(error)) throw error
    return byWords(asked)
  }
}

function byWords({ messages, query, only }: Asked, instead?: string): RankedMessages {
  const features = messages.map((one) => one.features)
  const ranked = only === 'meaning' ? [] : rankTexts(features, query, { meaning: [], only: 'words' })
  return { ranked, provider: 'words', ...(instead === undefined ? {} : { instead }) }
}

async function byMeaning(asked: Asked, embedder: Embedder): Promise<RankedMessages> {
  const { files, book, messages, query, only } = asked
  if (embedder.isLocal && !/\p{L}/u.test(query)) return byWords(asked)
  if (embedder.isLocal && !isEnglishText(query))
    return byWords(asked, 'The sentence model knows English alone: this was looked for by its words.')
  const texts = messages.map(({ id, digest }) => ({ digest, text: () => textFor(files, book, id) }))
  const { index, missing } = await embedTexts(files, embedder, texts, searchPatience)
  const [vector] = await embedder.embed([query])
  const unit = vector && toUnit(vector)
  const meaning = messages.map(({ digest }) => (unit ? index.likeness(digest, unit) : undefined))
  const features = messages.map((one) => one.features)
  const ranked = embedder.isLocal
    ? rankTexts(features, query, { meaning, only })
    : rankWithEndpoint(features, query, { meaning, only })
  const instead = missing > 0 ? { instead: unembedded(missing, messages.length) } : {}
  return { ranked, provider: embedder.id, ...instead }
}

/** What is embedded of a message. */
export async function textFor(files: MissionFiles, book: OpenBook, id: string): Promise<string | undefined> {
  const text = await textIn(files, book, id)
  return text && textOf(text)
}

/** For people: how far it is. */
export const unembedded = (missing: number, all: number): string =>
  `${missing} of ${all} messages have no vector yet and are compared by their words; \`acmq supervise\` goes on with them.`

export const newestFirst = (a: Noted, b: Noted): number =>
  a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : a.id < b.id ? -1 : 1

/** Then what comes with the package takes over. */
export const isEndpointFailure = (error: unknown): boolean =>
  error instanceof SignalboxError && ['EMBEDDINGS_UNAVAILABLE', 'BAD_EMBEDDINGS', 'BAD_ENDPOINT'].includes(error.code)

/** Then words do. */
export const isProviderFailure = (error: unknown): error is SignalboxError =>
  isEndpointFailure(error) || (error instanceof SignalboxError && error.code === 'DAMAGED_MODEL')
