/** The cache of a mission as bytes. Whatever is odd about it makes it none, and everything is read and compared once more. */
import {
  packed,
  packFeatures,
  sealed,
  unpacked,
  unpackFeatures,
  unsealed,
} from '../../../messaging/search/cache-format.ts'
import { NearestLists } from '../../../text/nearest-lists.ts'
import type { Neighbours } from '../../../text/neighbours.ts'
import { Tally } from '../../../text/tally.ts'
import type { CachedDocument, CachedMessage, MemoryCache } from './cache.ts'

const kind = 'signalbox-acmq-memory-4'

export const printCache = ({ messages, documents, neighbours, usage, ...rest }: MemoryCache): Buffer =>
  sealed(kind, {
    ...rest,
    messages: [...messages].map(([key, { features: _, ...message }]) => [key, message]),
    ...packFeatures([...messages.values()].map((message) => message.features)),
    documents: [...documents],
    neighbours: neighbours && printNeighbours(neighbours),
    usage: usage && { ...usage, counts: [...usage.counts] },
  })

function printNeighbours({ sample, digests, cut, lengths, lists, terms }: Neighbours) {
  const { hashes, counts } = terms.entries()
  const [likeness, places, used] = [lists.likeness, lists.places, lists.used].map((list) => packed([list]))
  const tally = { hashes: packed([hashes]), counts: packed([counts]) }
  return { sample, digests, cut, lengths: packed([lengths]), likeness, places, used, tally }
}

export const readCache = (bytes: Uint8Array): MemoryCache | undefined => unsealed(kind, bytes, parse)

// biome-ignore lint/suspicious/noExplicitAny: `unsealed` catches what fails because it is odd
function parse({ titles, provider, messages, documents, neighbours, usage, ...lists }: any) {
  const features = unpackFeatures(lists)
  const entries = messages.map(([key, message]: [string, Omit<CachedMessage, 'features'>], i: number) => [
    key,
    { ...message, features: features[i]! },
  ])
  if (!entries.every(isMessage) || !documents.every(isDocument)) return undefined
  if (features.length !== entries.length || !areTexts(titles) || !isText(provider)) return undefined
  return {
    titles,
    provider,
    messages: new Map<string, CachedMessage>(entries),
    documents: new Map<string, CachedDocument>(documents),
    ...(neighbours ? { neighbours: parseNeighbours(neighbours) } : {}),
    ...(usage ? { usage: { ...usage, counts: new Map<string, number>(usage.counts) } } : {}),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function parseNeighbours({ sample, digests, cut, lengths, likeness, places, used, tally }: any): Neighbours {
  const lists = new NearestLists(digests.length)
  lists.likeness.set(unpacked(Float32Array, likeness))
  lists.places.set(unpacked(Int32Array, places))
  lists.used.set(unpacked(Uint8Array, used))
  const { count } = lists
  const isSound =
    lists.places.every((place) => place >= 0 && place < Math.max(1, count)) &&
    lists.used.every((one) => one * count <= lists.places.length)
  if (!isSound || !areTexts(digests) || !Number.isFinite(cut)) throw new Error('A place leads out of the lists.')
  const terms = Tally.from(unpacked(Uint32Array, tally.hashes), unpacked(Uint32Array, tally.counts))
  return { sample, digests, cut, lists, terms, lengths: unpacked(Float64Array, lengths) }
}

const isText = (value: unknown): value is string => typeof value === 'string'
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)

const isMessage = ([key, message]: [string, CachedMessage]): boolean => {
  const { id, name, createdAt, status, content, digest, own, mark } = message
  const texts = [key, id, name, createdAt, status, content, digest, own, mark]
  return areTexts(texts) && areTexts(message.dependencies) && areTexts(Object.values(message.reasons))
}

const isDocument = ([name, one]: [string, CachedDocument]): boolean => {
  const texts = [name, one.mark, one.madeOf, one.query, one.trigger, one.provider, one.summaryBy, one.check]
  return areTexts(texts) && areTexts(one.anchors) && areTexts(one.partChecks)
}
