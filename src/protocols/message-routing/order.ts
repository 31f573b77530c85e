/** The order in which messages are handed out. Spec: Message Routing, "Message Ordering Guarantees". */
import { parseDateTime } from '../../formats/date-time.ts'
import { inOrder, type Ordered } from '../../kernel/order.ts'
import { defaults, type MrMessage } from './schema.ts'

/** A message with its timestamp in milliseconds. */
export interface Timed {
  readonly message: MrMessage
  readonly at: number
}

/** A valid message always has a readable time. */
export const momentOf = (message: Pick<MrMessage, 'timestamp'>): number => parseDateTime(message.timestamp) ?? 0

/** By moment, number, sender and id. */
export const byTime = (a: Timed, b: Timed): number => inOrder(ordered(a), ordered(b))

/** The most urgent first, then as by time. */
export const byPriority = (a: Timed, b: Timed): number =>
  inOrder(ordered(a, -priorityOf(a)), ordered(b, -priorityOf(b)))

/** 10 is the most urgent. */
const priorityOf = ({ message }: Timed): number => message.priority ?? defaults.priority

const ordered = ({ message: { sequence, from, msg_id }, at }: Timed, priority = 0): Ordered => ({
  priority,
  time: at,
  sequence,
  from,
  id: msg_id,
})
