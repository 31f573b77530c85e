/** What operations of Message Routing answer: messages, alerts and files that cannot be read. */
import { anyOf, oneOf } from '../../kernel/shape.ts'
import { headline, notices } from '../shapes.ts'

const folder = oneOf('inbox', 'taken', 'evicted', 'rejected')

/** `MrHeader`. The type is any text: another program may have one of its own. */
export const header = {
  ...headline,
  state: folder,
  type: 'text',
  sequence: 'integer',
  requiresAck: 'flag',
  priority: 'integer',
  'correlationId?': 'text',
  'isConverted?': 'flag',
  notices,
} as const

/** `KeptLine`. */
export const keptMessage = {
  id: 'text',
  path: 'text',
  movedAt: 'time',
  size: 'integer',
  message: anyOf(header, 'nothing'),
  'problem?': 'text',
} as const

/** What was recovered; of a message that a reader has taken since, little is known. */
export const recovered = anyOf(header, { protocol: 'text', id: 'text', to: 'text', state: folder, path: 'text' })

export const alerts = [
  {
    metric: oneOf('message_write_latency_ms', 'message_read_latency_ms', 'inbox_depth'),
    value: 'number',
    threshold: 'number',
    'agent?': 'text',
    'at?': 'time',
    message: 'text',
  },
] as const

/** Notices and alerts, and which of their sentences people have seen before. */
export const remarks = { notices, alerts, toldBefore: notices } as const

export const unreadable = [{ path: 'text', reason: 'text' }] as const
