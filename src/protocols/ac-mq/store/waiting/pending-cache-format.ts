/**
 * The text of the pending cache. Pure; nothing here looks at a disk.
 *
 * A *base* holds every waiting message: a line that says what is where; a section for each recipient, best first, so
 * that the beginning of a section is enough to claim; all names as a listing has them, so that the two can be compared
 * line by line; and for each name where its entry begins. A *note* is one line of the journal beside a base: what one
 * process changed, and between which times of the folder. Both are read as a stranger's: readers answer `undefined` or
 * throw when anything is odd, and the messages themselves are read instead.
 */
import { isMessageName } from '../../layout.ts'
import { everyone, isAgentId, isMessageId } from '../../names.ts'
import { noDependencies } from '../../schema.ts'
import { type Candidate, inOrder } from './candidate.ts'

/** From the first byte of a part to the first one after it. */
export interface Span {
  readonly start: number
  readonly end: number
}

export interface Section extends Span {
  readonly to: string
}

export interface Base {
  /** The folder's time when `entries` were all there was. */
  readonly stamp: number
  /** When somebody last really looked at the folder. */
  readonly lookedAt: number
  readonly sections: readonly Section[]
  readonly names: Span
  /** Bytes in all. */
  readonly size: number
  readonly sum: number
}

const magic = 'signalbox-acmq-pending-1 '
/** The first line may be this long: some ten thousand recipients. */
export const longestHead = 1 << 20

export function printBase(candidates: Iterable<Candidate>, { stamp, lookedAt }: Pick<Base, 'stamp' | 'lookedAt'>) {
  const all = sorted([...candidates], byName)
  const byRecipient = new Map<string, Place[]>()
  for (const [index, candidate] of all.entries()) {
    const section = byRecipient.get(candidate.to)
    if (section) section.push({ candidate, index })
    else byRecipient.set(candidate.to, [{ candidate, index }])
  }
  const names = aligned(all.map(({ name }) => `${name}\n`).join(''))
  const offsets = Buffer.alloc(4 * all.length)
  // Short ones first: a section is read from the beginning of the file.
  const sections = [...byRecipient].sort(([, a], [, b]) => a.length - b.length)
  const bodies: Buffer[] = []
  let length = 0
  for (const [, places] of sections) {
    const body = aligned(printSection(places, length, offsets))
    length += body.length
    bodies.push(body)
  }
  const body = Buffer.concat([...bodies, names, offsets])
  const lengths = sections.map(([to], i) => [to, bodies[i]!.length])
  const sum = sumOf(body)
  const head = JSON.stringify({ stamp, lookedAt, sum, names: names.length, count: all.length, sections: lengths })
  return Buffer.concat([aligned(`${magic}${textSum(head)} ${head}\n`), body])
}

/** A candidate, and which one it is by name. */
interface Place {
  readonly candidate: Candidate
  readonly index: number
}

/** The lines of a section that begins at `start`; where each of them begins goes into `offsets`. */
function printSection(places: Place[], start: number, offsets: Buffer): string {
  let at = start
  const lines: string[] = []
  for (const { candidate, index } of sorted(places, (a, b) => inOrder(a.candidate, b.candidate))) {
    const line = `${lineOf(candidate)}\n`
    offsets.writeUInt32LE(at, 4 * index)
    at += Buffer.byteLength(line)
    lines.push(line)
  }
  return lines.join('')
}

const byName = (a: Candidate, b: Candidate): number => (a.name < b.name ? -1 : 1)

/** Often they are in order already, because names begin with a time. */
const sorted = <T>(items: T[], order: (a: T, b: T) => number): T[] =>
  items.every((item, i) => i === 0 || order(items[i - 1]!, item) < 0) ? items : items.sort(order)

/** The first line, from the first bytes of a base of this size. */
export function parseBase(bytes: Buffer, size: number): Base | 'longer' | undefined {
  const end = bytes.indexOf(10)
  if (end < 0) return bytes.length < Math.min(size, longestHead) ? 'longer' : undefined
  const line = bytes.toString('utf8', 0, end)
  if (!line.startsWith(magic)) return undefined
  const space = line.indexOf(' ', magic.length)
  const head = line.slice(space + 1)
  if (line.slice(magic.length, space) !== String(textSum(head))) return undefined
  const { stamp, lookedAt, sum, names: namesLength, count, sections: lengths } = JSON.parse(head)
  // With lengths below zero a part could reach beyond the end, and whoever reads up to there would never arrive.
  if (!isTime(stamp) || !isTime(lookedAt) || !isLength(namesLength) || !isLength(count)) return undefined
  let start = roundedUp(end + 1)
  const sections: Section[] = []
  for (const [to, length] of lengths) {
    if (!isRecipient(to) || !isLength(length)) return undefined
    sections.push({ to, start, end: start + length })
    start += length
  }
  const names = { start, end: start + namesLength }
  return names.end + 4 * count === size ? { stamp, lookedAt, sum, sections, names, size } : undefined
}

/** A whole base, once its sum is right. */
export class WholeBase {
  readonly #bytes: Buffer
  readonly #base: Base

  constructor(bytes: Buffer, base: Base) {
    if (sumOf(bytes.subarray(bodyStart(base))) !== base.sum) throw new Error('The cache was cut off.')
    this.#bytes = bytes
    this.#base = base
  }

