/** File names of messages, which show the sender, the recipient and the time. Spec: AC-MQ §3.1. */
import { invalidInput } from '../../kernel/errors.ts'
import { lastAnswer } from '../../kernel/last-answer.ts'
import { shortLength } from '../../kernel/short-id.ts'
import { isSegment, longestSegment } from '../../kernel/tree-path.ts'
import { isAgentId, isEveryone } from './names.ts'
import type { AcmqRecord } from './schema.ts'
import { compactOf, compactTime, fromCompact, isCanonicalTime, parseTime } from './times.ts'

/**
 * `{YYYYMMDDHHMMSS}-{id8}-from-{sender}-to-{recipient}.md`. A longer `idLength` keeps two messages apart that share a second and
 * a short id. As much of the id is used as fits into a file name.
 */
export function fileNameOf(
  record: Pick<AcmqRecord, 'id' | 'timestamp' | 'from' | 'to'>,
  idLength = shortLength,
): string {
  const { id, timestamp, from, to } = record
  const ends = [`${compactName(timestamp)}-`, `-from-${from}-to-${to}.md`] as const
  const room = longestSegment - ends[0].length - ends[1].length
  return ends[0] + id.slice(0, Math.min(idLength, room)) + ends[1]
}

/** How many characters of the id a file name carries. The next length is tried when the name is taken. */
export const idLengths = [8, 13, 18, 23, 64] as const

const compactName = lastAnswer((timestamp: string): string => {
  if (isCanonicalTime(timestamp)) return compactOf(timestamp)
  const ms = parseTime(timestamp)
  if (ms !== undefined) return compactTime(ms)
  throw invalidInput('INVALID_TIMESTAMP', `Not a time: ${JSON.stringify(timestamp.slice(0, 80))}.`, {
    hint: 'Write it as 2025-07-04T10:30:00Z.',
  })
})

export interface FileNameParts {
  readonly timestamp: string
  readonly shortId: string
  readonly from: string
  readonly to: string
}

/** The parts of a name; `undefined` for the names that other programs give. Only the header decides what a message says. */
export function parseFileName(name: string): FileNameParts | undefined {
  if (!name.endsWith('.md') || name.charAt(14) !== '-') return undefined
  // Searched from the end: the id may contain `-from-` or `-to-`, and no agent's name can.
  const toAt = name.lastIndexOf('-to-')
  const fromAt = name.lastIndexOf('-from-', toAt - '-from-'.length)
  if (fromAt < 16) return undefined
  const timestamp = name.slice(0, 14)
  const shortId = name.slice(15, fromAt)
  const from = name.slice(fromAt + '-from-'.length, toAt)
  const to = name.slice(toAt + '-to-'.length, -'.md'.length)
  const isUsable = isIdStart(shortId) && isAgentId(from) && (isAgentId(to) || isEveryone(to))
  return isUsable && fromCompact(timestamp) !== undefined ? { timestamp, shortId, from, to } : undefined
}

const isIdStart = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(text)

/** A `*.md` that is not hidden: programs write to dot-files and `*.tmp` first. `doctor` reports names that no path can hold. */
export const isMessageName = (name: string): boolean => name.endsWith('.md') && !name.startsWith('.') && isSegment(name)
