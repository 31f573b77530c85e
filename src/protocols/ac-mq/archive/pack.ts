/**
 * A pack: finished messages as gzip members one after the other, so that `zcat` prints them all. An index beside it says where
 * each one is. A pack never changes and holds all that its index says, so a lost index is made again from it (`indexes.ts`).
 * AC-MQ §9.2.
 *
 *   archive/2026-11/completed-20261103141500-1f2e3d4c.md.gz
 *   archive/2026-11/completed-20261103141500-1f2e3d4c.index.jsonl
 */
import { printJsonLine, readJsonLines } from '../../../formats/json-lines.ts'
import { corrupt } from '../../../kernel/errors.ts'
import { isSegment, type TreePath } from '../../../kernel/tree-path.ts'
import { parseFileName } from '../file-name.ts'
import { parseAnyMessage } from '../format.ts'
import type { MissionAddress } from '../names.ts'
import { standardTimeout } from '../schema.ts'
import { fromCompact } from '../times.ts'

export type FinalStatus = 'completed' | 'failed'

export interface ArchivedEntry {
  readonly id: string
  readonly name: string
  readonly status: FinalStatus
  readonly from: string
  readonly to: string
  readonly summary: string
  readonly timestamp: string
  readonly finishedAt: number
  /** The pack that holds the message, or the message's own file. */
  readonly pack: TreePath
  readonly offset: number
  readonly length: number
  readonly size: number
}

export type PackedMessage = Omit<ArchivedEntry, 'pack' | 'offset' | 'length' | 'size'>

export interface ArchiveProblem {
  readonly path: TreePath
  readonly line?: number
  readonly message: string
  readonly hint: string
}

/** Packs stay small, because a pack is read from its beginning up to the message that is wanted. */
export const mostMessages = 1000
export const mostPackBytes = 1024 * 1024

/** An upper bound: the last message of a pack may be as large as any, and gzip may add a little. */
export const largestPack = (largestMessage: number): number =>
  mostPackBytes + Math.ceil(largestMessage * 1.01) + 128 * 1024

const packEnding = '.md.gz'
const indexEnding = '.index.jsonl'

export const packNameOf = (stem: string): string => stem + packEnding
export const indexNameOf = (stem: string): string => stem + indexEnding

export const indexPathOf = (pack: TreePath): TreePath => indexNameOf(pack.slice(0, -packEnding.length)) as TreePath

/** The parts of the name of a pack or an index; `undefined` for files of other programs. */
export function parsePackName(name: string) {
  const found = /^((completed|failed)-(\d{14})-[0-9a-f]{8})(\.md\.gz|\.index\.jsonl)$/.exec(name)
  if (!found) return undefined
  const [, stem = '', status, stamp = '', ending] = found
  return {
    stem,
    status: status as FinalStatus,
    stamp,
    kind: ending === packEnding ? ('pack' as const) : ('index' as const),
  }
}

export function printEntry(entry: Omit<ArchivedEntry, 'pack'>): string {
  const { id, name, status, from, to, summary, timestamp, finishedAt, offset, length, size } = entry
  return printJsonLine({ id, name, status, from, to, summary, timestamp, finishedAt, offset, length, size })
}

/** The messages of the index of a pack. A line that cannot be read is reported and left out. */
export function* readIndex(
  bytes: Uint8Array,
  pack: TreePath,
  onProblem?: (problem: ArchiveProblem) => void,
): Generator<ArchivedEntry, void> {
  for (const line of readJsonLines(bytes)) {
    const entry = line.kind === 'record' ? entryFrom(line.value, pack) : undefined
    if (entry) yield entry
    else {
      const reason = line.kind === 'record' ? 'it does not describe a message' : line.error.message
      const hint = `Restore ${pack}, from which the index is made again.`
      const path = indexPathOf(pack)
      onProblem?.({ path, line: line.line, message: `A line of the index cannot be read: ${reason}`, hint })
    }
  }
}

export function entryFrom(value: unknown, pack: TreePath): ArchivedEntry | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { id, name, status, from, to, summary, timestamp, finishedAt, offset, length, size } = value as ArchivedEntry
  const texts = [id, name, from, to, summary, timestamp]
  const places = [offset, length, size]
  const isWhole =
    texts.every((text) => typeof text === 'string') &&
    places.every((place) => Number.isSafeInteger(place) && place >= 0) &&
    Number.isFinite(finishedAt) &&
    (status === 'completed' || status === 'failed') &&
    id !== '' &&
    isSegment(name)
  return isWhole
    ? { id, name, status, from, to, summary, timestamp, finishedAt, pack, offset, length, size }
    : undefined
}

/** What the archive says of a message, from its header. */
export function describeMessage(
  bytes: Uint8Array,
  name: string,
  known: FinalStatus | undefined,
  finishedAt: number,
): PackedMessage {
  const address = '' as MissionAddress
  // A message without a timestamp counts as sent when it was finished.
  const context = { fileName: name, address, timeoutSeconds: standardTimeout, modifiedAt: finishedAt }
  const read = parseAnyMessage(bytes, context)
  if (read.outcome === 'malformed') {
    const { shortId = name.replace(/\.md$/, ''), from = '', to = '', timestamp = '' } = parseFileName(name) ?? {}
    const time = fromCompact(timestamp) ?? ''
    return { id: shortId, name, status: known ?? 'completed', from, to, summary: '', timestamp: time, finishedAt }
  }
  const { record } = read.message
  const { id, from, to, summary, timestamp } = record
  const status = known ?? (record.status.trim() === 'failed' ? 'failed' : 'completed')
  return { id, name, status, from, to, summary, timestamp, finishedAt }
}

export const damaged = ({ id, pack, offset }: ArchivedEntry, cause: unknown) =>
  corrupt('BAD_ARCHIVE', `Message ${id} cannot be read from ${pack}, byte ${offset}: ${causeText(cause)}.`, {
    hint: `Restore ${pack} from a copy. The other messages in it can still be read.`,
    details: { id, pack, offset },
    cause,
  })

export const causeText = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
