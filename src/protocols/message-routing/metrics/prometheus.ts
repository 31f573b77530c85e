/** The text that Prometheus scrapes, version 0.0.4. Pure. */
import { bounds, countOf, type Histogram } from './histogram.ts'

export interface Sample {
  /** With its suffix: `_bucket`, `_sum`, `_count`; empty for none. */
  readonly suffix?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

export interface Family {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: readonly Sample[]
}

export const printFamilies = (families: readonly Family[]): string => families.map(printFamily).join('')

function printFamily({ name, type, help, samples }: Family): string {
  const lines = samples.map(({ suffix = '', labels = {}, value }) => {
    return `${name}${suffix}${printLabels(labels)} ${printNumber(value)}\n`
  })
  return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function printLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', '\\"')

function printNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  return String(value)
}

/** Buckets are cumulative and end with `+Inf`, which equals the count. */
export function histogramFamily(name: string, help: string, histogram: Histogram): Family {
  let sum = 0
  const buckets = histogram.counts.map((count, index) => {
    sum += count
    return { suffix: '_bucket', labels: { le: printNumber(bounds[index] ?? Number.POSITIVE_INFINITY) }, value: sum }
  })
  const totals = [
    { suffix: '_sum', value: histogram.sumUs / 1000 },
    { suffix: '_count', value: countOf(histogram) },
  ]
  return { name, type: 'histogram', help, samples: [...buckets, ...totals] }
}
