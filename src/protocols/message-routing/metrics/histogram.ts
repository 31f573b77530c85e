/**
 * How long something took, counted in buckets. Pure.
 *
 * Counts and sums are whole numbers, so that merging is exact, in whichever order processes write their measurements.
 */

/** The upper end of each bucket in milliseconds. Among them are the targets (50, 100) and alerts (100, 200) of the specification. */
export const bounds: readonly number[] = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]

export interface Histogram {
  /** One for each bound, and one for what took longer than the last. Not cumulative. */
  readonly counts: readonly number[]
  /** In whole microseconds. */
  readonly sumUs: number
  /** In whole microseconds. */
  readonly maxUs: number
}

export const emptyHistogram: Histogram = { counts: new Array(bounds.length + 1).fill(0), sumUs: 0, maxUs: 0 }

/** The first bucket whose bound is not exceeded, as Prometheus counts (`le`). */
export function bucketOf(milliseconds: number): number {
  const found = bounds.findIndex((bound) => milliseconds <= bound)
  return found < 0 ? bounds.length : found
}

export function observe(histogram: Histogram, milliseconds: number): Histogram {
  const us = Math.max(0, Math.round(milliseconds * 1000))
  const counts = [...histogram.counts]
  counts[bucketOf(milliseconds)]! += 1
  return { counts, sumUs: histogram.sumUs + us, maxUs: Math.max(histogram.maxUs, us) }
}

export const merge = (a: Histogram, b: Histogram): Histogram => ({
  counts: a.counts.map((count, index) => count + b.counts[index]!),
  sumUs: a.sumUs + b.sumUs,
  maxUs: Math.max(a.maxUs, b.maxUs),
})

export const countOf = ({ counts }: Histogram): number => counts.reduce((sum, count) => sum + count, 0)

/**
 * About how long the given share took at most, in milliseconds; `undefined` of an empty histogram. Observations count as spread
 * evenly within a bucket, as in Prometheus; the answer is never above the longest, which is exact.
 */
export function percentile(histogram: Histogram, share: number): number | undefined {
  const rank = share * countOf(histogram)
  if (rank === 0) return undefined
  let below = 0
  for (const [index, count] of histogram.counts.entries()) {
    if (below + count < rank || count === 0) {
      below += count
      continue
    }
    const max = histogram.maxUs / 1000
    const from = bounds[index - 1] ?? 0
    const to = Math.min(bounds[index] ?? max, max)
    return Math.min(max, from + (to - from) * ((rank - below) / count))
  }
  return histogram.maxUs / 1000
}
