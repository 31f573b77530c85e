/** What is kept of the latencies: a histogram of each, and the last one above its alert threshold. Pure. */
import type { Metric } from '../hooks.ts'
import { isObject } from '../schema.ts'
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

const each = (latencyOf: (metric: LatencyMetric) => Latency): Snapshot => ({
  message_write_latency_ms: latencyOf('message_write_latency_ms'),
  message_read_latency_ms: latencyOf('message_read_latency_ms'),
})

export const mergeSnapshots = (a: Snapshot, b: Snapshot): Snapshot =>
  each((metric) => mergeLatency(a[metric], b[metric]))

function mergeLatency(a: Latency, b: Latency): Latency {
  // The later one; in the same millisecond the longer one, so that the order of merging does not matter.
  const isLater = a.slowAt > b.slowAt || (a.slowAt === b.slowAt && a.slowUs >= b.slowUs)
  const { slowAt, slowUs } = isLater ? a : b
  return { ...merge(a, b), slowAt, slowUs }
}

/** True when it holds a slow step, and so a time. */
export const isSlow = (snapshot: Snapshot): boolean => latencyMetrics.some((metric) => snapshot[metric].slowAt > 0)

/** Moves the times in a snapshot by the difference between two clocks. */
export const shifted = (snapshot: Snapshot, byMs: number): Snapshot =>
  each((metric) => {
    const { [metric]: latency } = snapshot
    return latency.slowAt > 0 ? { ...latency, slowAt: Math.max(1, Math.round(latency.slowAt + byMs)) } : latency
  })

/** A snapshot from JSON; `undefined` for any other value, also for a snapshot with other buckets. */
export function readSnapshot(value: unknown): Snapshot | undefined {
  if (!isObject(value) || !latencyMetrics.every((metric) => isLatencyRecord(value[metric]))) return undefined
  return each((metric) => value[metric] as Latency)
}

function isLatencyRecord(value: unknown): value is Latency {
  if (!isObject(value)) return false
  const { counts, sumUs, maxUs, slowAt, slowUs } = value
  return (
    Array.isArray(counts) &&
    counts.length === bounds.length + 1 &&
    [...counts, sumUs, maxUs, slowAt, slowUs].every((number) => Number.isFinite(number) && (number as number) >= 0)
  )
}
