/** Shapes that answers of operations of sessions share. */
import { anyOf, oneOf } from '../../kernel/shape.ts'

export const mail = {
  n: 'integer',
  from: 'text',
  to: 'text',
  'channel?': 'text',
  kind: 'text',
  'about?': 'text',
  text: 'text',
  sentAt: 'time',
  'redelivered?': 'flag',
} as const

const heldLock = { resource: 'text', owner: 'text', until: 'time', fence: 'integer' } as const
export const lock = { ...heldLock, waiting: [{ owner: 'text', priority: 'text' }] } as const

/** A line of the log. */
export const change = {
  n: 'integer',
  at: 'time',
  by: 'text',
  did: 'text',
  'about?': 'text',
  'text?': 'text',
  'to?': ['text'],
} as const

export const overview = {
  session: 'text',
  status: oneOf('running', 'ended'),
  isCurrent: 'flag',
  startedAt: 'time',
  keys: 'integer',
  tasks: 'integer',
  changes: 'integer',
} as const

/** An answer of the protocol to one line. What is asked back may name an operation. */
export const answers = {
  answered: { session: 'text', answer: 'text', lines: ['text'], exit: 'integer', 'lock?': heldLock },
  nothing: { session: 'text', answer: 'advice', lines: ['advice'], exit: 'integer' },
  refused: {
    'session?': 'text',
    answer: 'text',
    lines: ['text'],
    exit: 'integer',
    code: 'text',
    reason: 'advice',
    'at?': 'integer',
    'error?': { code: 'text', message: 'advice', hint: anyOf('advice', 'nothing') },
  },
} as const

export const translations = {
  command: { command: 'text' },
  commands: { commands: ['text'] },
  asked: {
    reason: oneOf('unclear', 'missing', 'destructive', 'either', 'several'),
    question: 'advice',
    'command?': 'text',
    'note?': 'text',
  },
} as const
