/** The four metrics of the specification, as Prometheus text and figures. Pure. Spec: Message Routing, "Performance Monitoring". */
import type { Alert, Measured } from './alerts.ts'
import { bounds, countOf, type Histogram, percentile } from './histogram.ts'
import { type LatencyMetric, latencyMetrics } from './snapshot.ts'

interface Metrics extends Measured {
  /** Counted from the log of evictions, which loses none. */
  readonly evictions: number
}

const help = {
  message_write_latency_ms: 'Milliseconds from the call to send until the file is in the inbox.',
  message_read_latency_ms: 'Milliseconds from the call to receive until the messages are parsed.',
  inbox_depth: 'Messages waiting in the inbox of an agent.',
  eviction_count: 'Messages evicted because an inbox was full.',
} as const

/** The text format of Prometheus, version 0.0.4. Names of agents and the help texts need no escaping. */
export function printPrometheus({ latencies, depths, evictions }: Metrics): string {
  const depthSamples = [...depths].map(([agent, depth]): Sample => [`{agent="${agent}"}`, depth])
  return [
    ...latencyMetrics.map((name) => printFamily(name, 'histogram', histogramSamples(latencies[name]))),
    printFamily('inbox_depth', 'gauge', depthSamples),
    printFamily('eviction_count', 'counter', [['', evictions]]),
  ].join('')
}

/** `suffix`: what follows the name of the metric. */
type Sample = readonly [suffix: string, value: number]

function printFamily(name: keyof typeof help, type: string, samples: readonly Sample[]): string {
  const lines = samples.map(([suffix, value]) => `${name}${suffix} ${value}\n`)
  return `# HELP ${name} ${help[name]}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

/** Buckets are cumulative and end with `+Inf`, which equals the count. */
function histogramSamples({ counts, sumUs }: Histogram): Sample[] {
  let sum = 0
  const buckets = counts.map((count, index): Sample => {
    sum += count
    return [`_bucket{le="${bounds[index] ?? '+Inf'}"}`, sum]
  })
  return [...buckets, ['_sum', sumUs / 1000], ['_count', sum]]
}

/** In milliseconds; only a count of 0 where nothing was measured yet. */
export interface Latencies {
  readonly count: number
  readonly p50?: number
  readonly p90?: number
  readonly p99?: number
  readonly max?: number
  readonly mean?: number
}

export function latenciesOf(histogram: Histogram): Latencies {
  const count = countOf(histogram)
  const [p50, p90, p99] = [0.5, 0.9, 0.99].map((share) => percentile(histogram, share))
  if (p50 === undefined || p90 === undefined || p99 === undefined) return { count }
  const [max, mean] = [histogram.maxUs / 1000, histogram.sumUs / 1000 / count]
  const rounded = (milliseconds: number) => Math.round(milliseconds * 1000) / 1000
  return { count, p50: rounded(p50), p90: rounded(p90), p99: rounded(p99), max: rounded(max), mean: rounded(mean) }
}

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
  const { message_write_latency_ms: write, message_read_latency_ms: read } = measured.latencies
  return {
    metrics: {
      message_write_latency_ms: latenciesOf(write),
      message_read_latency_ms: latenciesOf(read),
      inbox_depth: Object.fromEntries(measured.depths),
      eviction_count: measured.evictions,
    },
    prometheus: printPrometheus(measured),
    alerts,
  }
}
