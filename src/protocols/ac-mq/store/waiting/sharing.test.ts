import { describe, expect, it } from 'vitest'
import { noDependencies } from '../../schema.ts'
import type { Candidate } from './candidate.ts'
import { Sharing } from './sharing.ts'

const candidate = (number: number, priority = 3): Candidate => {
  const id = `${number.toString(16).padStart(8, '0')}-e5f6-4a7b-8c9d-0e1f2a3b4c5d`
  return { name: `${id}.md`, id, to: 'gemini', priority, time: number, dependencies: noDependencies, summary: '' }
}
const many = (count: number, priority?: number) => Array.from({ length: count }, (_, i) => candidate(i, priority))

const plenty = 1000

/** Works through a queue as `PendingIndex` does; answers what it was offered, in that order. */
function work(sharing: Sharing, queue: readonly Candidate[], isGone: (one: Candidate) => boolean) {
  const waiting = [...queue]
  const taken: Candidate[] = []
  const lost: Candidate[] = []
  let isFirst = true
  for (;;) {
    const priority = waiting[0]?.priority ?? Number.POSITIVE_INFINITY
    if (sharing.needsLook(priority)) sharing.keep((one) => !isGone(one))
    const back = sharing.fromAnEnd(priority)
    const one = back ?? waiting.shift()
    if (!one) return { taken, lost }
    if (!back && sharing.leaves(one, plenty)) continue
    if (isGone(one)) {
      lost.push(one)
      sharing.lost(one, isFirst, plenty)
    } else taken.push(one)
    isFirst = !isGone(one)
  }
}

describe('Sharing', () => {
  it('leaves nothing to others while nobody is met', () => {
    const queue = [...many(50, 1), ...many(50, 2)]
    const sharing = new Sharing()
    expect(work(sharing, queue, () => false)).toEqual({ taken: queue, lost: [] })
    expect(sharing.hasLeft).toBe(false)
  })

  it('takes everything that is there, whoever took what', () => {
    const queue = [...many(400, 1), ...many(400, 2)]
    for (const [what, isGone] of [
      ['every second', ({ time }: Candidate) => time % 2 === 0],
      ['the first', ({ time }: Candidate) => time < 100],
      ['the last', ({ time }: Candidate) => time >= 300],
      ['all but one', ({ time }: Candidate) => time !== 200],
    ] as const) {
      const sharing = new Sharing()
      const { taken } = work(sharing, queue, isGone)
      const all = taken.map(({ time, priority }) => `${priority}-${time}`).sort()
      expect(all, what).toEqual(
        queue
          .filter((one) => !isGone(one))
          .map(({ time, priority }) => `${priority}-${time}`)
          .sort(),
      )
    }
  })

  it('does not try everything that others took from the front or from the back', () => {
    for (const isGone of [({ time }: Candidate) => time < 500, ({ time }: Candidate) => time >= 500]) {
      const { lost } = work(new Sharing(), many(1000), isGone)
      expect(lost.length).toBeLessThan(40)
    }
  })

  it('helps those who are slower from the back, before anything less urgent', () => {
    const urgent = many(100, 1)
    const [gone] = urgent
    const { taken } = work(new Sharing(), [...urgent, ...many(100, 2)], (one) => one === gone)
    const before = taken.slice(0, 99)
    expect(before.every(({ priority }) => priority === 1)).toBe(true)
    const times = before.map(({ time }) => time)
    const turn = times.findIndex((time, i) => i > 0 && time < times[i - 1]!)
    const front = times.slice(0, turn - 1)
    expect(front).toEqual([...front].sort((a, b) => a - b))
    const back = times.slice(turn)
    expect(back).toEqual([...back].sort((a, b) => b - a))
  })

  it('calls for a look once a few have gone, and goes on with what is there', () => {
    const sharing = new Sharing()
    sharing.lost(candidate(0), true, plenty)
    const left = many(100, 1).filter((one) => sharing.leaves(one, plenty))
    for (let i = 0; i < 3; i++) {
      expect(sharing.needsLook(2)).toBe(false)
      sharing.lost(sharing.fromAnEnd(2)!, i === 0, plenty)
    }
    expect([sharing.needsLook(1), sharing.needsLook(2)]).toEqual([false, true])
    const there = left.slice(10, 12)
    sharing.keep((one) => there.includes(one))
    expect(sharing.needsLook(2)).toBe(false)
    const tried = [sharing.fromAnEnd(2), sharing.fromAnEnd(2), sharing.fromAnEnd(2)]
    expect(new Set(tried)).toEqual(new Set([...there, undefined]))
  })

  it('goes on at the other end where somebody else is helping too', () => {
    const sharing = new Sharing()
    sharing.lost(candidate(0), true, plenty)
    const left = many(100, 1).filter((one) => sharing.leaves(one, plenty))
    expect(sharing.fromAnEnd(2)).toBe(left.at(-1))
    const met = sharing.fromAnEnd(2)!
    expect(met).toBe(left.at(-2))
    sharing.lost(met, true, plenty)
    expect(sharing.fromAnEnd(2)).toBe(left[0])
    expect(sharing.fromAnEnd(2)).toBe(left[1])
  })

  it('divides few into no lanes, and goes on with one of the next', () => {
    const sharing = new Sharing()
    sharing.lost(candidate(0), true, 100)
    const few = many(100)
    const left = few.filter((one) => sharing.leaves(one, 100))
    expect(left.length).toBeLessThan(8)
    expect(left).toEqual(few.slice(0, left.length))
  })

  it('leaves nothing where few are ready: those are taken in strict order', () => {
    const sharing = new Sharing()
    for (let i = 0; i < 20; i++) sharing.lost(candidate(i), i % 2 === 0, 31)
    expect(many(100).some((one) => sharing.leaves(one, 31))).toBe(false)
    for (let i = 0; i < 20; i++) sharing.lost(candidate(i), i % 2 === 0, plenty)
    expect(many(100).some((one) => sharing.leaves(one, 31))).toBe(false)
    expect(sharing.hasLeft).toBe(false)
  })

  it('tries the most urgent of those left first, and none that is not more urgent than the next', () => {
    const sharing = new Sharing()
    sharing.lost(candidate(0), true, plenty)
    const [urgent] = many(100, 1).filter((one) => sharing.leaves(one, plenty))
    const [later] = many(100, 3).filter((one) => sharing.leaves(one, plenty))
    sharing.keep((one) => one === urgent || one === later)
    expect([sharing.fromAnEnd(1), sharing.fromAnEnd(2), sharing.fromAnEnd(2), sharing.fromAnEnd(3)]).toEqual([
      undefined,
      urgent,
      undefined,
      undefined,
    ])
    expect([sharing.fromAnEnd(4), sharing.hasLeft]).toEqual([later, false])
  })

  it('takes everything back at once', () => {
    const sharing = new Sharing()
    sharing.lost(candidate(0), true, plenty)
    const left = many(100).filter((one) => sharing.leaves(one, plenty))
    expect(left.length).toBeGreaterThan(20)
    expect(sharing.takeBack()).toEqual(left)
    expect([sharing.hasLeft, sharing.leaves(left[0]!, plenty), sharing.fromAnEnd(9)]).toEqual([false, false, undefined])
  })
})
