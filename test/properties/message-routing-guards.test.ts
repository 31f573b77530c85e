/** What holds for whatever is signed, measured, limited or agreed on. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { convert } from '../../src/protocols/message-routing/compat.ts'
import {
  countOf,
  emptyHistogram,
  merge,
  observe,
  percentile,
} from '../../src/protocols/message-routing/metrics/histogram.ts'
import {
  addLatency,
  emptySnapshot,
  latencyMetrics,
  mergeSnapshots,
  readSnapshot,
} from '../../src/protocols/message-routing/metrics/snapshot.ts'
import { printCanonical } from '../../src/protocols/message-routing/security/canonical.ts'
import {
  type Bucket,
  parseBucket,
  printBucket,
  takeToken,
} from '../../src/protocols/message-routing/security/rate-limits.ts'
import { compareVersions, negotiate, parseVersion } from '../../src/protocols/message-routing/versions.ts'

const numRuns = Number(process.env.SIGNALBOX_PROPERTY_RUNS ?? 400)
const seed = Number(process.env.SIGNALBOX_PROPERTY_SEED ?? 20250704)
const check = <T>(arbitrary: fc.Arbitrary<T>, test: (value: T) => void) =>
  fc.assert(fc.property(arbitrary, test), { numRuns, seed })

const json = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' })

/** The same value with the keys of every object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  )
}

describe('canonical JSON', () => {
  it('says the same as the value', () => {
    check(json, (value) => {
      expect(JSON.parse(printCanonical(value))).toEqual(JSON.parse(JSON.stringify(value)))
    })
  })

  it('does not depend on the order of keys or on layout', () => {
    check(json, (value) => {
      expect(printCanonical(reversed(value))).toBe(printCanonical(value))
      expect(printCanonical(JSON.parse(JSON.stringify(value, null, 3)))).toBe(printCanonical(value))
    })
  })

  it('is its own canonical form, and two values share it only when they are equal', () => {
    check(fc.tuple(json, json), ([a, b]) => {
      const text = printCanonical(a)
      expect(printCanonical(JSON.parse(text))).toBe(text)
      const isSame = JSON.stringify(reversed(sorted(a))) === JSON.stringify(reversed(sorted(b)))
      expect(printCanonical(b) === text).toBe(isSame)
    })
  })
})

/** By another way than the one under test: objects become lists of pairs in the order of their keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return ['list', ...value.map(sorted)]
  if (typeof value !== 'object' || value === null) return value
  const pairs = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const)
  return ['object', ...pairs.sort(([a], [b]) => (a < b ? -1 : 1))]
}

const latency = fc.double({ min: 0, max: 20_000, noNaN: true })
const histogram = fc.array(latency, { maxLength: 30 }).map((values) => values.reduce(observe, emptyHistogram))
const snapshot = fc
  .array(fc.tuple(fc.constantFrom(...latencyMetrics), latency, fc.nat({ max: 5 })), { maxLength: 20 })
  .map((all) => all.reduce((sum, [metric, value, at]) => addLatency(sum, metric, value, at), emptySnapshot))

describe('histograms', () => {
  it('merge to the same in every order, and lose nothing', () => {
    check(fc.tuple(histogram, histogram, histogram), ([a, b, c]) => {
      expect(merge(a, b)).toEqual(merge(b, a))
      expect(merge(merge(a, b), c)).toEqual(merge(a, merge(b, c)))
      expect(merge(a, emptyHistogram)).toEqual(a)
      expect(countOf(merge(a, b))).toBe(countOf(a) + countOf(b))
    })
  })

  it('merge with their last slow step to the same in every order, and read back', () => {
    check(fc.tuple(snapshot, snapshot, snapshot), ([a, b, c]) => {
      const merged = mergeSnapshots(mergeSnapshots(a, b), c)
      expect(mergeSnapshots(c, mergeSnapshots(b, a))).toEqual(merged)
      expect(readSnapshot(JSON.parse(JSON.stringify(merged)))).toEqual(merged)
    })
  })

  it('have percentiles that grow and end at the longest', () => {
    check(fc.array(latency, { minLength: 1, maxLength: 40 }), (values) => {
      const all = values.reduce(observe, emptyHistogram)
      const steps = [0.01, 0.25, 0.5, 0.9, 0.99, 1].map((share) => percentile(all, share)!)
      for (const [index, step] of steps.entries()) expect(step).toBeGreaterThanOrEqual(steps[index - 1] ?? 0)
      expect(steps.at(-1)).toBe(all.maxUs / 1000)
    })
  })
})

const limits = fc.record({ perMinute: fc.integer({ min: 1, max: 6000 }), burst: fc.integer({ min: 1, max: 50 }) })

describe('a token bucket', () => {
  it('never gives more than its depth and what time adds, in any stretch of time', () => {
    check(fc.tuple(limits, fc.array(fc.nat({ max: 5000 }), { maxLength: 60 })), ([limit, pauses]) => {
      let now = 1_700_000_000_000
      let bucket: Bucket | undefined
      const taken: number[] = []
      for (const pause of pauses) {
        now += pause
        const answer = takeToken(bucket, now, limit)
        if (answer.outcome === 'taken') {
          bucket = answer.bucket
          taken.push(now)
        } else expect(answer.retryAt).toBeGreaterThan(now)
      }
      for (const [first, from] of taken.entries()) {
        for (const [last, to] of taken.entries()) {
          if (last < first) continue
          // One token of slack for the half millisecond that the clock cannot show.
          const allowed = limit.burst + ((to - from + 1) * limit.perMinute) / 60_000
          expect(last - first + 1).toBeLessThanOrEqual(Math.floor(allowed + 1e-6))
        }
      }
    })
  })

  it('gives at the moment it names, and holds between nothing and its depth', () => {
    check(fc.tuple(limits, fc.array(fc.nat({ max: 5000 }), { maxLength: 60 })), ([limit, pauses]) => {
      let now = 1_700_000_000_000
      let bucket: Bucket | undefined
      for (const pause of pauses) {
        now += pause
        const answer = takeToken(bucket, now, limit)
        if (answer.outcome === 'taken') bucket = answer.bucket
        else expect(takeToken(bucket, Math.ceil(answer.retryAt), limit).outcome).toBe('taken')
        const missing = bucket ? Math.max(0, bucket.fullAt - now) / (60_000 / limit.perMinute) : 0
        expect(missing).toBeLessThan(limit.burst + 1)
        expect(bucket && parseBucket(printBucket(bucket))).toEqual(bucket)
      }
    })
  })
})

const version = fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 12 }), fc.nat({ max: 3 })).map((parts) => parts.join('.'))
const versions = fc.array(version, { maxLength: 8 })

describe('agreeing on a version', () => {
  it('gives both sides the same, one that both speak, and none that is higher', () => {
    check(fc.tuple(versions, versions), ([ours, theirs]) => {
      const common = negotiate(ours, theirs)
      expect(negotiate(theirs, ours)).toBe(common)
      const shared = ours.filter((one) => theirs.includes(one))
      if (common === undefined) expect(shared).toEqual([])
      else {
        expect(shared).toContain(common)
        for (const one of shared)
          expect(compareVersions(parseVersion(one)!, parseVersion(common)!)).toBeLessThanOrEqual(0)
      }
    })
  })
})

describe('reading what the field writes', () => {
  it('never throws, keeps every field, and changes nothing the second time', () => {
    const field = fc.constantFrom('version', 'msg_id', 'timestamp', 'type', 'payload', 'signature', 'x', '__proto__')
    const value = fc.oneof(json, fc.integer({ min: 0 }), fc.constantFrom('1.1', 'msg-17-001', 'STATUS_UPDATE'))
    check(fc.array(fc.tuple(field, value)), (members) => {
      const found = Object.fromEntries(members)
      const once = convert(found).value as object
      expect(Object.keys(once)).toEqual(Object.keys(found))
      expect(convert(once).value).toEqual(once)
    })
  })
})
