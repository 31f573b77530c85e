/**
 * Converts what other programs write differently to what the specification says. Pure. Only what has a single meaning is
 * converted, each conversion is reported, and none is written back.
 *
 * Seen in the field: `timestamp_dispatched_utc`, `timestamp_utc` and `timestamp`, `sender` and `sender_agent`, ids
 * `msg_<uuid>`, times such as `2025-05-01T10:00:00+00:00Z`, mailboxes and task lists in another shape, priorities in words.
 */
import { isoOf, momentOf } from './times.ts'

export interface Converted {
  readonly value: Readonly<Record<string, unknown>>
  /** One sentence for each deviation. */
  readonly notes: readonly string[]
}

/** The field of the specification, and what it is called in the field. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  sender_agent_id: ['sender_agent', 'sender'],
  timestamp_dispatched: ['timestamp_dispatched_utc', 'timestamp_utc', 'timestamp'],
  message_id: ['id'],
  params: ['parameters', 'payload'],
}

export function convertMessage(found: Readonly<Record<string, unknown>>): Converted {
  const value: Record<string, unknown> = { ...found }
  const notes: string[] = []
  for (const [field, names] of Object.entries(otherNames)) {
    if (value[field] !== undefined) continue
    const other = names.find((name) => value[name] !== undefined)
    if (other === undefined) continue
    value[field] = value[other]
    notes.push(`${other} is read as ${field}.`)
  }
  const at = value.timestamp_dispatched
  if (typeof at === 'string' && momentOf(at) === undefined) {
    const moment = momentOf(at, true)
    if (moment !== undefined) {
      value.timestamp_dispatched = isoOf(moment)
      notes.push(`The time ${at} is read as ${isoOf(moment)}.`)
    }
  }
  if (value.params === null) {
    value.params = {}
    notes.push('params is null, and read as an empty object.')
  }
  return { value, notes }
}

/** Lower is more urgent. */
const priorityWords: Readonly<Record<string, number>> = {
  critical: 1,
  urgent: 1,
  high: 2,
  medium: 3,
  normal: 3,
  low: 4,
}

/** A task as it stands in a list, with priorities and statuses in the words of the specification. */
export function convertTask(found: Readonly<Record<string, unknown>>): Converted {
  const value: Record<string, unknown> = { ...found }
  const notes: string[] = []
  const word = typeof value.priority === 'string' ? value.priority.trim().toLowerCase() : undefined
  const number =
    word === undefined ? undefined : (priorityWords[word] ?? (/^\d{1,6}$/.test(word) ? Number(word) : undefined))
  if (number !== undefined) {
    notes.push(`priority "${value.priority}" is read as ${number}.`)
    value.priority = number
  }
  if (typeof value.status === 'string' && value.status !== value.status.toUpperCase()) {
    notes.push(`status "${value.status}" is read as ${value.status.toUpperCase()}.`)
    value.status = value.status.toUpperCase()
  }
  for (const [field, fallback] of [
    ['depends_on', []],
    ['params', {}],
  ] as const) {
    if (value[field] !== undefined && value[field] !== null) continue
    value[field] = fallback
    notes.push(`${field} is missing, and read as empty.`)
  }
  return { value, notes }
}

/** The key of the list of tasks in an object: `tasks`, or the only member that is a list. */
export function listWithin(value: Readonly<Record<string, unknown>>): string | undefined {
  if (Array.isArray(value.tasks)) return 'tasks'
  const lists = Object.keys(value).filter((key) => Array.isArray(value[key]))
  return lists.length === 1 ? lists[0] : undefined
}
