import { describe, expect, it } from 'vitest'
import { EditChecks } from './edit-checks.ts'

const named = (count: number) => new Map(Array.from({ length: count }, (_, n) => [`${n}.md`, n]))

/** How many seconds until all have been handed out, looking once a second. */
function secondsOf(names: ReadonlyMap<string, unknown>): number {
  const [checks, seen] = [new EditChecks(), new Set<string>()]
  let now = 5000
  checks.next(names, now)
  for (let seconds = 1; ; seconds++) {
    now += 1000
    for (const name of checks.next(names, now)) seen.add(name)
    if (seen.size === names.size) return seconds
  }
}

describe('EditChecks', () => {
  it.each([
    [1, 1],
    [100, 4],
    [1500, 4],
    [10_000, 25],
    [100_000, 250],
  ])('goes round %i names in %i seconds', (count, seconds) => {
    expect(secondsOf(named(count))).toBe(seconds)
  })

  it('hands out nothing before a second has gone by, and all of them after a long time', () => {
    const [checks, names] = [new EditChecks(), named(1000)]
    expect(checks.isDue(0)).toBe(true)
    expect(checks.next(names, 0)).toEqual([])
    expect([checks.isDue(999), checks.next(names, 999)]).toEqual([false, []])
    expect(checks.next(names, 2000)).toHaveLength(500)
    expect(new Set(checks.next(names, 1e9)).size).toBe(1000)
  })

  it('goes on from a clock that was set back', () => {
    const [checks, names] = [new EditChecks(), named(8)]
    checks.next(names, 1e9)
    expect([checks.isDue(5), checks.next(names, 5), checks.isDue(5)]).toEqual([true, [], false])
    expect(checks.next(names, 1005)).toHaveLength(2)
  })

  it('passes over names that went, and comes to those that came', () => {
    const [checks, names] = [new EditChecks(), named(8)]
    checks.next(names, 0)
    expect(checks.next(names, 1000)).toEqual(['0.md', '1.md'])
    names.delete('2.md')
    names.set('new.md', 8)
    expect(checks.next(names, 2000)).toEqual(['3.md', '4.md'])
    // Whatever came meanwhile has just been read: it is in the next round.
    expect(checks.next(names, 4000)).toEqual(['5.md', '6.md', '7.md', '0.md'])
    expect(checks.next(names, 8000)).toEqual(['1.md', '3.md', '4.md', '5.md', '6.md', '7.md', 'new.md', '0.md'])
    names.clear()
    expect(checks.next(names, 9000)).toEqual([])
  })
})
