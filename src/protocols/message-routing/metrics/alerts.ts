/** Alerts for people: a value above its threshold, not at it. Pure. Spec: Message Routing, "Alerting Thresholds". */
import type { Metric } from '../hooks.ts'
import { defaultSettings, type Thresholds } from '../settings.ts'
import type { Latency, LatencyMetric } from './snapshot.ts'

/** Those of the specification; a workspace may set others. */
const { thresholds } = defaultSettings

type AlertMetric = keyof Thresholds

export interface Alert {
  readonly metric: AlertMetric
  readonly value: number
  readonly threshold: number
  readonly agent?: string
  /** When it was measured; missing for a measurement of this moment. */
  readonly at?: string
  /** One sentence for people. */
  readonly message: string
}

const isWatched = (metric: Metric): metric is AlertMetric => Object.hasOwn(thresholds, metric)

/** The alert that one measurement raises, if any. */
export function alertFor(
  metric: Metric,
  value: number,
  agent?: string,
  limits: Thresholds = thresholds,
): Alert | undefined {
  if (!isWatched(metric) || !(value > limits[metric])) return undefined
  const threshold = limits[metric]
  const message = `${sentences[metric](rounded(value), agent)}; the alert is at more than ${threshold}.`
  return { metric, value, threshold, ...(agent === undefined ? {} : { agent }), message }
}

const sentences: Readonly<Record<AlertMetric, (value: number, agent?: string) => string>> = {
  message_write_latency_ms: (value, agent) => `Writing a message${agent ? ` to ${agent}` : ''} took ${value} ms`,
  message_read_latency_ms: (value, agent) =>
    `Reading${agent ? ` the inbox of ${agent}` : ' an inbox'} took ${value} ms`,
  inbox_depth: (value, agent) => `The inbox${agent ? ` of ${agent}` : ''} holds ${value} messages`,
}

const rounded = (value: number): number => Math.round(value * 10) / 10

/** A slow step is reported for this long; afterwards only the histogram shows it. */
export const freshMs = 5 * 60 * 1000

export interface Measured {
  readonly latencies: Readonly<Record<LatencyMetric, Latency>>
  /** Messages in each inbox. */
  readonly depths: ReadonlyMap<string, number>
}

/** The current alerts: slow steps of the last minutes, and inboxes that are nearly full. */
export function standingAlerts({ latencies, depths }: Measured, now: number, limits: Thresholds = thresholds): Alert[] {
  const slow = (['message_write_latency_ms', 'message_read_latency_ms'] as const).flatMap((metric) => {
    const { slowAt, slowUs } = latencies[metric]
    const alert = slowAt > 0 && now - slowAt <= freshMs ? alertFor(metric, slowUs / 1000, undefined, limits) : undefined
    return alert ? [{ ...alert, at: new Date(slowAt).toISOString() }] : []
  })
  const full = [...depths].flatMap(([agent, depth]) => alertFor('inbox_depth', depth, agent, limits) ?? [])
  return [...slow, ...full]
}
