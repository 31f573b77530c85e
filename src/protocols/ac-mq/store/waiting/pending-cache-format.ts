/**
 * The text of the pending cache. Pure. A *base* has a first line that says where the parts are; all names in the order of a
 * listing; and a section for each recipient, best first, of which a claim reads only the beginning. If anything in it is odd,
 * reading throws, because any program may have written it.
 */
import { groupBy } from '../../../../kernel/group-by.ts'
import { inOrder } from '../../../../kernel/order.ts'
import { isMessageName } from '../../layout.ts'
import { everyone, isAgentId, isMessageId } from '../../names.ts'
import { noDependencies } from '../../schema.ts'
import type { Candidate } from './candidate.ts'

const magic = 'signalbox-acmq-pending-2 '

/** `readAt`: all headers were read after this. */
export function printBase(candidates: Iterable<Candidate>, readAt: number): Buffer {
  const all = [...candidates]
  const sections = groupBy(all, ({ to }) => to)
  const names = linesOf(all.map(({ name }) => name).sort())
  const parts = [...sections.values()].map((section) => linesOf(section.sort(inOrder).map(lineOf)))
  const body = Buffer.concat([names, ...parts])
  const lengths = [...sections.keys()].map((to, i) => [to, parts[i]!.length])
  const sum = sumOf(body)
  const head = JSON.stringify({ readAt, sum, count: all.length, names: names.length, sections: lengths })
  return Buffer.concat([Buffer.from(`${magic}${sumOf(Buffer.from(head))} ${head}\n`), body])
}

const linesOf = (lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(''))

interface Section {
  readonly to: string
  readonly start: number
  readonly end: number
}

export class Base {
  readonly #bytes: Buffer
  readonly #namesStart: number
  readonly #sections: readonly Section[]
  /** All its headers were read after this. */
  readonly readAt: number
  readonly count: number

  /** Throws when a part is missing or was changed. */
  constructor(bytes: Buffer) {
    const bodyStart = bytes.indexOf(10) + 1
    const line = bytes.toString('utf8', 0, Math.max(0, bodyStart - 1))
    const space = line.indexOf(' ', magic.length)
    const head = line.slice(space + 1)
    if (!line.startsWith(magic) || line.slice(magic.length, space) !== `${sumOf(Buffer.from(head))}`) throw odd()
    const { readAt, sum, count, names, sections } = JSON.parse(head)
    // A length below zero would let a part reach beyond the end.
    if (!(readAt >= 0) || !isLength(count) || !isLength(names) || !Array.isArray(sections)) throw odd()
    let start = bodyStart + names
    this.#sections = sections.map(([to, length]) => {
      if (!isRecipient(to) || !isLength(length)) throw odd()
      start += length
      return { to, start: start - length, end: start }
    })
    if (start !== bytes.length || sumOf(bytes.subarray(bodyStart)) !== sum) throw odd()
    this.#bytes = bytes
    this.#namesStart = bodyStart
    this.readAt = readAt
    this.count = count
  }

  names(): string[] {
    const end = this.#sections[0]?.start ?? this.#bytes.length
    const names = this.#bytes.toString('utf8', this.#namesStart, end).split('\n')
    names.pop()
    return names
  }

  /** The best messages for a recipient that pass the test. */
  first(recipient: string, most: number, isThere: (name: string) => boolean): Candidate[] {
    const found: Candidate[] = []
    const section = this.#sections.find(({ to }) => to === recipient)
    for (let at = section?.start ?? 0; section && at < section.end && found.length < most; ) {
      const end = this.#bytes.indexOf(10, at)
      const entry = entryIn(this.#bytes.toString('utf8', at, end), recipient)
      if (isThere(entry.name)) found.push(entry)
      at = end + 1
    }
    return found
  }

  entries(): Candidate[] {
    return this.#sections.flatMap(({ to, start, end }) => {
      const lines = this.#bytes.toString('utf8', start, end).split('\n')
      lines.pop()
      return lines.map((line) => entryIn(line, to))
    })
  }
}

// No part can contain a tab or a line end: names and ids are checked, the rest is numbers and JSON.
const lineOf = ({ priority, time, id, name, dependencies, summary }: Candidate): string =>
  dependencies.length === 0
    ? `${priority}\t${time}\t${id}\t${name}`
    : `${priority}\t${time}\t${id}\t${name}\t${JSON.stringify([summary, ...dependencies])}`

function entryIn(line: string, to: string): Candidate {
  const [priorityText = '', timeText = '', id = '', name = '', waits] = line.split('\t')
  const [priority, time] = [Number(priorityText), Number(timeText)]
  const isSound = /^[1-5]$/.test(priorityText) && timeText !== '' && Number.isFinite(time)
  // The name becomes part of a path, so it must be that of a message.
  if (!isSound || !isMessageId(id) || !isMessageName(name)) throw odd()
  if (waits === undefined) return { name, id, to, priority, time, dependencies: noDependencies, summary: '' }
  const texts: unknown = JSON.parse(waits)
  if (!areTexts(texts)) throw odd()
  const [summary = '', ...dependencies] = texts
  return { name, id, to, priority, time, dependencies, summary }
}

const odd = () => new Error('The cache was cut off or made up.')

const isRecipient = (to: unknown): to is string => typeof to === 'string' && (isAgentId(to) || to === everyone)
const areTexts = (list: unknown): list is string[] =>
  Array.isArray(list) && list.every((text) => typeof text === 'string')
const isLength = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** Enough to notice a write that a power cut stopped. Loading a cryptographic hash would take longer than a claim. */
function sumOf(bytes: Uint8Array): number {
  // Summing 32-bit words is four times as fast, and needs an aligned copy.
  const copy = new Uint8Array(bytes)
  const words = new Int32Array(copy.buffer, 0, copy.length >> 2)
  let sum = copy.length
  for (let i = 0; i < words.length; i++) sum = Math.imul(sum ^ words[i]!, 16777619)
  for (let i = words.length * 4; i < copy.length; i++) sum = Math.imul(sum ^ copy[i]!, 16777619)
  return sum >>> 0
}
