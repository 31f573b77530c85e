/**
 * One message in a pack: a gzip member. Its header has an extra field, which other programs skip: the length of the member, the
 * file name of the message and when it was finished. RFC 1952, 2.3.1.1.
 *
 *   1f 8b 08 04 00000000 xx os │ length of what follows │ 'S' 'B' length │ length of the rest │ JSON │ compressed, checks
 */
import { bufferOf } from '../../../formats/front-matter.ts'
import { nameOf, type TreePath } from '../../../kernel/tree-path.ts'
import { fromCompact, parseTime } from '../times.ts'
import { type ArchivedEntry, causeText, describeMessage, entryFrom, type PackedMessage, parsePackName } from './pack.ts'

const gzipHeader = 10
const hasExtra = 4
const fieldName = Buffer.from('SB')
/** Before the JSON: the length of the extra field, its name and its length, and the length of the rest. */
const fixed = gzipHeader + 2 + 4 + 4
const longestExtra = 60_000

export const printMember = (message: PackedMessage, bytes: Uint8Array): Uint8Array =>
  withField(zlib().gzipSync(bytes), fieldOf(message, bytes))

function fieldOf(message: PackedMessage, bytes: Uint8Array): Buffer {
  const { name, status, finishedAt } = message
  const described = describeMessage(bytes, name, status, finishedAt)
  const keys = ['id', 'from', 'to', 'summary', 'timestamp'] as const
  const others = keys.filter((key) => message[key] !== described[key]).map((key) => [key, message[key]])
  const field = Buffer.from(JSON.stringify({ name, finishedAt, ...Object.fromEntries(others) }))
  return field.length <= longestExtra ? field : Buffer.from(JSON.stringify({ name, finishedAt }))
}

function withField(member: Uint8Array, field: Uint8Array): Uint8Array {
  const head = Buffer.alloc(fixed)
  head.set(member.subarray(0, gzipHeader))
  head[3] = hasExtra
  head.writeUInt16LE(field.length + 8, gzipHeader)
  head.set(fieldName, gzipHeader + 2)
  head.writeUInt16LE(field.length + 4, gzipHeader + 4)
  head.writeUInt32LE(member.length - gzipHeader, gzipHeader + 6)
  return Buffer.concat([head, field, member.subarray(gzipHeader)])
}

// The two members below are fixed bytes, because libraries compress differently and these are recognised by their bytes.
/** A member with a line end, after a message whose last line has none. */
export const separator = Buffer.from('1f8b0800000000000003e302009306d73201000000', 'hex')

/** The last member of a pack; it decompresses to nothing. A pack without it was cut off. */
export const endMark = withField(Buffer.from('1f8b080000000000000303000000000000000000', 'hex'), new Uint8Array())

/** How many bytes can follow the last message of a pack. A message takes more. */
export const mostAfterLast = separator.length + endMark.length

interface Damage {
  readonly offset: number
  readonly reason: string
}

export interface PackContents {
  readonly entries: readonly ArchivedEntry[]
  readonly damage: readonly Damage[]
}

/** Searching for the next message after a damaged one takes time, so it is done so often at most. */
const mostDamage = 64

/** The messages of a pack that can be read, and the places of damage. Decompresses one message at a time. */
export function readPack(pack: Uint8Array, path: TreePath, largest: number): PackContents {
  const bytes = bufferOf(pack)
  const entries: ArchivedEntry[] = []
  const damage: Damage[] = []
  let isEnded = false
  for (let offset = 0; offset >= 0 && damage.length < mostDamage; ) {
    if (offset >= bytes.length) {
      if (!isEnded) damage.push({ offset, reason: 'it is cut off' })
      break
    }
    const head = headAt(bytes, offset)
    isEnded = head?.json.length === 0 && head.end <= bytes.length
    const read = head && !isEnded ? readMember(bytes, offset, { ...head, path, largest }) : undefined
    if (read && 'id' in read) entries.push(read)
    else if (!isEnded) damage.push(read ?? { offset, reason: reasonAt(bytes, offset) })
    // The length in a damaged member is right if another member or the end of the pack follows there.
    const next = head && afterSeparator(bytes, head.end)
    const isNext = next !== undefined && (isEnded || read === entries.at(-1) || isBoundary(bytes, next))
    offset = isNext ? next : bytes.indexOf(start, offset + 1)
  }
  return { entries, damage }
}

