/** What an AC-MQ message says, in the specification's own field names. Spec: AC-MQ §3.2, §4. */

export const queueNames = ['pending', 'processing', 'completed', 'failed'] as const
export type QueueName = (typeof queueNames)[number]
export type State = QueueName | 'archived'

export interface AcmqRecord {
  readonly id: string
  /** The full address of the mission: `parent/child` for a mission inside another. */
  readonly mission_id: string
  /** As the header spells it, or the time of the file where the header has none; `parseTime` reads it. */
  readonly timestamp: string
  readonly from: string
  readonly to: string
  /** Repeats the name of the queue folder. Where they differ, the folder counts. */
  readonly status: string
  /** 1 (first) to 5 (last). */
  readonly priority: number
  readonly timeout_seconds: number
  readonly dependencies: readonly string[]
  readonly summary: string
  /** Counted from 1, which is left out. A field of ours, not of the specification. */
  readonly attempt: number
  /** The message that this one answers. Ours too, as is `envelope`. */
  readonly reply_to?: string
  /** What a neutral draft says and no field of AC-MQ can, as JSON (`envelope.ts`). */
  readonly envelope?: string
}

export const forQueues = <T>(make: (queue: QueueName) => T): Record<QueueName, T> => ({
  pending: make('pending'),
  processing: make('processing'),
  completed: make('completed'),
  failed: make('failed'),
})

export const noDependencies: AcmqRecord['dependencies'] = Object.freeze([])

export const areSame = (some: readonly string[], others: readonly string[]): boolean =>
  some === others || (some.length === others.length && some.every((text, i) => text === others[i]))

export const standardTimeout = 3600
export const standardPriority = 3
/** Stands for the sender of a message that does not name one. */
export const unknownSender = 'unknown'

export const isQueueName = (text: string): text is QueueName =>
  text === 'pending' || text === 'processing' || text === 'completed' || text === 'failed'

/** The three reports of AC-MQ §16. Here, because loading `report.ts` would slow every command down. */
export const reportModes = ['bottom-up', 'top-down', 'holistic'] as const
export type ReportMode = (typeof reportModes)[number]
