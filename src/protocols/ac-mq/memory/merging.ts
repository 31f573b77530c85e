/**
 * When a snapshot of a queue is taken, and with how much detail: the feedback loop of AC-MQ §14.2. Pure. The threshold follows the
 * rate of the last hour: of a fast mission about four snapshots an hour are taken, with summaries; of a slow one with whole texts,
 * from 50 messages on.
 */
import { type QueueName, queueNames } from '../schema.ts'

export type Detail = 'summaries' | 'full'

export interface MergingState {
  /** Messages that were sent, by the time at which they were counted. Of the last hour. */
  readonly samples: readonly { readonly at: number; readonly count: number }[]
  readonly countedUntil: number
  readonly rate: number
  readonly threshold: number
  /** The last automatic snapshot of each queue. */
  readonly last: Readonly<Partial<Record<QueueName, { readonly at: number; readonly count: number }>>>
  /** The name of the snapshot whose completed messages are to be archived; absent when that has been done. */
  readonly coveredBy?: string
  readonly decisions: readonly Decision[]
}

export interface Decision {
  readonly at: number
  readonly queue: QueueName
  readonly did: 'snapshot' | 'waited'
  readonly reason: string
}

const hour = 60 * 60 * 1000
const leastThreshold = 50
const mostThreshold = 2000
const snapshotsAnHour = 4
const fastFrom = 60
const mostDecisions = 20
const mostSamples = 400
/** By so much the clock of the process that wrote the state may be ahead of ours. */
const mostAhead = 5 * 60 * 1000

export const nothingYet = (now: number): MergingState => ({
  samples: [],
  countedUntil: now - hour,
  rate: 0,
  threshold: leastThreshold,
  last: {},
  decisions: [],
})

export const detailFor = (rate: number): Detail => (rate >= fastFrom ? 'summaries' : 'full')

/** Counts the messages sent since the last count. `createdAt`: of the messages in all queues. */
export function withRate(state: MergingState, createdAt: readonly number[], now: number): MergingState {
  const count = createdAt.filter((at) => at > state.countedUntil && at <= now).length
  const fresh = count > 0 ? [...state.samples, { at: now, count }] : state.samples
  const samples = fresh.filter(({ at }) => at > now - hour && at <= now).slice(-mostSamples)
  const rate = samples.reduce((sum, one) => sum + one.count, 0)
  const threshold = Math.min(mostThreshold, Math.max(leastThreshold, Math.round(rate / snapshotsAnHour)))
  return { ...state, samples, countedUntil: Math.max(now, state.countedUntil), rate, threshold }
}

/** Whether a snapshot of a queue is taken now. `arrivedAt`: when each of its messages came into the queue. */
export function decide(state: MergingState, queue: QueueName, arrivedAt: readonly number[], now: number): Decision {
  const { threshold, last } = state
  const count = arrivedAt.length
  const before = last[queue]
  const decision = (did: Decision['did'], reason: string): Decision => ({ at: now, queue, did, reason })
  if (count < threshold) return decision('waited', `${count} messages, and the threshold is ${threshold}`)
  if (!before) return decision('snapshot', `${count} messages reach the threshold of ${threshold}`)
  const came = arrivedAt.filter((at) => at > before.at).length
  const changed = came + Math.max(0, before.count - (count - came))
  const news = `${changed} came or went since the last snapshot`
  return changed < threshold
    ? decision('waited', `${news}, and the threshold is ${threshold}`)
    : decision('snapshot', `${news}, which reaches the threshold of ${threshold}`)
}

/** A decision to wait that repeats the last one for the same queue is not added. */
export function withDecisions(state: MergingState, made: readonly Decision[]): MergingState {
  const news = made.filter(({ queue, did, reason }) => {
    const before = state.decisions.find((one) => one.queue === queue)
    return did === 'snapshot' || before?.did !== 'waited' || before.reason !== reason
  })
  const older = state.decisions.filter(
    (one) => !(one.did === 'waited' && news.some(({ queue, did }) => queue === one.queue && did === 'waited')),
  )
  return { ...state, decisions: [...news.toReversed(), ...older].slice(0, mostDecisions) }
}

/** Another program may have written this file: what is no state is ignored. */
export function readState(text: string, now: number): MergingState {
  const fallback = nothingYet(now)
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return fallback // A SyntaxError.
  }
  if (typeof given !== 'object' || given === null) return fallback
  const { samples, countedUntil, rate, threshold, last, coveredBy, decisions } = given as Record<string, unknown>
  const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0
  const isDecision = (one: Decision) =>
    isTime(one?.at) &&
    queueNames.includes(one.queue) &&
    ['snapshot', 'waited'].includes(one.did) &&
    typeof one.reason === 'string'
  const places = typeof last === 'object' && last !== null ? (last as MergingState['last']) : {}
  return {
    samples: listOf<MergingState['samples'][number]>(samples)
      .filter((one) => isTime(one?.at) && isTime(one.count))
      .slice(-mostSamples),
    countedUntil: isTime(countedUntil) && countedUntil <= now + mostAhead ? countedUntil : fallback.countedUntil,
    rate: isTime(rate) ? rate : 0,
    threshold: isTime(threshold) ? Math.min(mostThreshold, Math.max(leastThreshold, threshold)) : leastThreshold,
    last: Object.fromEntries(
      queueNames.flatMap((queue) => {
        const one = places[queue]
        // With a time in the future no snapshot of the queue would be taken until then.
        const isKnown = isTime(one?.at) && isTime(one?.count) && one.at <= now + mostAhead
        return isKnown ? [[queue, { at: one.at, count: one.count }]] : []
      }),
    ),
    ...(typeof coveredBy === 'string' && isSnapshotName(coveredBy) ? { coveredBy } : {}),
    decisions: listOf<Decision>(decisions)
      .filter(isDecision)
      .map(({ at, queue, did, reason }) => ({ at, queue, did, reason: reason.slice(0, 300) }))
      .slice(0, mostDecisions),
  }
}

const isSnapshotName = (name: string): boolean => /^completed-\d{14}(?:-\d{1,4})?\.md$/.test(name)

const listOf = <T>(value: unknown): readonly T[] => (Array.isArray(value) ? value : [])
