/** What the order of claiming needs of a waiting message, and that order. AC-MQ §4.2. */
import { type AcmqRecord, areSame, noDependencies } from '../../schema.ts'
import { timeOf } from '../../times.ts'

export interface Candidate {
  readonly name: string
  readonly id: string
  readonly to: string
  readonly priority: number
  readonly time: number
  readonly dependencies: readonly string[]
  /** Empty without dependencies: it is only told to a person who asks why a message waits. */
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

/** True when the header has not changed since it was read. */
export const isAsRemembered = (candidate: Candidate, record: AcmqRecord): boolean =>
  candidate.id === record.id &&
  candidate.to === record.to &&
  candidate.priority === record.priority &&
  candidate.time === timeOf(record.timestamp) &&
  areSame(candidate.dependencies, record.dependencies)
