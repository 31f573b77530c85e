/** Finds messages by their words and by what they mean, in the archive too. AC-MQ §13.2. */
import { call } from '../../../../kernel/call.ts'
import type { Embedder } from '../../../../kernel/embedder.ts'
import { withoutUndefined } from '../../../../kernel/field.ts'
import { subjectOf } from '../../../../text/query.ts'
import { type FoundBy, type Hit, rankTexts, rankWithEndpoint } from '../../../../text/ranking.ts'
import { isEnglishText } from '../../../../text/stop-words.ts'
import { toUnit } from '../../../../text/vectors.ts'
import type { CachedMessage } from '../../memory/cache.ts'
import type { AcmqPorts } from '../../ports.ts'
import type { MissionFiles } from '../parts.ts'
import type { AcmqView } from '../view.ts'
import { OpenCache } from './cache.ts'
import { embedTexts, isEndpointFailure, type Patience, withMeaning } from './embedding.ts'
import { textToCompare } from './texts.ts'

export interface SearchOptions {
  readonly limit?: number
  readonly only?: FoundBy
}

export interface FoundMessage {
  readonly message: AcmqView
  readonly score: number
  readonly by: readonly FoundBy[]
}

export interface Searched {
  readonly hits: readonly FoundMessage[]
  readonly leftOut: number
  readonly provider: string
  /** Why it is not the configured one, or what could not be compared by meaning. */
  readonly instead?: string
}

/** A search waits for vectors the first time, or when that finishes them; otherwise it takes what is there. */
const searchPatience: Patience = { atFirst: 8_000, later: 300 }

export async function searchMission(
  files: MissionFiles,
  ports: AcmqPorts,
  query: string,
  { limit = 10, only }: SearchOptions = {},
): Promise<Searched> {
  const cache = await OpenCache.open(files, [])
  const messages = [...cache.messages.values()].sort(newestFirst)
  const { ranked, provider, instead } = await rankMessages(cache, ports, messages, query, only)
  const hits: FoundMessage[] = []
  for (const { place, score, by } of ranked.slice(0, limit)) {
    const found = await cache.text(messages[place]!.id)
    if (found) hits.push({ message: found.message, score, by })
  }
  await cache.keep({}, 0)
  return withoutUndefined({ hits, leftOut: Math.max(0, ranked.length - limit), provider, instead })
}

interface RankedMessages {
  readonly ranked: readonly Hit[]
  readonly provider: string
  readonly instead?: string | undefined
  /** The configured endpoint failed, so that another took its place. */
  readonly isFallback?: boolean
}

/** `messages`: the newest first. */
export async function rankMessages(
  cache: OpenCache,
  ports: AcmqPorts,
  messages: readonly CachedMessage[],
  text: string,
  only?: FoundBy,
): Promise<RankedMessages> {
  const query = subjectOf(text)
  const features = messages.map((one) => one.features)
  const byWords = (instead?: string): RankedMessages => {
    const ranked = only === 'meaning' ? [] : rankTexts(features, query, { meaning: [], only: 'words' })
    return { ranked, provider: 'words', instead }
  }
  const byMeaning = async (embedder: Embedder): Promise<RankedMessages> => {
    if (embedder.isLocal && !/\p{L}/u.test(query)) return byWords()
    if (embedder.isLocal && !isEnglishText(query))
      return byWords('The sentence model knows English alone: this was looked for by its words.')
    const { index, instead } = await embedMessages(cache, embedder, messages, searchPatience)
    const [vector] = await embedder.embed([query])
    const unit = vector && toUnit(vector)
    const meaning = messages.map(({ digest }) => (unit ? index.likeness(digest, unit) : undefined))
    const rank = embedder.isLocal ? rankTexts : rankWithEndpoint
    return { ranked: rank(features, query, { meaning, only }), provider: embedder.id, instead }
  }
  if (only === 'words') return byWords()
  const { found, failure } = await withMeaning(ports, byMeaning, byWords)
  return failure ? { ...found, instead: failure.message, isFallback: isEndpointFailure(failure) } : found
}

/** `messages`: the newest first. `instead`: how far it is, for people. */
export async function embedMessages(
  cache: OpenCache,
  embedder: Embedder,
  messages: readonly CachedMessage[],
  patience: Patience,
) {
  const textFor = async (id: string) => {
    const text = await cache.text(id)
    return text && textToCompare(text)
  }
  const texts = messages.map(({ id, digest }) => ({ digest, text: () => textFor(id) }))
  const { index, missing } = await embedTexts(cache.files, embedder, texts, patience)
  const still = `${missing} of ${messages.length} messages have no vector yet and are compared by their words; ${call('acmq supervise')} goes on with them.`
  return { index, missing, instead: missing > 0 ? still : undefined }
}

export const newestFirst = (a: CachedMessage, b: CachedMessage): number =>
  a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : a.id < b.id ? -1 : 1
