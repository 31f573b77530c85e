/**
 * A pack: finished messages as gzip members one after the other, so that `zcat` prints them all, beside an index that
 * says where each one is. Neither changes once it is there. AC-MQ §9.2.
 *
 *   archive/2026-11/completed-20261103141500-1f2e3d4c.md.gz
 *   archive/2026-11/completed-20261103141500-1f2e3d4c.index.jsonl
 */
import { bufferOf } from '../../../formats/front-matter.ts'
import { printJsonLine, readJsonLines } from '../../../formats/json-lines.ts'
import { corrupt, SignalboxError } from '../../../kernel/errors.ts'
import { isSegment, type TreePath } from '../../../kernel/tree-path.ts'
import { compactTime } from '../times.ts'

export type FinalStatus = 'completed' | 'failed'

export interface ArchivedEntry {
  readonly id: string
  /** The file name it had. */
  readonly name: string
  readonly status: FinalStatus
  readonly from: string
  readonly to: string
  readonly summary: string
  readonly timestamp: string
  readonly finishedAt: number
  /** The file that holds it, and where in that. A file that is not a pack holds one message. */
  readonly pack: TreePath
  readonly offset: number
  readonly length: number
  /** Of the message itself, in bytes. */
  readonly size: number
}

export type PackedMessage = Omit<ArchivedEntry, 'pack' | 'offset' | 'length' | 'size'>

export interface ArchiveProblem {
  readonly path: TreePath
  readonly line?: number
  readonly message: string
  readonly hint: string
}

/** A pack is read whole up to the message wanted, so it stays small. */
export const mostMessages = 1000
const mostPackBytes = 1024 * 1024
const largestMessage = 512 * 1024 * 1024

const packEnding = '.md.gz'
const indexEnding = '.index.jsonl'

export const packNameOf = (stem: string): string => stem + packEnding
export const indexNameOf = (stem: string): string => stem + indexEnding

/** What a name says, if it is one of a pack or index of ours. Others' files are never taken for leftovers. */
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

/** Loaded when first needed: most commands have nothing to do with the archive. */
const zlib = () => process.getBuiltinModule('node:zlib')

export class PackBuilder {
  readonly #parts: Uint8Array[] = []
  readonly #lines: string[] = []
  #length = 0
  #first = Number.POSITIVE_INFINITY

  get count(): number {
    return this.#lines.length
  }

  get isFull(): boolean {
    return this.#lines.length >= mostMessages || this.#length >= mostPackBytes
  }

  /** A new name, after the message that was finished first. */
  stem(status: FinalStatus): string {
    return `${status}-${compactTime(this.#first)}-${crypto.randomUUID().slice(0, 8)}`
  }

  add(message: PackedMessage, bytes: Uint8Array): void {
    const { id, name, status, from, to, summary, timestamp, finishedAt } = message
    this.#first = Math.min(this.#first, finishedAt)
    const member = zlib().gzipSync(bytes)
    const place = { offset: this.#length, length: member.length, size: bytes.length }
    this.#lines.push(printJsonLine({ id, name, status, from, to, summary, timestamp, finishedAt, ...place }))
    this.#append(member)
    // A member of its own, so that `zcat` begins each message on a new line and the message stays as it was.
    if (bytes.length > 0 && bytes[bytes.length - 1] !== 10) this.#append(zlib().gzipSync('\n'))
  }

  pack(): Uint8Array {
    return Buffer.concat(this.#parts)
  }

  index(): Uint8Array {
    return Buffer.from(this.#lines.join(''))
  }

  #append(member: Uint8Array): void {
    this.#parts.push(member)
    this.#length += member.length
  }
}

/** The index of members that are there already. */
export const printIndex = (entries: readonly Omit<ArchivedEntry, 'pack'>[]): Uint8Array =>
  Buffer.from(entries.map(printJsonLine).join(''))

/** The messages of an index. A line that cannot be read is told and left out. */
export function* readIndex(
  bytes: Uint8Array,
  index: TreePath,
  onProblem?: (problem: ArchiveProblem) => void,
): Generator<ArchivedEntry, void> {
  const pack = (index.slice(0, -indexEnding.length) + packEnding) as TreePath
  for (const line of readJsonLines(bytes)) {
    const entry = line.kind === 'record' ? entryFrom(line.value, pack) : undefined
    if (entry) yield entry
    else {
      const reason = line.kind === 'record' ? 'it does not describe a message' : line.error.message
      const hint = `Delete ${index}; the next archiving makes it again from ${pack}.`
      onProblem?.({ path: index, line: line.line, message: `A line of the index cannot be read: ${reason}`, hint })
    }
  }
}

function entryFrom(value: unknown, pack: TreePath): ArchivedEntry | undefined {
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

/** The bytes of one member. `size` bounds what a damaged or hostile one can unfold to. */
export function unzipMember(pack: Uint8Array, { offset, length, size }: ArchivedEntry): Uint8Array {
  const bytes = unzip(pack.subarray(offset, offset + length), size)
  if (bytes.length !== size) throw new Error(`it has ${bytes.length} bytes instead of ${size}`)
  return bytes
}

export const unzip = (bytes: Uint8Array, most = largestMessage): Uint8Array =>
  zlib().gunzipSync(bytes, { maxOutputLength: Math.max(1, most) })

const memberStart = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0])
/** A message whose compressed form looks like this many beginnings of members is no accident. */
const mostTries = 64

interface Member {
  readonly offset: number
  readonly length: number
  readonly bytes: Uint8Array
}

/** The messages of a pack whose index is gone. `undefined` when it is not one of ours or is damaged. */
export function membersOf(pack: Uint8Array): Member[] | undefined {
  const starts = startsIn(pack)
  if (starts[0] !== 0) return undefined
  const members: Member[] = []
  for (let first = 0; first < starts.length - 1; ) {
    const offset = starts[first]!
    const last = lastOf(pack, starts, first)
    if (last === undefined) return undefined
    members.push({ offset, length: starts[last.end]! - offset, bytes: last.bytes })
    first = last.end
  }
  return members.filter(({ bytes }) => !(bytes.length === 1 && bytes[0] === 10))
}

function startsIn(pack: Uint8Array): number[] {
  const buffer = bufferOf(pack)
  const starts: number[] = []
  for (let at = buffer.indexOf(memberStart); at >= 0; at = buffer.indexOf(memberStart, at + 1)) starts.push(at)
  return [...starts, pack.length]
}

/** Compressed bytes can look like the beginning of a member: then the piece up to there does not unfold. */
function lastOf(pack: Uint8Array, starts: readonly number[], first: number) {
  for (let end = first + 1; end < starts.length && end - first <= mostTries; end++) {
    try {
      return { end, bytes: unzip(pack.subarray(starts[first]!, starts[end]!)) }
    } catch (error) {
      if (error instanceof SignalboxError) throw error // Else zlib's: not the end of this member yet.
    }
  }
  return undefined
}

export const damaged = ({ id, pack, offset }: ArchivedEntry, cause: unknown) =>
  corrupt('BAD_ARCHIVE', `Message ${id} cannot be read from ${pack}, byte ${offset}: ${reasonOf(cause)}.`, {
    hint: `Restore ${pack} from a copy. The other messages in it can still be read.`,
    details: { id, pack, offset },
    cause,
  })

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