  /** Sorted as a listing is. */
  names(): string[] {
    const { start, end } = this.#base.names
    const lines = this.#bytes.toString('utf8', start, end).split('\n')
    lines.length = (this.#base.size - end) / 4
    return lines
  }

  /** The entry of the name at this place among `names`. */
  entryAt(index: number): Candidate | undefined {
    const at = this.#bytes.readUInt32LE(this.#base.names.end + 4 * index) + bodyStart(this.#base)
    const section = this.#base.sections.find(({ start, end }) => at >= start && at < end)
    return section && entriesIn(this.#bytes, { ...section, start: at }).next().value
  }

  /** Every entry; `undefined` when one is odd. */
  entries(): Candidate[] | undefined {
    const entries: Candidate[] = []
    for (const { to, start, end } of this.#base.sections) {
      for (const line of this.#bytes.toString('utf8', start, end).split('\n')) {
        if (line === '') continue
        const entry = parseEntry(line, to)
        if (!entry) return undefined
        entries.push(entry)
      }
    }
    return entries
  }
}

const bodyStart = ({ sections, names }: Base): number => sections[0]?.start ?? names.start

/** The entries of a section one by one, as far as they are within `bytes`. */
export function* entriesIn(bytes: Buffer, { to, start, end }: Section): Generator<Candidate | undefined> {
  for (let at = start; at < end; ) {
    const lineEnd = bytes.indexOf(10, at)
    if (lineEnd < 0 || lineEnd >= end) return
    if (lineEnd > at) yield parseEntry(bytes.toString('utf8', at, lineEnd), to)
    at = lineEnd + 1
  }
}

/** What one process did, and what the folder's time was before and after. */
export interface Note {
  readonly before: number
  readonly after: number
  /** When it looked at the whole folder at time `before`; absent when it only knew that time from others. */
  readonly lookedAt?: number
  readonly gone: readonly string[]
  readonly came: readonly Candidate[]
}

export function printNote({ before, after, lookedAt, gone, came }: Note): string {
  const text = JSON.stringify([before, after, lookedAt ?? 0, gone, came.map((one) => [one.to, lineOf(one)])])
  return `${textSum(text)} ${text}`
}

/** `undefined` for a line that was cut off or made up. */
export function parseNote(line: string): Note | undefined {
  const space = line.indexOf(' ')
  const text = line.slice(space + 1)
  if (space < 0 || line.slice(0, space) !== String(textSum(text))) return undefined
  const [before, after, lookedAt, gone, lines] = JSON.parse(text)
  const came: Candidate[] = []
  for (const [to, entry] of lines) {
    const candidate = isRecipient(to) ? parseEntry(entry, to) : undefined
    if (!candidate) return undefined
    came.push(candidate)
  }
  if (!isTime(before) || !isTime(after) || !isTime(lookedAt)) return undefined
  return areTexts(gone) ? { before, after, gone, came, ...(lookedAt > 0 ? { lookedAt } : {}) } : undefined
}

// None of these can hold a tab or a line end: names and ids are checked, the rest is numbers and JSON.
const lineOf = ({ priority, time, id, name, dependencies, summary }: Candidate): string =>
  dependencies.length === 0
    ? `${priority}\t${time}\t${id}\t${name}`
    : `${priority}\t${time}\t${id}\t${name}\t${JSON.stringify([summary, ...dependencies])}`

function parseEntry(line: string, to: string): Candidate | undefined {
  const idAt = line.indexOf('\t', 2) + 1
  const nameAt = line.indexOf('\t', idAt) + 1
  const waitsAt = line.indexOf('\t', nameAt)
  const priority = line.charCodeAt(0) - 48
  const time = Number(line.slice(2, idAt - 1))
  const id = line.slice(idAt, nameAt - 1)
  const name = waitsAt < 0 ? line.slice(nameAt) : line.slice(nameAt, waitsAt)
  const isSound =
    line.charCodeAt(1) === 9 && priority >= 1 && priority <= 5 && idAt > 0 && nameAt > 0 && Number.isFinite(time)
  // A name from here becomes part of a path: nothing but the name of a message will do.
  if (!isSound || !isMessageId(id) || !isMessageName(name)) return undefined
  if (waitsAt < 0) return { name, id, to, priority, time, dependencies: noDependencies, summary: '' }
  const texts: unknown = JSON.parse(line.slice(waitsAt + 1))
  if (!areTexts(texts)) return undefined
  const [summary = '', ...dependencies] = texts
  return { name, id, to, priority, time, dependencies, summary }
}

const isRecipient = (to: unknown): to is string => typeof to === 'string' && (isAgentId(to) || to === everyone)
const areTexts = (list: unknown): list is string[] =>
  Array.isArray(list) && list.every((text) => typeof text === 'string')

const isLength = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
const isTime = (value: unknown): value is number => Number.isFinite(value) && (value as number) >= 0

const roundedUp = (length: number): number => (length + 3) & ~3

/** Filled up with line ends to whole words, so that it can be summed up by words. */
function aligned(text: string): Buffer {
  const missing = roundedUp(Buffer.byteLength(text)) - Buffer.byteLength(text)
  return Buffer.from(text + '\n'.repeat(missing))
}

/** Enough to notice a write that a power cut stopped; it keeps nobody out. Loading a real hash takes longer than a claim. */
function sumOf(bytes: Buffer): number {
  const isAligned = bytes.byteOffset % 4 === 0
  const { buffer, byteOffset, length } = isAligned ? bytes : Uint8Array.from(bytes)
  const words = new Int32Array(buffer, byteOffset, length >> 2)
  let sum = length
  for (let i = 0; i < words.length; i++) sum = Math.imul(sum ^ words[i]!, 16777619)
  return sum >>> 0
}

function textSum(text: string): number {
  let sum = text.length
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 16777619)
  return sum >>> 0
}
