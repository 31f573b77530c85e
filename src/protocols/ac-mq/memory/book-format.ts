/**
 * The book of a mission as bytes: a line with the lengths and a checksum of the rest, a JSON document, and numbers. It lies where
 * strangers can write, so whatever is odd about it makes it no book, and everything is read and compared once more.
 */
import { NearestLists } from '../../../text/nearest-lists.ts'
import type { Neighbours } from '../../../text/neighbours.ts'
import { Tally } from '../../../text/tally.ts'
import type { Book, BookDocument, BookEntry, BookUsage } from './book.ts'

const magic = 'signalbox-acmq-memory-3'

export function printBook({ titles, entries, documents, provider, neighbours, usage }: Book): Buffer {
  const all = [...entries.values()]
  const tally = neighbours?.terms.entries()
  const told = {
    titles,
    provider,
    entries: [...entries].map(([key, { features, ...entry }]) => ({
      ...entry,
      key,
      sizes: [features.terms.length, features.numbers.length],
    })),
    documents: [...documents].map(([name, document]) => ({ ...document, name })),
    ...(usage ? { usage: { ...usage, counts: [...usage.counts] } } : {}),
    ...(neighbours
      ? {
          sample: neighbours.sample,
          digests: neighbours.digests.join(' '),
          cut: neighbours.cut,
          tally: tally!.hashes.length,
        }
      : {}),
  }
  const numbers: ArrayBufferView[] = [
    ...(neighbours ? [neighbours.lengths, neighbours.lists.likeness, neighbours.lists.places] : []),
    ...(tally ? [tally.hashes, tally.counts] : []),
    ...all.map(({ features }) => features.terms),
    ...all.map(({ features }) => features.numbers),
    ...all.map(({ features }) => features.counts),
    ...(neighbours ? [neighbours.lists.used] : []),
  ]
  const text = Buffer.from(JSON.stringify(told))
  const body = new Uint8Array(numbers.reduce((size, part) => size + part.byteLength, text.length))
  body.set(text)
  let at = text.length
  for (const part of numbers) {
    body.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at)
    at += part.byteLength
  }
  return Buffer.concat([Buffer.from(`${magic} ${text.length} ${sumOf(body)}\n`), body])
}

/** `undefined` for what is no book of ours, or not whole. */
export function readBook(bytes: Uint8Array): Book | undefined {
  try {
    return parse(bytes)
  } catch {
    return undefined // Odd shapes fail in many ways, and all mean the same.
  }
}

function parse(bytes: Uint8Array): Book | undefined {
  const end = bytes.indexOf(10)
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.max(0, Math.min(end, 200))).toString('latin1')
  const [, length, sum] = /^signalbox-acmq-memory-3 (\d{1,10}) ([0-9a-f]{8})$/.exec(head) ?? []
  const body = bytes.subarray(end + 1)
  if (length === undefined || sumOf(body) !== sum) return undefined
  const told = JSON.parse(Buffer.from(body.subarray(0, Number(length))).toString('utf8'))
  const numbers = new Numbers(new Uint8Array(body.subarray(Number(length))))
  const digests: string[] =
    told.digests === undefined ? [] : told.digests.split(' ').filter((one: string) => one !== '')
  const lists = new NearestLists(digests.length)
  const lengths = numbers.take(Float64Array, digests.length)
  lists.likeness.set(numbers.take(Float32Array, lists.likeness.length))
  lists.places.set(numbers.take(Int32Array, lists.places.length))
  const tally = Tally.from(numbers.take(Uint32Array, told.tally ?? 0), numbers.take(Uint32Array, told.tally ?? 0))
  const terms = told.entries.map(({ sizes }: Told) => numbers.take(Uint32Array, sizes[0]))
  const figures = told.entries.map(({ sizes }: Told) => numbers.take(Uint32Array, sizes[1]))
  const counts = told.entries.map(({ sizes }: Told) => numbers.take(Int8Array, sizes[0]))
  lists.used.set(numbers.take(Uint8Array, lists.used.length))
  if (!numbers.isEmpty || !isSound(lists) || !told.entries.every(isEntry) || !told.documents.every(isDocument))
    return undefined
  const entries = told.entries.map(({ key, sizes: _, ...entry }: Told, i: number): [string, BookEntry] => [
    key,
    { ...entry, features: { terms: terms[i], counts: counts[i], numbers: figures[i] } },
  ])
  const neighbours: Neighbours | undefined =
    told.sample === undefined
      ? undefined
      : { sample: told.sample, digests, lengths, lists, terms: tally, cut: told.cut }
  const usage: BookUsage | undefined = told.usage && { ...told.usage, counts: new Map(told.usage.counts) }
  if (!areTexts(told.titles) || !isText(told.provider)) return undefined
  if (neighbours && !Number.isFinite(neighbours.cut)) return undefined
  return {
    titles: told.titles,
    provider: told.provider,
    entries: new Map(entries),
    documents: new Map(told.documents.map(({ name, ...one }: BookDocument & { name: string }) => [name, one])),
    ...(neighbours ? { neighbours } : {}),
    ...(usage ? { usage } : {}),
  }
}

type Told = Omit<BookEntry, 'features'> & { readonly key: string; readonly sizes: readonly [number, number] }

const isText = (value: unknown): value is string => typeof value === 'string'
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)

const isEntry = ({
  key,
  id,
  name,
  createdAt,
  status,
  content,
  digest,
  own,
  mark,
  dependencies,
  reasons,
}: Told): boolean =>
  [key, id, name, createdAt, status, content, digest, own, mark].every(isText) &&
  areTexts(dependencies) &&
  areTexts(Object.values(reasons))

const isDocument = (one: BookDocument & { name: string }): boolean =>
  [one.name, one.mark, one.madeOf, one.query, one.trigger, one.provider, one.summaryBy, one.check].every(isText) &&
  areTexts(one.anchors) &&
  areTexts(one.partChecks)

/** No place leads out of the lists. */
const isSound = ({ places, used, count }: NearestLists): boolean =>
  places.every((place) => place >= 0 && place < Math.max(1, count)) && used.every((one) => one * count <= places.length)

class Numbers {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isEmpty(): boolean {
    return this.#at === this.#bytes.length
  }

  take<T>(
    kind: { new (buffer: ArrayBuffer, at: number, length: number): T; BYTES_PER_ELEMENT: number },
    count: number,
  ): T {
    const size = count * kind.BYTES_PER_ELEMENT
    if (!Number.isSafeInteger(count) || count < 0 || this.#at + size > this.#bytes.length) throw new Error('cut off')
    const taken = new kind(this.#bytes.buffer as ArrayBuffer, this.#bytes.byteOffset + this.#at, count)
    this.#at += size
    return taken
  }
}

/** Enough to notice a write that a power cut stopped; it keeps nobody out. A real hash takes ten times as long. */
function sumOf(bytes: Uint8Array): string {
  // Words are summed up four times as fast, and need bytes that begin at one.
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes)
  const words = new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length >> 2)
  let sum = aligned.length
  for (let i = 0; i < words.length; i++) sum = Math.imul(sum ^ words[i]!, 16777619)
  for (let i = words.length * 4; i < aligned.length; i++) sum = Math.imul(sum ^ aligned[i]!, 16777619)
  return (sum >>> 0).toString(16).padStart(8, '0')
}
