/**
 * What is kept of the messages and bus documents of a mission since documents were last renewed: what each message is compared by,
 * which messages are most alike, and what each document was made of. Disposable. Pure.
 */
import { type Features, featuresOf } from '../../../text/features.ts'
import type { Neighbours } from '../../../text/neighbours.ts'
import type { AcmqView } from '../store/view.ts'
import type { BusHead, BusMessage } from './bus-document.ts'
import { contributionJudge } from './contributions.ts'
import { contentDigest } from './generated.ts'
import { comparedParts } from './message-parts.ts'

/** What is needed of a message to group it, without reading it again. */
export interface CachedMessage extends Pick<AcmqView, 'id' | 'name' | 'createdAt' | 'dependencies'> {
  readonly status: string
  readonly content: string
  readonly digest: string
  readonly own: string
  readonly features: Features
  /** Why it contributed to milestones, by their titles. */
  readonly reasons: Readonly<Record<string, string>>
  /** What its file looked like: as long as it looks the same it is not read again. Empty: to be read again in any case. */
  readonly mark: string
}

export interface CachedDocument extends Omit<BusHead, 'summary'> {
  readonly mark: string
  /** Of the parts that are there, up to the first that is missing. */
  readonly partChecks: readonly string[]
  /** Of everything it was made of; empty when that is not known. */
  readonly madeOf: string
}

export interface MemoryCache {
  readonly titles: readonly string[]
  /** By where they lie: `pending/NAME`, or the place in the archive. */
  readonly messages: ReadonlyMap<string, CachedMessage>
  readonly documents: ReadonlyMap<string, CachedDocument>
  readonly provider: string
  readonly neighbours?: Neighbours
  readonly usage?: WordUsage
}

export interface WordUsage {
  readonly sample: string
  readonly ids: readonly string[]
  /** How many texts were counted, and how many of them say each stem. */
  readonly texts: number
  readonly counts: ReadonlyMap<string, number>
}

export const emptyCache: MemoryCache = { titles: [], messages: new Map(), documents: new Map(), provider: '' }

type ReadMessage = BusMessage & Pick<CachedMessage, 'dependencies'>

/** What is kept of a message. `titles`: of milestones that it may have contributed to. */
export function cacheEntryMaker(titles: readonly string[]): (message: ReadMessage, mark: string) => CachedMessage {
  const judges = titles.map((title) => [title, contributionJudge(title)] as const)
  return ({ id, name, createdAt, status, dependencies, from, to, summary, body }, mark) => {
    const { own, added } = comparedParts(summary, body)
    const text = `${own}\n${added}`
    const reasons = judges.flatMap(([title, judge]) => {
      const reason = judge({ id, text })
      return reason === undefined ? [] : [[title, reason] as const]
    })
    return {
      ...{ id, name, createdAt, status, dependencies, mark },
      content: contentDigest(JSON.stringify([name, createdAt, status, from, to, summary, body])),
      digest: contentDigest(JSON.stringify([own, added])),
      own: contentDigest(own),
      features: featuresOf(own, added),
      reasons: Object.fromEntries(reasons),
    }
  }
}
