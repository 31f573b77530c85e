/** Shapes that answers of several operations of Dream.OS share. */
import { anyOf, oneOf } from '../../kernel/shape.ts'
import { durability, headline, notices } from '../shapes.ts'

/** A file of an inbox or outbox, without the message in it. */
export const header = { ...headline, file: 'text' } as const

/** Files that are no messages. */
export const rejected = [{ path: 'text', reason: 'text' }] as const

/** What became of a mailbox, and of how many messages in it. */
export const changedMailbox = { mailbox: 'integer', durability, count: 'integer' } as const

export const mailboxLine = {
  mailbox: 'integer',
  path: 'text',
  status: anyOf(oneOf('online', 'offline', 'idle', 'busy'), 'nothing'),
  agent: anyOf('text', 'nothing'),
  lastSeenAt: anyOf('time', 'nothing'),
  waiting: 'integer',
  inHand: 'integer',
  processed: 'integer',
  notices,
  'unreadable?': 'flag',
} as const

/** An outcome that is recorded, and one that was before. */
export const recorded = { line: 'record', durability, notices } as const
export const recordedBefore = { durability, notices } as const

export const answeredPlan = {
  outcome: oneOf('joined', 'refused', 'late', 'unchanged'),
  plan: 'text',
  planner: 'text',
  tasks: ['text'],
  reasons: ['text'],
} as const

/** A response of the bridge. */
export const response = {
  response: 'record',
  path: 'text',
  durability,
  'dispatched?': 'text',
  'copies?': ['text'],
  notices,
} as const

export const document = { path: 'text', durability } as const
