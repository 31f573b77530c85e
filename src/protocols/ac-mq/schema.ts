/** What an AC-MQ message says, in the specification's own field names. Spec: AC-MQ §3.2, §4. */

export const queueNames = ['pending', 'processing', 'completed', 'failed'] as const
export type QueueName = (typeof queueNames)[number]
export type State = QueueName | 'archived'

export interface AcmqRecord {
  readonly id: string
  /** The full address of the mission: `parent/child` for a mission inside another. */
  readonly mission_id: string
  /** The text that stands there, or the time of the file if none does; `parseTime` makes a time of it. */
  readonly timestamp: string
  readonly from: string
  readonly to: string
  /** A copy of where the file lies; the folder is the truth. */
  readonly status: string
  /** 1 (first) to 5 (last). */
  readonly priority: number
  readonly timeout_seconds: number
  readonly dependencies: readonly string[]
  readonly summary: string
  /** Which try this is. Ours, not the specification's; 1 when absent. */
  readonly attempt: number
  /** The message that this one answers. Ours, as is `envelope`: fields that AC-MQ does not know are kept. */
  readonly reply_to?: string
  /** What a neutral draft says and no field of AC-MQ can, as JSON (`envelope.ts`). */
  readonly envelope?: string
}

/** Something for each queue. */
export const forQueues = <T>(make: (queue: QueueName) => T): Record<QueueName, T> => ({
  pending: make('pending'),
  processing: make('processing'),
  completed: make('completed'),
  failed: make('failed'),
})

export const noDependencies: AcmqRecord['dependencies'] = Object.freeze([])

export function areSame(some: readonly string[], others: readonly string[]): boolean {
  if (some === others) return true
  if (some.length !== others.length) return false
  for (let i = 0; i < some.length; i++) if (some[i] !== others[i]) return false
  return true
}

export const standardTimeout = 3600
export const standardPriority = 3
/** Who sent a message that does not say so. */
export const unknownSender = 'unknown'

export const isQueueName = (text: string): text is QueueName =>
  text === 'pending' || text === 'processing' || text === 'completed' || text === 'failed'

/** The three reports of AC-MQ §16. Here, because `report.ts` is too much for a command to load. */
export const reportModes = ['bottom-up', 'top-down', 'holistic'] as const
export type ReportMode = (typeof reportModes)[number]
