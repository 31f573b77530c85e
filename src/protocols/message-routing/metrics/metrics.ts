/** The four metrics of the specification, as Prometheus text and as a table. Pure. Spec: "Performance Monitoring". */
import { countOf, type Histogram, percentile } from './histogram.ts'
import { type Family, histogramFamily, printFamilies } from './prometheus.ts'
import { latencyMetrics, type Snapshot } from './snapshot.ts'

export interface Metrics {
  readonly latencies: Snapshot
  /** Messages in each inbox, as listed just now. */
  readonly depths: ReadonlyMap<string, number>
  /** Counted in the log of evictions, which loses none. */
  readonly evictions: number
}

const help = {
  message_write_latency_ms: 'Milliseconds from the call to send until the file is in the inbox.',
  message_read_latency_ms: 'Milliseconds from the call to receive until the messages are parsed.',
  inbox_depth: 'Messages waiting in the inbox of an agent.',
  eviction_count: 'Messages evicted because an inbox was full.',
} as const

export function printPrometheus({ latencies, depths, evictions }: Metrics): string {
  const inSteps = latencyMetrics.map((name) => histogramFamily(name, help[name], latencies[name]))
  const depth: Family = {
    name: 'inbox_depth',
    type: 'gauge',
    help: help.inbox_depth,
    samples: [...depths].map(([agent, value]) => ({ labels: { agent }, value })),
  }
  const evicted: Family = {
    name: 'eviction_count',
    type: 'counter',
    help: help.eviction_count,
    samples: [{ value: evictions }],
  }
  return printFamilies([...inSteps, depth, evicted])
}

export interface LatencyRow {
  readonly metric: string
  readonly count: number
  readonly p50?: number
  readonly p90?: number
  readonly p99?: number
  readonly max?: number
  readonly mean?: number
}

/** One row for each latency, in milliseconds; without figures where nothing was measured. */
export const latencyRows = (latencies: Snapshot): LatencyRow[] =>
  latencyMetrics.map((metric) => rowOf(metric, latencies[metric]))

function rowOf(metric: string, histogram: Histogram): LatencyRow {
  const count = countOf(histogram)
  const [p50, p90, p99] = [0.5, 0.9, 0.99].map((share) => percentile(histogram, share))
  if (p50 === undefined || p90 === undefined || p99 === undefined) return { metric, count }
  const mean = histogram.sumUs / 1000 / count
  return {
    metric,
    count,
    p50: rounded(p50),
    p90: rounded(p90),
    p99: rounded(p99),
    max: rounded(histogram.maxUs / 1000),
    mean: rounded(mean),
  }
}

const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000
