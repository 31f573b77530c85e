import { describe, expect, it } from 'vitest'
import { dueBetween } from './turns.ts'

const names = Array.from({ length: 3000 }, (_, i) => `20250704103000-${i.toString(16).padStart(8, '0')}-from-a-to-b.md`)
const dueOf = (since: number, now: number, count: number) => {
  const isDue = dueBetween(since, now, count)
  return isDue ? names.filter(isDue) : []
}

describe('the turns in which names are read again', () => {
  it('come to everyone once in a round, in small parts', () => {
    const seen = new Map<string, number>()
    for (let second = 1000; second < 1008; second++) {
      const due = dueOf(second * 1000 - 1, second * 1000, 3000)
      expect(due.length).toBeLessThan(600)
      for (const name of due) seen.set(name, (seen.get(name) ?? 0) + 1)
    }
    expect([seen.size, new Set(seen.values())]).toEqual([3000, new Set([1])])
  })

  it('are the same whether one looks often or seldom', () => {
    const seldom = new Set(dueOf(1_000_500, 1_005_700, 3000))
    const often = [1_000_500, 1_001_100, 1_003_900, 1_005_700]
    const together = often.slice(1).flatMap((now, i) => dueOf(often[i]!, now, 3000))
    expect(new Set(together)).toEqual(seldom)
  })

  it.each([
    ['within the same second nobody is due', 1000, 1999, 0],
    ['after a whole round everybody is', 1000, 9000, 3000],
    ['after years everybody is', 0, 1.8e12, 3000],
    ['when the clock was set back everybody is', 90_000, 1000, 3000],
  ])('%s', (_, since, now, count) => {
    expect(dueOf(since, now, 3000)).toHaveLength(count)
  })

  it.each([
    [100, 4],
    [1000, 4],
    [10_000, 32],
    [100_000, 512],
  ])('make a round of %i names take %i seconds', (count, seconds) => {
    expect(dueOf(1000, 1000 + seconds * 1000, count)).toHaveLength(3000)
    expect(dueOf(1000, 1000 + (seconds - 1) * 1000, count).length).toBeLessThan(3000)
  })
})
