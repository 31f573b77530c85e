import { describe, expect, it } from 'vitest'
import { bounds, bucketOf, countOf, emptyHistogram, merge, observe, percentile } from './histogram.ts'

const of = (...values: number[]) => values.reduce(observe, emptyHistogram)

describe('a histogram', () => {
  it.each([
    [0, 0.1],
    [0.1, 0.1],
    [0.11, 0.2],
    [50, 50],
    [100, 100],
    [100.001, 200],
    [5000, 5000],
    [5000.1, undefined],
  ])('counts %d ms in the bucket up to %d', (value, bound) => {
    expect(bounds[bucketOf(value)]).toBe(bound)
  })

  it('has the targets and the thresholds of the specification as bounds', () => {
    expect(bounds).toEqual(expect.arrayContaining([10, 50, 100, 200]))
    expect([...bounds].sort((a, b) => a - b)).toEqual([...bounds])
  })

  it('knows how many, how long in all and the longest', () => {
    const histogram = of(0.5, 1.25, 7)
    expect([countOf(histogram), histogram.sumUs, histogram.maxUs]).toEqual([3, 8750, 7000])
    expect(emptyHistogram.counts.every((count) => count === 0)).toBe(true)
  })

  it('is what two processes measured together', () => {
    expect(merge(of(1, 2, 300), of(0.01, 9999))).toEqual(of(1, 2, 300, 0.01, 9999))
  })

  it('estimates percentiles within a bucket, and never above the longest', () => {
    expect(percentile(emptyHistogram, 0.5)).toBeUndefined()
    expect(percentile(of(3), 0.99)).toBeCloseTo(2.99, 5)
    const hundred = of(...Array.from({ length: 100 }, (_, index) => index + 1))
    expect([0.5, 0.9, 0.99, 1].map((share) => percentile(hundred, share))).toEqual([50, 90, 99, 100])
    expect(percentile(of(7000, 9000), 1)).toBe(9000)
    expect(percentile(of(7000, 9000), 0.5)).toBe(7000)
  })
})
