/**
 * The texts that answer a query, by their words and by what they mean. Vectors that are missing are made within a time; texts that
 * have none are ranked by their words.
 */
import type { Embedder, EmbedderPort } from '../../kernel/embedder.ts'
import type { Features } from '../../text/features.ts'
import { subjectOf } from '../../text/query.ts'
import { type FoundBy, type Hit, rankTexts, rankWithEndpoint } from '../../text/ranking.ts'
import { isEnglishText } from '../../text/stop-words.ts'
import { toUnit } from '../../text/vectors.ts'
import type { Tree } from '../../tree/tree.ts'
import { type Embeddable, embedTexts, isEndpointFailure, type Patience, withMeaning } from './embedding.ts'

export interface SearchedText extends Embeddable {
  readonly features: Features
}

export interface RankedTexts {
  /** The best first; `place` is the number of the text. */
  readonly ranked: readonly Hit[]
  readonly provider: string
  /** Why it is not the configured one, or what could not be compared by meaning. */
  readonly instead?: string | undefined
  /** The configured endpoint failed, so that another took its place. */
  readonly isFallback?: boolean
}

interface Searching {
  readonly only?: FoundBy | undefined
  /** Who makes the vectors that are still missing, for people. */
  readonly goesOn: string
}

/** A search waits for vectors the first time, or when that finishes them; otherwise it takes what is there. */
const patience: Patience = { atFirst: 8_000, later: 300 }

/** `texts`: the newest first. */
export async function rankForQuery(
  at: { readonly tree: Tree },
  port: EmbedderPort,
  texts: readonly SearchedText[],
  asked: string,
  { only, goesOn }: Searching,
): Promise<RankedTexts> {
  const query = subjectOf(asked)
  const features = texts.map((one) => one.features)
  const byWords = (instead?: string): RankedTexts => {
    const ranked = only === 'meaning' ? [] : rankTexts(features, query, { meaning: [], only: 'words' })
    return { ranked, provider: 'words', instead }
  }
  const byMeaning = async (embedder: Embedder): Promise<RankedTexts> => {
    if (embedder.isLocal && !/\p{L}/u.test(query)) return byWords()
    if (embedder.isLocal && !isEnglishText(query))
      return byWords('The sentence model knows English alone: this was looked for by its words.')
    const { index, missing } = await embedTexts(at, embedder, texts, patience)
    const [vector] = await embedder.embed([query])
    const unit = vector && toUnit(vector)
    const meaning = texts.map(({ digest }) => (unit ? index.likeness(digest, unit) : undefined))
    const rank = embedder.isLocal ? rankTexts : rankWithEndpoint
    const instead = missing > 0 ? stillWithout(missing, texts.length, goesOn) : undefined
    return { ranked: rank(features, query, { meaning, only }), provider: embedder.id, instead }
  }
  if (only === 'words') return byWords()
  const { found, failure } = await withMeaning(port, byMeaning, byWords)
  return failure ? { ...found, instead: failure.message, isFallback: isEndpointFailure(failure) } : found
}

export const stillWithout = (missing: number, all: number, goesOn: string): string =>
  `${missing} of ${all} messages have no vector yet and are compared by their words; ${goesOn} goes on with them.`
