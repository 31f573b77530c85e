/** What answers of AC-MQ consist of. */
import { anyOf, oneOf } from '../../kernel/shape.ts'
import { queueNames, reportModes } from '../../protocols/ac-mq/index.ts'
import { headline, notices } from '../shapes.ts'

const { 'place?': _, ...ownHeadline } = headline

/** `AcmqView` */
export const message = {
  ...ownHeadline,
  mission: 'text',
  name: 'text',
  priority: 'integer',
  timeoutSeconds: 'integer',
  dependencies: ['text'],
  attempt: 'integer',
  'replyTo?': 'text',
  'envelope?': 'text',
  notices,
} as const

export const messageWithBody = { ...message, body: 'text' } as const

const archived = { ...ownHeadline, createdAt: 'text', mission: 'text', name: 'text', status: 'text' } as const

export const listedMessage = anyOf({ ...message, 'blocked?': 'text' }, archived)

export const queue = oneOf(...queueNames)
export const counts = { pending: 'integer', processing: 'integer', completed: 'integer', failed: 'integer' } as const

/** Files that cannot be read as messages. */
export const rejected = [{ path: 'text', reason: 'advice' }] as const

export const stalled = [{ message, since: 'time', overdueSeconds: 'integer' }] as const

export const milestones = [{ title: 'text', done: 'flag', line: 'integer' }] as const

export const repairs = [
  {
    what: oneOf('status', 'finished', 'duplicate', 'quarantined', 'waiting', 'strange', 'closed'),
    path: 'text',
    message: 'text',
  },
] as const

const leftOutReasons = ['binary', 'too-large', 'over-budget', 'outside', 'missing', 'not-a-file', 'unreadable'] as const

export const hydration = {
  document: 'text',
  included: [{ path: 'text', bytes: 'integer', tokens: 'integer', 'first?': 'integer' }],
  leftOut: [{ path: 'text', reason: oneOf(...leftOutReasons), detail: 'text' }],
  tokens: 'integer',
} as const

export const busDocuments = [
  {
    outcome: oneOf('made', 'renewed', 'unchanged'),
    path: 'text',
    trigger: oneOf('similarity', 'chain', 'milestone', 'query'),
    query: 'text',
    messages: ['text'],
    provider: 'text',
    summaryBy: 'text',
    'asked?': 'text',
  },
] as const

export const snapshot = {
  path: 'text',
  queue,
  messages: 'integer',
  detail: oneOf('summaries', 'full'),
} as const

export const moves = [{ from: 'text', to: 'text', cluster: 'text' }] as const

export const reportMode = oneOf(...reportModes)
