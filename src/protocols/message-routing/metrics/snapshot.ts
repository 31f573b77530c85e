/** What is kept of the latencies: a histogram each, and the last time one was above its alert threshold. Pure. */
import type { Metric } from '../hooks.ts'
import { defaultSettings, type Thresholds } from '../settings.ts'
import { bounds, emptyHistogram, type Histogram, merge, observe } from './histogram.ts'

export const latencyMetrics = ['message_write_latency_ms', 'message_read_latency_ms'] as const
export type LatencyMetric = (typeof latencyMetrics)[number]

export interface Latency extends Histogram {
  /** The last one above the threshold: when, and how long. 0 when there was none. */
  readonly slowAt: number
  readonly slowUs: number
}

export type Snapshot = Readonly<Record<LatencyMetric, Latency>>

const nothing: Latency = { ...emptyHistogram, slowAt: 0, slowUs: 0 }
export const emptySnapshot: Snapshot = { message_write_latency_ms: nothing, message_read_latency_ms: nothing }

export const isLatency = (metric: Metric): metric is LatencyMetric =>
  (latencyMetrics as readonly string[]).includes(metric)

export function addLatency(
  snapshot: Snapshot,
  metric: LatencyMetric,
  milliseconds: number,
  now: number,
  limits: Thresholds = defaultSettings.thresholds,
): Snapshot {
  const { slowAt, slowUs, ...histogram } = snapshot[metric]
  const slow =
    milliseconds > limits[metric] ? { slowAt: now, slowUs: Math.round(milliseconds * 1000) } : { slowAt, slowUs }
  return { ...snapshot, [metric]: { ...observe(histogram, milliseconds), ...slow } }
}

export const mergeSnapshots = (a: Snapshot, b: Snapshot): Snapshot => ({
  message_write_latency_ms: mergeLatency(a.message_write_latency_ms, b.message_write_latency_ms),
  message_read_latency_ms: mergeLatency(a.message_read_latency_ms, b.message_read_latency_ms),
})

function mergeLatency(a: Latency, b: Latency): Latency {
  // The later one; of two in the same millisecond the longer one, so that the order of merging does not matter.
  const isLater = a.slowAt > b.slowAt || (a.slowAt === b.slowAt && a.slowUs >= b.slowUs)
  const { slowAt, slowUs } = isLater ? a : b
  return { ...merge(a, b), slowAt, slowUs }
}

/** True when it tells of a slow step, and so of a moment. */
export const isSlow = (snapshot: Snapshot): boolean => latencyMetrics.some((metric) => snapshot[metric].slowAt > 0)

/** The same by a clock that is so far ahead of the one it was taken by. */
export const shifted = (snapshot: Snapshot, byMs: number): Snapshot => ({
  message_write_latency_ms: shiftedLatency(snapshot.message_write_latency_ms, byMs),
  message_read_latency_ms: shiftedLatency(snapshot.message_read_latency_ms, byMs),
})

const shiftedLatency = (latency: Latency, byMs: number): Latency =>
  latency.slowAt > 0 ? { ...latency, slowAt: Math.max(1, Math.round(latency.slowAt + byMs)) } : latency

/** Reads what `JSON.stringify` made of one; `undefined` for anything else, also for one with other buckets. */
export function readSnapshot(value: unknown): Snapshot | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { message_write_latency_ms: write, message_read_latency_ms: read } = value as Partial<
    Record<LatencyMetric, unknown>
  >
  return isLatencyRecord(write) && isLatencyRecord(read)
    ? { message_write_latency_ms: write, message_read_latency_ms: read }
    : undefined
}

function isLatencyRecord(value: unknown): value is Latency {
  if (typeof value !== 'object' || value === null) return false
  const { counts, sumUs, maxUs, slowAt, slowUs } = value as Partial<Record<keyof Latency, unknown>>
  return (
    Array.isArray(counts) &&
    counts.length === bounds.length + 1 &&
    [...counts, sumUs, maxUs, slowAt, slowUs].every((number) => Number.isFinite(number) && (number as number) >= 0)
  )
}
