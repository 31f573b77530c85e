import { describe, expect, it } from 'vitest'
import { verifies } from '../../test/support/verifies.ts'
import { openMemoryTree } from '../engines/memory/index.ts'
import { type Clock, heldClock } from '../kernel/clock.ts'
import { clockDisagreement, inWords, tellClock } from './clock-agreement.ts'
import type { Context } from './define.ts'

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]
const there = heldClock()
const tree = openMemoryTree({ clock: there })
const notices: string[] = []
const context = (clock: Clock) =>
  ({
    clock,
    tree: async () => tree,
    report: { notice: (text: string) => void notices.push(text) },
  }) as unknown as Context
const off = (by: number): Clock => ({ now: () => there.now() + by })
const found = async (by: number) => (await clockDisagreement(context(off(by)), tree))?.message

describe('a clock that disagrees with the tree', () => {
  verifies('X-clock', 'is told from more than a minute on, with both times', async () => {
    for (const by of [0, minute, -minute]) expect(await found(by)).toBeUndefined()
    expect(await found(-minute - 1000)).toBe(
      'The clock of this machine is 1 minute and 1 second behind the time of memory: 2025-12-31T23:58:59Z here, 2026-01-01T00:00:00Z there.',
    )
    expect(await found(2 * day)).toContain('is 2 days ahead of the time of memory: 2026-01-03T00:00:00Z here')
    expect(await found(1e17)).toContain('ms here')
  })

  verifies('X-clock', 'is told once, however often a process that stays asks', async () => {
    const staying = context(off(2 * day))
    for (let i = 0; i < 3; i++) await tellClock(staying)
    expect(notices).toEqual([expect.stringMatching(/^The clock of this machine is 2 days ahead .* Set the clock/)])
    await tellClock(context(off(0)))
    expect(notices).toHaveLength(1)
  })
})

describe('a time in words', () => {
  it.each([
    [0, '0 seconds'],
    [second, '1 second'],
    [61 * second, '1 minute and 1 second'],
    [2 * hour, '2 hours'],
    [2 * hour + second, '2 hours'],
    [2 * day + 3 * hour + 5 * minute, '2 days and 3 hours'],
    [400 * day, '400 days'],
  ])('%i ms is %s', (milliseconds, words) => {
    expect(inWords(milliseconds)).toBe(words)
  })
})
