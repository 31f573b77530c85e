/**
 * What the order of claiming needs to know of a waiting message, and that order; also as a label, where the tree keeps
 * labels: recipient, priority, time and id, so that labels sort in the order of claiming. AC-MQ §4.2.
 */
import { inOrder } from '../../../../kernel/order.ts'
import { type AcmqRecord, areSame, noDependencies } from '../../schema.ts'
import { timeOf } from '../../times.ts'

export interface Candidate {
  readonly name: string
  readonly id: string
  readonly to: string
  readonly priority: number
  readonly time: number
  readonly dependencies: readonly string[]
  /** Only where there are dependencies: a person who asks why a message waits is told what it is about. */
  readonly summary: string
}

export function candidateOf(name: string, record: AcmqRecord): Candidate {
  const { id, to, priority, dependencies, summary } = record
  const hasToWait = dependencies.length > 0
  return {
    name,
    id,
    to,
    priority,
    time: timeOf(record.timestamp),
    dependencies: hasToWait ? dependencies : noDependencies,
    summary: hasToWait ? summary : '',
  }
}

export const isBefore = (a: Candidate, b: Candidate): boolean =>
  a.priority !== b.priority ? a.priority < b.priority : a.time !== b.time ? a.time < b.time : a.id < b.id

/** True when the header still says what the candidate was judged by. */
export const isAsRemembered = (candidate: Candidate, record: AcmqRecord): boolean =>
  candidate.id === record.id &&
  candidate.to === record.to &&
  candidate.priority === record.priority &&
  candidate.time === timeOf(record.timestamp) &&
  areSame(candidate.dependencies, record.dependencies)

/** Ends the label of a message that has dependencies. */
const waits = 'waits'

export function labelOf(record: AcmqRecord): string {
  const { to, priority, timestamp, id, dependencies } = record
  // Times before 1970 count as 1970: digits with a sign would not sort.
  const parts = [to, priority, `${Math.max(0, timeOf(timestamp))}`.padStart(16, '0'), id]
  return (dependencies.length > 0 ? [...parts, waits] : parts).join(' ')
}

export const labelsFor = (recipients: readonly string[]): string[] => recipients.map((to) => `${to} `)

export type ByLabel = Candidate & { readonly mayWait: boolean }

export const foundBy = (labelled: readonly { readonly name: string; readonly label: string }[]): ByLabel[] =>
  labelled
    .map(({ name, label }) => {
      const [to = '', priority, time, id = '', mark] = label.split(' ')
      const order = { priority: Number(priority), time: Number(time) }
      return { name, id, to, ...order, dependencies: noDependencies, summary: '', mayWait: mark === waits }
    })
    .sort(inOrder)