const reasonAt = (bytes: Buffer, offset: number): string =>
  bytes.length - offset < fixed ? 'it is cut off' : 'no message begins here'

const start = Buffer.from([0x1f, 0x8b, 8, hasExtra, 0, 0, 0, 0])

interface Head {
  readonly json: Buffer
  readonly end: number
}

function headAt(bytes: Buffer, offset: number): Head | undefined {
  if (bytes.length < offset + fixed || start.compare(bytes, offset, offset + start.length) !== 0) return undefined
  const extra = bytes.readUInt16LE(offset + gzipHeader)
  const isOurs = fieldName.compare(bytes, offset + gzipHeader + 2, offset + gzipHeader + 4) === 0
  if (!isOurs || extra < 8 || bytes.readUInt16LE(offset + gzipHeader + 4) !== extra - 4) return undefined
  const rest = offset + gzipHeader + 2 + extra
  return { json: bytes.subarray(offset + fixed, rest), end: rest + bytes.readUInt32LE(offset + gzipHeader + 6) }
}

const isBoundary = (bytes: Buffer, at: number): boolean => at === bytes.length || headAt(bytes, at) !== undefined

const afterSeparator = (bytes: Buffer, at: number): number =>
  separator.equals(bytes.subarray(at, at + separator.length)) ? at + separator.length : at

interface Place extends Head {
  readonly path: TreePath
  readonly largest: number
}

function readMember(pack: Buffer, offset: number, { json, end, path, largest }: Place): ArchivedEntry | Damage {
  if (end > pack.length) return { offset, reason: 'it is cut off' }
  try {
    const bytes = unzip(pack.subarray(offset, end), largest)
    const place = { offset, length: end - offset, size: bytes.length }
    const fallback = namedAfter(path, offset)
    const said = { ...fallback, ...fieldIn(json) }
    const described = describeMessage(bytes, said.name, fallback.status, said.finishedAt)
    // If the field says what cannot be, the message is described from its own bytes.
    return (
      entryFrom({ ...described, ...said, ...place }, path) ?? {
        ...describeMessage(bytes, fallback.name, fallback.status, fallback.finishedAt),
        ...place,
        pack: path,
      }
    )
  } catch (error) {
    return { offset, reason: causeText(error) }
  }
}

function namedAfter(path: TreePath, offset: number) {
  const { stem, status, stamp } = parsePackName(nameOf(path)) ?? { stem: 'message', status: 'completed', stamp: '' }
  return { name: `${stem}-${offset}.md`, status, finishedAt: parseTime(fromCompact(stamp) ?? '') ?? 0 } as const
}

function fieldIn(json: Buffer): Partial<PackedMessage> {
  try {
    const { name, finishedAt, id, from, to, summary, timestamp } = JSON.parse(json.toString('utf8'))
    const given = Object.entries({ name, finishedAt, id, from, to, summary, timestamp })
    return Object.fromEntries(given.filter(([, value]) => value !== undefined))
  } catch {
    return {} // SyntaxError, or TypeError for `null`: damaged, or written by another program.
  }
}

/** Loaded when first needed: most commands have nothing to do with the archive. */
const zlib = () => process.getBuiltinModule('node:zlib')

/**
 * The bytes of one gzip member, which any program may have packed. Its last four bytes say how many there are: decompressing
 * stops there, and does not begin when that is more than a message may have.
 */
export function unzip(member: Uint8Array, largest: number): Uint8Array {
  const size = sizeOf(member)
  if (size > largest) throw new Error(`it has ${size} bytes, and a message has at most ${largest}`)
  return zlib().gunzipSync(member, { maxOutputLength: Math.max(1, size) })
}

const sizeOf = (member: Uint8Array): number =>
  member.length < 18 ? 0 : new DataView(member.buffer, member.byteOffset + member.length - 4, 4).getUint32(0, true)
