import { describe, expect, it } from 'vitest'
import { type DependencyState, explainWaiting } from './dependencies.ts'
import { WaitingCycles } from './waiting-cycles.ts'

const waitsFor = (on: string): DependencyState => ({ is: 'waiting', on, state: 'pending' })
const cyclesIn = (all: Record<string, readonly string[]>) =>
  new WaitingCycles(Object.entries(all).map(([id, dependencies]) => ({ id, dependencies })))

describe('the cycles among messages that wait', () => {
  it.each([
    // What waits, the message asked about, what holds it back, and what is said.
    [{ c1: ['msg:c2'], c2: ['c1'] }, 'c1', [waitsFor('c2')], 'it waits for itself: c1 → c2 → c1'],
    [{ c1: ['msg:c2'], c2: ['c1'] }, 'c2', [waitsFor('c1')], 'it waits for itself: c1 → c2 → c1'],
    [{ c1: ['msg:c2'], c2: ['c1'], c3: ['c1'] }, 'c3', [waitsFor('c1')], 'waits for c1 (pending)'],
    [
      { c1: ['c2', 'c4'], c2: ['c1'], c4: [] },
      'c1',
      [waitsFor('c4'), waitsFor('c2')],
      'it waits for itself: c1 → c2 → c1; waits for c4 (pending)',
    ],
    [{ a: ['b', 'c'], b: ['a'], c: ['a'] }, 'c', [waitsFor('a')], 'it waits for itself: c → a → c'],
    [
      { 'aaaaaaaa-1': ['msg:bbbbbbbb'], 'bbbbbbbb-1': ['aaaaaaaa'] },
      'bbbbbbbb-1',
      [waitsFor('aaaaaaaa')],
      'it waits for itself: aaaaaaaa-1 → bbbbbbbb-1 → aaaaaaaa-1',
    ],
    [
      { 'aaaaaaaa-1': ['bbbbbbbb'], 'bbbbbbbb-1': ['aaaaaaaa-1'], 'bbbbbbbb-2': [] },
      'bbbbbbbb-1',
      [waitsFor('aaaaaaaa-1')],
      'waits for aaaaaaaa-1 (pending)',
    ],
    [{ a: ['path:b'], b: ['a'] }, 'b', [waitsFor('a')], 'waits for a (pending)'],
  ])('%j: %s', (waiting, id, states, said) => {
    expect(explainWaiting(cyclesIn(waiting as Record<string, readonly string[]>).name(id, states))).toBe(said)
  })

  it('of twenty thousand cost no more than their sum', () => {
    const size = 20_000
    const next = (i: number) => `message-${(i + 1) % size}`
    const ring = Array.from({ length: size }, (_, i) => ({
      id: `message-${i}`,
      dependencies: [next(i), 'message-none'],
    }))
    const startedAt = performance.now()
    const cycles = new WaitingCycles(ring)
    const named = ring.filter(({ id }, i) => cycles.name(id, [waitsFor(next(i))])[0]?.is === 'cycle')
    expect(named).toHaveLength(size)
    expect(performance.now() - startedAt).toBeLessThan(5000)
  })
})
