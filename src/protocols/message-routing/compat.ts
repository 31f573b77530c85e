/**
 * Converts messages of other programs that deviate from the specification, and answers back into their form. Pure. A field with one
 * possible meaning is converted; any other is left and reported. A message without deviations stays as it is.
 *
 * Seen in the field: ids `msg-1759761135-042`, versions `1.1`, times as whole seconds or milliseconds, types of any
 * name, progress as a percentage, `signature` and `auth_version` of a scheme of their own; beside the messages a
 * copy in `outbox/` and empty `.lock` files that stay.
 */
import { sha256 } from '../../formats/digest.ts'
import { isObject, type MrMessage, messageTypes, type Payload } from './schema.ts'

/** A file read with `compat`, before it is checked. */
export interface Converted {
  /** In the form of the specification, as far as possible. */
  readonly value: unknown
  /** What was converted or could not be, one sentence each. */
  readonly notes: readonly string[]
  /** Fields that the schema must not check. */
  readonly tolerated?: readonly string[]
}

type Fields = Readonly<Record<string, unknown>>
/** The converted value, or only a note where the field is left as it is. */
type Reading = { readonly became?: unknown; readonly note: string } | undefined
type Reader = (found: unknown, message: Fields) => Reading

/** `undefined` for a value that needs no conversion. */
const readers: Readonly<Record<string, Reader>> = {
  version(found) {
    const [, major, minor = '0'] = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(String(found)) ?? []
    if (major === undefined) return undefined
    const became = `${major}.${minor}.0`
    return { became, note: `version ${found} read as ${became}` }
  },
  msg_id: (found) => readId(found, 'id'),
  correlation_id: (found) => readId(found, 'correlation'),
  timestamp(found) {
    const at = momentOf(found)
    if (at === undefined) return undefined
    const became = new Date(at).toISOString()
    return { became, note: `time ${found} read as ${became}` }
  },
  type(found) {
    if (typeof found !== 'string' || isKnownType(found)) return undefined
    const became = spelledPlainly(found)
    if (isKnownType(became)) return { became, note: `type ${JSON.stringify(found)} read as ${became}` }
    return { note: `type ${JSON.stringify(found.slice(0, 40))} is none of the specification's and is left as it is` }
  },
  payload(found, message) {
    if (!isObject(found) || !isStatus(message)) return undefined
    const progress = shareOf(found.progress)
    if (progress === undefined) return undefined
    return { became: { ...found, progress }, note: `progress ${found.progress} read as ${progress}` }
  },
  signature: (found) =>
    isObject(found) ? undefined : { note: 'the signature is of another scheme and was not verified' },
  auth_version: () => ({ note: 'auth_version belongs to another scheme and is left as it is' }),
}

/** Converts a message. A value that is not an object is left for the schema to refuse. */
export function convert(found: unknown): Converted {
  if (!isObject(found)) return { value: found, notes: [] }
  const readings = Object.keys(found).flatMap((field) => {
    const read = Object.hasOwn(readers, field) ? readers[field]!(found[field], found) : undefined
    return read ? [{ field, ...read }] : []
  })
  const changes = readings.filter((one) => 'became' in one).map(({ field, became }) => [field, became])
  const isOtherType = readings.some(({ field, became }) => field === 'type' && became === undefined)
  return {
    value: { ...found, ...Object.fromEntries(changes) },
    notes: readings.map(({ note }) => note),
    ...(isOtherType ? { tolerated: ['type'] } : {}),
  }
}

/** The usual form of those programs, for a message that answers none of theirs. */
export const theirForm: Fields = { version: '1.0', msg_id: 'msg-0-000', timestamp: 0 }

/**
 * An answer in the form of the message that it answers, so that the other program understands it: its kind of id, its version, its
 * kind of time, percentages where it wrote percentages, and its own id as `correlation_id`.
 */
export function lowerAnswer(answer: MrMessage, original: Fields): { fileName: string; message: Fields } {
  const at = Date.parse(answer.timestamp)
  const seconds = Math.floor(at / 1000)
  const id = foreignId.test(String(original.msg_id)) ? `msg-${seconds}-${lastThree(answer.msg_id)}` : answer.msg_id
  const isPercentage = isObject(original.payload) && shareOf(original.payload.progress) !== undefined
  const { version, msg_id: _, from, to, timestamp, sequence, type, payload, requires_ack, ...rest } = answer
  const message = {
    version: original.version ?? version,
    msg_id: id,
    from,
    to,
    timestamp: typeof original.timestamp === 'number' ? (isInSeconds(original.timestamp) ? seconds : at) : timestamp,
    sequence,
    type,
    payload: isPercentage ? withPercentage(payload) : payload,
    requires_ack: requires_ack ?? false,
    ...rest,
    ...(answer.correlation_id === undefined ? {} : { correlation_id: original.msg_id }),
  }
  return { fileName: `${id}.json`, message }
}

const foreignId = /^msg-(\d{1,15})-(\d{1,9})$/

/** An id of another program always becomes the same id of ours, so that answers find the message they answer. */
function readId(found: unknown, what: string): Reading {
  if (typeof found !== 'string' || !foreignId.test(found)) return undefined
  const became = standardIdOf(found)
  return { became, note: `${what} ${found} read as ${became}` }
}

/** Our id of a message, from the name of its file without the ending. */
export const idOfStem = (stem: string): string => (foreignId.test(stem) ? standardIdOf(stem) : stem)

export const standardIdOf = (foreign: string): string => `msg_${sha256(foreign).slice(0, 8)}`

const lastThree = (id: string): string => String(Number.parseInt(id.slice(-8), 16) % 1000).padStart(3, '0')

/** Numbers up to 1e11 are seconds (until the year 5138), above it milliseconds (from 1973 on). */
const isInSeconds = (found: number): boolean => Math.abs(found) < 1e11

function momentOf(found: unknown): number | undefined {
  const number = typeof found === 'string' && /^\d{1,15}(?:\.\d{1,9})?$/.test(found) ? Number(found) : found
  if (typeof number !== 'number' || !Number.isFinite(number) || number < 0) return undefined
  const at = Math.round(isInSeconds(number) ? number * 1000 : number)
  return at <= latest ? at : undefined
}
const latest = Date.UTC(9999, 11, 31)

/** 0.0–1.0 for a percentage; `undefined` for a number up to 1, which is a share already, and for one above 100. */
function shareOf(found: unknown): number | undefined {
  const text = typeof found === 'string' ? /^\s*(\d{1,3}(?:\.\d{1,9})?)\s*%\s*$/.exec(found)?.[1] : undefined
  const percent = text === undefined ? found : Number(text)
  if (typeof percent !== 'number' || !(percent <= 100) || (text === undefined && !(percent > 1))) return undefined
  return percent / 100
}

const withPercentage = (payload: Payload): Payload =>
  typeof payload.progress === 'number' ? { ...payload, progress: Math.round(payload.progress * 1e6) / 1e4 } : payload

const isKnownType = (text: string): boolean => (messageTypes as readonly string[]).includes(text)
const isStatus = ({ type }: Fields): boolean => typeof type === 'string' && spelledPlainly(type) === 'status-update'

/** `Status_Update` and `status update` are `status-update`. */
const spelledPlainly = (type: string): string =>
  type
    .trim()
    .toLowerCase()
    .replace(/[_\s]+/g, '-')
