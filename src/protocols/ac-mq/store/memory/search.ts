/** Finds messages by their words and by what they mean, in the archive too. AC-MQ §13.2. */
import { call } from '../../../../kernel/call.ts'
import type { Embedder } from '../../../../kernel/embedder.ts'
import { withoutUndefined } from '../../../../kernel/field.ts'
import { embedTexts, type Patience } from '../../../../messaging/search/embedding.ts'
import { type RankedTexts, rankForQuery, stillWithout } from '../../../../messaging/search/ranking.ts'
import type { FoundBy } from '../../../../text/ranking.ts'
import type { CachedMessage } from '../../memory/cache.ts'
import type { AcmqPorts } from '../../ports.ts'
import type { MissionFiles } from '../parts.ts'
import type { AcmqView } from '../view.ts'
import { OpenCache } from './cache.ts'
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

const goesOn = call('acmq supervise')

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

/** `messages`: the newest first. */
export const rankMessages = (
  cache: OpenCache,
  ports: AcmqPorts,
  messages: readonly CachedMessage[],
  query: string,
  only?: FoundBy,
): Promise<RankedTexts> => rankForQuery(cache.files, ports, textsOf(cache, messages), query, { only, goesOn })

/** `messages`: the newest first. `instead`: how many are still without a vector, for people. */
export async function embedMessages(
  cache: OpenCache,
  embedder: Embedder,
  messages: readonly CachedMessage[],
  patience: Patience,
) {
  const { index, missing } = await embedTexts(cache.files, embedder, textsOf(cache, messages), patience)
  const instead = missing > 0 ? stillWithout(missing, messages.length, goesOn) : undefined
  return { index, missing, instead }
}

const textsOf = (cache: OpenCache, messages: readonly CachedMessage[]) =>
  messages.map(({ id, digest, features }) => ({
    digest,
    features,
    text: async () => {
      const text = await cache.text(id)
      return text && textToCompare(text)
    },
  }))

export const newestFirst = (a: CachedMessage, b: CachedMessage): number =>
  a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : a.id < b.id ? -1 : 1
