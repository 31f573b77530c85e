import { describe, expect, it } from 'vitest'
import type { DependencyState } from '../../dependencies.ts'
import type { Candidate } from './candidate.ts'
import { HeldBack } from './held-back.ts'

const candidate = (id: string): Candidate => ({
  name: `${id}.md`,
  id,
  to: 'gemini',
  priority: 3,
  time: 0,
  dependencies: [],
  summary: '',
})
const waitingFor = (on: string): DependencyState => ({ is: 'waiting', on, state: 'pending' })
const here = () => true
const elsewhere = () => false

describe('HeldBack', () => {
  it('finds by a short id what waits for a message, and for each of several', () => {
    const held = new HeldBack()
    held.park(candidate('b'), [waitingFor('11111111-aaaa')], here)
    held.park(candidate('c'), [waitingFor('11111111-aaaa'), waitingFor('22222222-bbbb')], here)
    const idsWaitingFor = (id: string) => held.waitingFor(id).map((one) => one.id)
    expect(idsWaitingFor('11111111')).toEqual(['b', 'c'])
    expect(idsWaitingFor('22222222-bbbb')).toEqual(['c'])
    expect(held.release('c.md')?.id).toBe('c')
    expect(idsWaitingFor('11111111-aaaa')).toEqual(['b'])
    expect(idsWaitingFor('22222222-bbbb')).toEqual([])
    expect([held.has('b.md'), held.has('c.md'), held.size]).toEqual([true, false, 1])
    expect(held.release('c.md')).toBeUndefined()
  })

  it('knows whose end to look for: those that others took and somebody waits for', () => {
    const held = new HeldBack()
    held.park(candidate('b'), [waitingFor('11111111-aaaa')], elsewhere)
    held.park(candidate('c'), [waitingFor('22222222-bbbb')], here)
    expect(held.away()).toEqual(['11111111-aaaa'])
    held.wentAway(candidate('22222222-bbbb'))
    held.wentAway(candidate('33333333-cccc'))
    expect(held.away()).toEqual(['11111111-aaaa', '22222222-bbbb'])
    held.waitingFor('11111111-aaaa')
    held.release('c.md')
    expect(held.away()).toEqual([])
    expect(held.awaySize).toBe(0)
  })

  it('keeps what is held back for another reason, too', () => {
    const held = new HeldBack()
    held.park(candidate('b'), [], here)
    expect(held.all()).toEqual([{ candidate: candidate('b'), states: [] }])
    expect(held.away()).toEqual([])
  })
})
