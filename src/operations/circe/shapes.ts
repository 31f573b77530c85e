/** What operations of CIRCE answer: messages, tasks and changes. */
import { mapOf, oneOf } from '../../kernel/shape.ts'
import { messageStatuses, settableChecks, taskStatuses } from '../../protocols/circe/index.ts'
import { durability, headline, notices } from '../shapes.ts'

/** `CirceView`. */
export const message = {
  ...headline,
  state: oneOf('new', 'inbox', 'workspace', 'logged', 'rejected'),
  file: 'text',
  intent: 'text',
  'task?': 'text',
  status: oneOf(...messageStatuses),
  headers: mapOf('text'),
  notices,
} as const

/** `InboxLine`. */
export const inboxLine = {
  ...message,
  'agent?': 'text',
  ageSeconds: 'integer',
  isClaimed: 'flag',
  isAcknowledged: 'flag',
  'ownedBy?': 'text',
} as const

/** `TaskView`. */
export const task = {
  id: 'text',
  status: oneOf(...taskStatuses),
  'owner?': 'text',
  checks: Object.fromEntries([...settableChecks, 'ready_for_merge'].map((name) => [name, 'flag' as const])),
  'stalledSeconds?': 'integer',
  'startedAt?': 'time',
  'updatedAt?': 'time',
  'request?': { from: 'text', intent: 'text' },
  messages: [inboxLine],
  notices,
} as const

/** A change of one message. */
export const changedMessage = { message, durability } as const

/** A change of one task. */
export const changedTask = { task, durability } as const
