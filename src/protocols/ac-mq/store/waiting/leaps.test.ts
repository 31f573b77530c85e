import { describe, expect, it } from 'vitest'
import type { Candidate } from './candidate.ts'
import { Leaps } from './leaps.ts'

const candidate = (n: number, priority = 3): Candidate => ({
  name: `${n}.md`,
  id: `id-${n}`,
  to: 'gemini',
  priority,
  time: n,
  dependencies: [],
  summary: '',
})
const many = (count: number, priority = 3) => Array.from({ length: count }, (_, n) => candidate(n, priority))

describe('Leaps', () => {
  it('leaves nothing out for whoever meets nobody', () => {
    const leaps = new Leaps()
    expect(many(1000).filter((one) => leaps.skips(one))).toEqual([])
    expect(leaps.isBefore(Number.POSITIVE_INFINITY)).toBe(false)
  })

  it('leaps over some of the same priority after a loss, and gives them back before anything less urgent', () => {
    const leaps = new Leaps()
    // By chance how many, and now and then none.
    for (let i = 0; i < 100 && leaps.size === 0; i++) {
      leaps.lost(candidate(0), 1000)
      for (const one of many(100)) leaps.skips(one)
    }
    const { size } = leaps
    expect(size).toBeGreaterThan(0)
    expect(leaps.isBefore(4)).toBe(true)
    expect(leaps.isBefore(3)).toBe(false)
    expect(leaps.isOver).toBe(false)
    expect(leaps.takeBack()).toHaveLength(size)
    expect([leaps.size, leaps.isBefore(4)]).toEqual([0, false])
  })

  it('hands out each of them once, in any order', () => {
    const leaps = new Leaps()
    while (leaps.size < 50) {
      leaps.lost(candidate(0), 1000)
      for (let n = leaps.size; leaps.skips(candidate(n)); n++);
    }
    const names = Array.from({ length: leaps.size }, (_, n) => `${n}.md`)
    expect(names.map(() => leaps.take()?.name).sort()).toEqual(names.sort())
    expect([leaps.take(), leaps.size, leaps.isBefore(4)]).toEqual([undefined, 0, false])
  })

  it('leaps over nothing of another priority', () => {
    const leaps = new Leaps()
    for (let i = 0; i < 100; i++) {
      leaps.lost(candidate(0), 1000)
      expect(leaps.skips(candidate(1, 2))).toBe(false)
    }
  })

  it('keeps to the order where few are ready', () => {
    const leaps = new Leaps()
    for (let i = 0; i < 100; i++) {
      leaps.lost(candidate(0), 31)
      expect(leaps.skips(candidate(1))).toBe(false)
    }
  })

  it('leaves some to be offered after every loss, however many in a row', () => {
    const leaps = new Leaps()
    for (let i = 0; i < 100; i++) {
      leaps.lost(candidate(0), 40)
      expect(many(40).some((one) => !leaps.skips(one))).toBe(true)
      leaps.takeBack()
    }
  })
})
