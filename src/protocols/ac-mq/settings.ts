/** What can be configured about AC-MQ, with the values used when nothing is said. */
export interface AcmqSettings {
  /** The folder that holds the missions. */
  readonly root: string
  /** For messages that do not say how long they may take. */
  readonly timeoutSeconds: number
  /** Bodies larger than this many bytes are stored in `context/` and referred to. AC-MQ §10.2. */
  readonly largestBody: number
  /** Supervision archives what was completed longer ago than this. */
  readonly archiveAfterMs: number
  /** A malformed file must have stood still this long before it is set aside: it may still be being written. */
  readonly quarantineAfterMs: number
  /** Queues in which this many messages wait are remembered on disk; smaller ones are read as quickly. */
  readonly rememberFrom: number
}

export const defaultSettings: AcmqSettings = {
  root: 'llm/missions',
  timeoutSeconds: 3600,
  largestBody: 256 * 1024,
  archiveAfterMs: 7 * 24 * 60 * 60 * 1000,
  quarantineAfterMs: 5000,
  rememberFrom: 1000,
}
