import { describe, expect, it } from 'vitest'
import { Lanes } from './lanes.ts'

const ids = Array.from({ length: 4000 }, (_, i) => `${i.toString(16).padStart(8, '0')}-e5f6-4a7b-8c9d-0e1f2a3b4c5d`)
const mine = (lanes: Lanes) => ids.filter((id) => lanes.isMine(id))
/** Each chance in turn, again and again. */
const chances = (...values: number[]) => {
  let at = 0
  return () => values[at++ % values.length]!
}

describe('Lanes', () => {
  it('leaves everything to whoever meets nobody', () => {
    expect(mine(new Lanes())).toEqual(ids)
  })

  it('keeps to about a half after one lost race, and to the other half after the next', () => {
    const lanes = new Lanes(chances(0.5))
    lanes.change()
    const half = mine(lanes)
    expect(half.length).toBeGreaterThan(1600)
    expect(half.length).toBeLessThan(2400)
    lanes.change()
    expect(mine(lanes)).toEqual(ids.filter((id) => !half.includes(id)))
  })

  it('moves to another lane whatever chance says', () => {
    for (const chance of [0, 0.3, 0.999]) {
      const lanes = new Lanes(() => chance)
      for (let i = 0; i < 20; i++) {
        const before = new Set(mine(lanes))
        lanes.change()
        const after = mine(lanes)
        if (after.length < before.size) continue
        expect(after.filter((id) => before.has(id))).toEqual([])
      }
    }
  })

  it('never ends up with nothing of many messages, however often it loses', () => {
    const lanes = new Lanes()
    for (let i = 0; i < 1000; i++) lanes.change()
    expect(mine(lanes).length).toBeGreaterThan(20)
    lanes.leave()
    expect(mine(lanes)).toEqual(ids)
  })
})
