/** What was measured in a workspace, by all of its processes together. Pure. */
import type { Alert } from './alerts.ts'
import { type LatencyRow, latencyRows, type Metrics, printPrometheus } from './metrics.ts'
import type { LatencyMetric } from './snapshot.ts'

/** Percentiles, the longest and the mean, in milliseconds; only a count where nothing was measured yet. */
export type Latencies = Omit<LatencyRow, 'metric'>

export interface MrMetrics {
  /** By the names of the specification. */
  readonly metrics: Readonly<Record<LatencyMetric, Latencies>> & {
    /** Messages in each inbox now. */
    readonly inbox_depth: Readonly<Record<string, number>>
    readonly eviction_count: number
  }
  /** The same with all buckets, as Prometheus scrapes it. */
  readonly prometheus: string
  readonly alerts: readonly Alert[]
}

export function reportOf(measured: Metrics, alerts: readonly Alert[]): MrMetrics {
  const rows = latencyRows(measured.latencies).map(({ metric, ...row }) => [metric, row] as const)
  return {
    metrics: {
      ...(Object.fromEntries(rows) as Record<LatencyMetric, Latencies>),
      inbox_depth: Object.fromEntries(measured.depths),
      eviction_count: measured.evictions,
    },
    prometheus: printPrometheus(measured),
    alerts,
  }
}
