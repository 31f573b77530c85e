/** The order in which messages are handed out. Spec: Message Routing, "Message Ordering Guarantees". */
import { parseDateTime } from '../../formats/date-time.ts'
import { defaults, type MrMessage } from './schema.ts'

/** A message with the moment its timestamp means, so that it is worked out once. */
export interface Timed {
  readonly message: MrMessage
  readonly at: number
}

/** A valid message always has a readable time. */
export const momentOf = (message: MrMessage): number => parseDateTime(message.timestamp) ?? 0

/** By moment, number, sender and id. */
export const byTime = (a: Timed, b: Timed): number =>
  a.at - b.at ||
  a.message.sequence - b.message.sequence ||
  compare(a.message.from, b.message.from) ||
  compare(a.message.msg_id, b.message.msg_id)

/** The most urgent first, then as by time. */
export const byPriority = (a: Timed, b: Timed): number =>
  (b.message.priority ?? defaults.priority) - (a.message.priority ?? defaults.priority) || byTime(a, b)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
