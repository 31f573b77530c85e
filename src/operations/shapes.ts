/** Shapes that answers of many operations share. */
import { oneOf } from '../kernel/shape.ts'

export const durability = oneOf('process', 'batch', 'full')

/** Sentences that a caller should know besides. */
export const notices = ['advice'] as const

/** What dead agents held, and other agents can have now. */
export const freed = [{ agent: 'text', why: 'text', what: 'text' }] as const

/** What the bridge has carried to another protocol, and what it has ended. */
export const carried = [{ from: 'text', to: 'text' }] as const
export const settled = [{ from: 'text', 'to?': 'text', outcome: oneOf('completed', 'failed') }] as const

/** A message as a list shows it, in every protocol (`Headline`). */
export const headline = {
  protocol: 'text',
  id: 'text',
  from: 'text',
  to: 'text',
  state: 'text',
  path: 'text',
  summary: 'text',
  createdAt: 'time',
  'place?': 'text',
} as const

/** A message in neutral words, without the record of its protocol (`Envelope`). */
export const envelope = {
  ...headline,
  handle: 'text',
  kind: oneOf('ask', 'tell', 'answer'),
  stage: oneOf('written', 'claimed', 'shown', 'finished', 'failed'),
  urgency: oneOf('high', 'normal', 'low'),
  needsAnswer: 'flag',
  dependsOn: ['text'],
  attachments: ['text'],
  'replyTo?': 'text',
  'thread?': 'text',
  'task?': 'text',
  'deadline?': 'text',
  'origin?': { protocol: 'text', handle: 'text', digest: 'text', hops: 'integer' },
  'claim?': { by: 'text', 'attempt?': 'integer', 'until?': 'time' },
} as const
