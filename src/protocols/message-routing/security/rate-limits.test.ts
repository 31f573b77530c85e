import { beforeEach, describe, expect, it } from 'vitest'
import { tempDir } from '../../../../test/support/temp.ts'
import { openFileTree } from '../../../engines/file-system/index.ts'
import { type Bucket, parseBucket, printBucket, RateLimits, takeToken } from './rate-limits.ts'

const limit = { perMinute: 60, burst: 3 }

/** What becomes of messages at these seconds. */
function run(seconds: readonly number[], start = 1_000_000): string {
  let bucket: Bucket | undefined
  return seconds
    .map((second) => {
      const taken = takeToken(bucket, start + second * 1000, limit)
      if (taken.outcome === 'taken') bucket = taken.bucket
      return taken.outcome === 'taken' ? 'y' : 'n'
    })
    .join('')
}

describe('a bucket of three that gains one a second', () => {
  const cases: [seconds: number[], answers: string][] = [
    [[0, 0, 0, 0], 'yyyn'],
    [[0, 0, 0, 0.999, 1, 1], 'yyynyn'],
    [[0, 0, 0, 3, 3, 3, 3], 'yyyyyyn'],
    [[0, 1, 2, 3, 4, 5, 6, 7], 'yyyyyyyy'],
    // A refused message costs nothing.
    [[0, 0, 0, 0.5, 0.6, 0.7, 1], 'yyynnny'],
    // A little out of order counts as the later moment; a clock set back by much starts anew.
    [[2, 2, 2, 1.5, 1], 'yyynn'],
    [[10, 9, 9, 10], 'yyyn'],
    [[100, 100, 100, 0, 0, 0, 0], 'yyyyyyn'],
  ]
  for (const [seconds, answers] of cases) {
    it(`at ${seconds.join(', ')}: ${answers}`, () => {
      expect(run(seconds)).toBe(answers)
    })
  }

  it('says when to try again, and then it works', () => {
    let bucket: Bucket | undefined
    for (let i = 0; i < 3; i++) bucket = (takeToken(bucket, 5000, limit) as { bucket: Bucket }).bucket
    expect(takeToken(bucket, 5000, limit).outcome).toBe('empty')
    const empty = takeToken(bucket, 5200, limit)
    expect(empty).toEqual({ outcome: 'empty', retryAt: 6000 })
    expect([takeToken(bucket, 5999, limit).outcome, takeToken(bucket, 6000, limit).outcome]).toEqual(['empty', 'taken'])
  })

  it('is as deep as a minute gives unless said otherwise', () => {
    let bucket: Bucket | undefined
    for (let i = 0; i < 7; i++) bucket = (takeToken(bucket, 0, { perMinute: 7 }) as { bucket: Bucket }).bucket
    expect(takeToken(bucket, 0, { perMinute: 7 }).outcome).toBe('empty')
  })

  it('reads back what it prints, and takes nonsense for a full one', () => {
    const bucket = { fullAt: 1234.5, at: 1000 }
    expect(parseBucket(printBucket(bucket))).toEqual(bucket)
    for (const text of ['', '{}', '{"fullAt":"x","at":1}', '{"fullAt":1e999,"at":1}'])
      expect(parseBucket(text)).toBeUndefined()
  })
})

describe('rate limits', () => {
  let root: string
  beforeEach(() => {
    root = tempDir()
  })
  const open = async () => new RateLimits(await openFileTree({ root }), limit)

  it('count what all processes send together', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, open))
    const answers = await Promise.all(all.map((one) => one.takeForSending('coder-1', 1_000_000)))
    expect(answers.filter(({ outcome }) => outcome === 'taken')).toHaveLength(3)
    const late = await (await open()).takeForSending('coder-1', 1_000_000)
    expect(late).toEqual({ outcome: 'empty', retryAt: 1_001_000 })
  })

  it('know senders and inboxes apart', async () => {
    const limits = await open()
    const three = async (take: () => Promise<{ outcome: string }>) => {
      const answers: string[] = []
      for (let i = 0; i < 4; i++) answers.push((await take()).outcome)
      return answers.filter((one) => one === 'taken').length
    }
    expect(await three(() => limits.takeForSending('a', 0))).toBe(3)
    expect(await three(() => limits.takeForSending('b', 0))).toBe(3)
    expect(await three(() => limits.takeForReceiving('c', 'a', 0))).toBe(3)
    expect(await three(() => limits.takeForReceiving('d', 'a', 0))).toBe(3)
  })
})
