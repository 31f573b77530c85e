import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/support/verifies.ts'
import type { Clock } from '../../kernel/clock.ts'
import { ClusterTime } from './cluster-time.ts'

const hour = 60 * 60 * 1000
const off = (by: number): Clock => ({ now: () => Date.now() + by })
const nothing = async () => {}

/** Hears a member whose clock is this much ahead of the machine's, in an answer that took so long. */
function hear(time: ClusterTime, ahead = 0, tookMs = 2): void {
  const at = performance.now()
  time.heard(new Date(Date.now() + ahead).toUTCString(), at - tookMs, at)
}

const error = (time: ClusterTime, ahead = 0) => Math.abs(time.now() - (Date.now() + ahead))

describe('the time of the cluster', () => {
  for (const by of [3 * hour, -3 * hour, 48 * hour, -4000, 4000]) {
    verifies('X-clock', `is what its members say when our clock is ${by} ms off`, () => {
      const time = new ClusterTime(nothing, off(by))
      hear(time)
      expect(error(time)).toBeLessThan(1100)
    })
  }

  for (const by of [0, 500, -500, 1900, -1900]) {
    it(`is our own clock when that is ${by} ms off, which is not sure to be wrong`, () => {
      const own = Date.now() + by
      const time = new ClusterTime(nothing, { now: () => own })
      hear(time)
      expect(time.now()).toBe(own)
    })
  }

  it('is known the better the more answers come', () => {
    const time = new ClusterTime(nothing, off(hour))
    const base = performance.now()
    // Just before and just after a member's second begins.
    time.heard(new Date(1_000_000).toUTCString(), base, base + 1)
    time.heard(new Date(1_001_000).toUTCString(), base + 10, base + 11)
    const expected = 1_001_000 + performance.now() - (base + 5)
    expect(Math.abs(time.now() - expected)).toBeLessThan(20)
  })

  it('is the one that was told last, where members contradict each other', () => {
    const time = new ClusterTime(nothing, off(hour))
    hear(time)
    hear(time, -2 * hour)
    expect(error(time, -2 * hour)).toBeLessThan(1100)
  })

  it('is less sure after an answer that was long on its way', () => {
    const own = Date.now() + 5000
    const time = new ClusterTime(nothing, { now: () => own })
    hear(time, 0, 10_000)
    expect(time.now()).toBe(own)
  })

  it('is asked for once, if nobody has answered anything yet', async () => {
    let asked = 0
    const time = new ClusterTime(async () => {
      asked++
      hear(time)
    }, off(hour))
    await time.known()
    await time.known()
    expect([asked, error(time) < 1100]).toEqual([1, true])
  })

  it('is our own clock where answers do not say it, and they are not asked again', async () => {
    let asked = 0
    const own = Date.now() + hour
    const time = new ClusterTime(
      async () => {
        asked++
        time.heard(undefined, 0, 1)
        time.heard('yesterday', 0, 1)
      },
      { now: () => own },
    )
    await time.known()
    await time.known()
    expect([asked, time.now()]).toEqual([1, own])
  })

  it('is asked for again after a failure', async () => {
    let asked = 0
    const time = new ClusterTime(async () => {
      if (asked++ === 0) throw new Error('away')
    })
    await expect(time.known()).rejects.toThrow('away')
    await time.known()
    expect(asked).toBe(2)
  })
})
