/**
 * The cache of a mission as bytes: a line with a checksum, and JSON with lists of numbers in base64. It lies where strangers can
 * write, so whatever is odd about it makes it none, and everything is read and compared once more.
 */
import { hash } from 'node:crypto'
import { NearestLists } from '../../../text/nearest-lists.ts'
import type { Neighbours } from '../../../text/neighbours.ts'
import { Tally } from '../../../text/tally.ts'
import type { CachedDocument, CachedMessage, MemoryCache } from './cache.ts'

const kind = 'signalbox-acmq-memory-4'

/** Notices a write that a power cut stopped. */
const headOf = (bytes: Uint8Array): Buffer => Buffer.from(`${kind} ${hash('md5', bytes, 'hex').slice(0, 16)}\n`)

export function printCache({ messages, documents, neighbours, usage, ...rest }: MemoryCache): Buffer {
  const features = [...messages.values()].map((message) => message.features)
  const told = {
    ...rest,
    messages: [...messages].map(([key, { features: _, ...message }]) => [key, message]),
    sizes: features.map(({ terms, numbers }) => [terms.length, numbers.length]),
    // All in one: to unpack three lists for each of many messages takes long.
    terms: packed(features.map(({ terms }) => terms)),
    counts: packed(features.map(({ counts }) => counts)),
    numbers: packed(features.map(({ numbers }) => numbers)),
    documents: [...documents],
    neighbours: neighbours && printNeighbours(neighbours),
    usage: usage && { ...usage, counts: [...usage.counts] },
  }
  const bytes = Buffer.from(JSON.stringify(told))
  return Buffer.concat([headOf(bytes), bytes])
}

function printNeighbours({ sample, digests, cut, lengths, lists, terms }: Neighbours) {
  const { hashes, counts } = terms.entries()
  const [likeness, places, used] = [lists.likeness, lists.places, lists.used].map((list) => packed([list]))
  const tally = { hashes: packed([hashes]), counts: packed([counts]) }
  return { sample, digests, cut, lengths: packed([lengths]), likeness, places, used, tally }
}

export function readCache(bytes: Uint8Array): MemoryCache | undefined {
  try {
    const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    const text = file.subarray(file.indexOf(10) + 1)
    return headOf(text).equals(file.subarray(0, file.length - text.length))
      ? parse(JSON.parse(text.toString('utf8')))
      : undefined
  } catch {
    return undefined // Odd shapes fail in many ways, and all mean the same.
  }
}

// biome-ignore lint/suspicious/noExplicitAny: what fails because it is odd is caught above
function parse({ titles, provider, messages, sizes, documents, neighbours, usage, ...lists }: any) {
  const terms = unpacked(Uint32Array, lists.terms)
  const counts = unpacked(Int8Array, lists.counts)
  const numbers = unpacked(Uint32Array, lists.numbers)
  let [term, number] = [0, 0]
  const entries = messages.map(([key, message]: [string, Omit<CachedMessage, 'features'>], i: number) => {
    const [termCount, numberCount] = sizes[i]
    const features = {
      terms: terms.subarray(term, term + termCount),
      counts: counts.subarray(term, term + termCount),
      numbers: numbers.subarray(number, number + numberCount),
    }
    term += termCount
    number += numberCount
    return [key, { ...message, features }]
  })
  const isWhole = term === terms.length && term === counts.length && number === numbers.length
  if (!isWhole || !entries.every(isMessage) || !documents.every(isDocument)) return undefined
  if (!areTexts(titles) || !isText(provider)) return undefined
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

const packed = (lists: readonly ArrayBufferView[]): string =>
  Buffer.concat(
    lists.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)),
  ).toString('base64')

const unpacked = <T>(list: new (buffer: ArrayBuffer) => T, text: string): T =>
  new list(new Uint8Array(Buffer.from(text, 'base64')).buffer)
