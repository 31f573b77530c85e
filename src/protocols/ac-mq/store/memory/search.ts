/** Finds messages by their words and by what they mean, in the archive too. AC-MQ §13.2. */
import { knowsWords } from '../../../../kernel/embedder.ts'
import { SignalboxError } from '../../../../kernel/errors.ts'
import { type FoundBy, type Hit, rankTexts } from '../../../../text/ranking.ts'
import type { AcmqPorts, Meaning } from '../../ports.ts'
import type { MissionFiles } from '../parts.ts'
import type { AcmqView } from '../view.ts'
import { eachText, type MessageText, textOf } from './texts.ts'
import { cachedVectors } from './vector-cache.ts'

export interface SearchOptions {
  readonly limit?: number
  /** Only by one of the two. */
  readonly only?: FoundBy
}

export interface FoundMessage {
  readonly message: AcmqView
  /** From 0 to 1, by its places in the rankings; comparable within one search only. */
  readonly score: number
  readonly by: readonly FoundBy[]
}

export interface Searched {
  readonly hits: readonly FoundMessage[]
  /** How many more there are. */
  readonly leftOut: number
  /** Whose vectors were compared; `words` if nobody's. */
  readonly provider: string
  /** Why it is not the configured one. */
  readonly instead?: string
}

export const standardLimit = 10

export async function searchMission(
  files: MissionFiles,
  ports: AcmqPorts,
  query: string,
  { limit = standardLimit, only }: SearchOptions = {},
): Promise<Searched> {
  const texts: MessageText[] = []
  for await (const text of eachText(files)) texts.push(text)
  // Equally good ones in the order of their times, whatever order they were read in.
  texts.sort((a, b) => compare(a.message, b.message))
  const { ranked, provider, instead } = await rankMessages(files, ports, texts, query, only)
  const hits = ranked.slice(0, limit).map(({ place, score, by }) => ({ message: texts[place]!.message, score, by }))
  return { hits, leftOut: ranked.length - hits.length, provider, ...(instead === undefined ? {} : { instead }) }
}

export interface RankedMessages {
  readonly ranked: readonly Hit[]
  readonly provider: string
  /** Why it is not the configured one, or why there is none. */
  readonly instead?: string
  /** The configured endpoint failed, so that another took its place. */
  readonly isFallback?: true
}

/** When the endpoint fails, what comes with the package takes over, and that is told. */
export async function rankMessages(
  files: MissionFiles,
  ports: AcmqPorts,
  texts: readonly MessageText[],
  query: string,
  only?: FoundBy,
): Promise<RankedMessages> {
  const compared = texts.map(textOf)
  const by = async ({ embedder, instead }: Meaning): Promise<RankedMessages> => {
    const isWhole = !embedder || knowsWords(embedder) || only === 'words'
    const vectors = isWhole ? [] : await cachedVectors(files.tree, embedder, compared)
    const ranked = await rankTexts(compared, query, { embedder, vectors, ...(only ? { only } : {}) })
    return { ranked, provider: embedder?.id ?? 'words', ...(instead === undefined ? {} : { instead }) }
  }
  if (only === 'words') return by({})
  try {
    return await by(await ports.meaning())
  } catch (error) {
    if (!isEndpointFailure(error)) throw error
    return { ...(await by(await ports.meaning('offline'))), instead: error.message, isFallback: true }
  }
}

/** Then what comes with the package takes over. */
export const isEndpointFailure = (error: unknown): error is SignalboxError =>
  error instanceof SignalboxError && ['EMBEDDINGS_UNAVAILABLE', 'BAD_EMBEDDINGS', 'BAD_ENDPOINT'].includes(error.code)

const compare = (a: AcmqView, b: AcmqView): number =>
  a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : a.id < b.id ? -1 : 1
