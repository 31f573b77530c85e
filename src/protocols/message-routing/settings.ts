/** What can be configured about Message Routing, with the values used when nothing is said. */
export interface MrSettings {
  /** The folder that holds one folder for each agent. */
  readonly root: string
  /** How many messages an inbox holds; the next one evicts the oldest. */
  readonly inboxLimit: number
  /** The largest message, in bytes of its file. */
  readonly largestMessage: number
  /** More agents than this are warned about; nobody is refused. */
  readonly agentsExpected: number
  /** What was taken, evicted or rejected is kept for this long … */
  readonly keepMs: number
  /** … and up to this many bytes of disk in each of these folders, in blocks of 4 KiB; then the oldest go. */
  readonly keepBytes: number
  /** What is not JSON must be this old before it is rejected: another program may still be writing it. */
  readonly settleMs: number
}

export const defaultSettings: MrSettings = {
  root: 'state/agents',
  inboxLimit: 100,
  largestMessage: 10_240,
  agentsExpected: 20,
  keepMs: 7 * 24 * 60 * 60 * 1000,
  keepBytes: 4 * 1024 * 1024,
  settleMs: 250,
}
