/** What the benchmark is made of. Nothing here measures anything. */
import { describe, expect, it } from 'vitest'
import { absentGoal } from '../../bench/acmq/absent.ts'
import { coldClaimGoal } from '../../bench/acmq/cold-claim.ts'
import { coldSendGoal } from '../../bench/acmq/cold-send.ts'
import { depthGoal } from '../../bench/acmq/depth.ts'
import { pickUpGoal } from '../../bench/acmq/pick-up.ts'
import { togetherGoal } from '../../bench/acmq/processes.ts'
import { stepGoals } from '../../bench/acmq/steps.ts'
import { compare } from '../../bench/measure.ts'
import { peerGoals } from '../../bench/peers/goals.ts'
import { peers } from '../../bench/peers/peers.ts'
import { printResult } from '../../bench/print.ts'
import { sections } from '../../bench/sections.ts'

describe('the sections', () => {
  it('each has a title that --only can tell from the others', () => {
    const titles = sections.map(({ title }) => title.split(/[:,]/)[0])
    for (const title of ['Engine', 'Durable', 'Cold start', 'Header', 'Neighbours']) {
      expect(titles.filter((one) => one === title)).toEqual([title])
    }
    expect(titles.filter((title) => title === 'AC-MQ')).toHaveLength(7)
    expect(new Set(sections.map(({ title }) => title)).size).toBe(sections.length)
  })

  it('AC-MQ is held to these goals', () => {
    expect({ stepGoals, depthGoal, absentGoal, togetherGoal, pickUpGoal, coldClaimGoal, coldSendGoal }).toEqual({
      stepGoals: { send: { atLeast: 0.6 }, claim: { atLeast: 0.35 }, lifecycle: { atLeast: 0.45 } },
      depthGoal: { atMost: 1.3 },
      absentGoal: { atMost: 3 },
      togetherGoal: { atLeast: 1.2 },
      pickUpGoal: { atMost: 2.5 },
      coldClaimGoal: { atMost: 10 },
      coldSendGoal: { atMost: 3.5 },
    })
  })

  it('every neighbour has a goal, and no goal is for a stranger', () => {
    expect(Object.keys(peerGoals).sort()).toEqual(peers.map(({ name }) => name).sort())
  })
})

describe('a figure', () => {
  const parts = { name: 'claim', against: 'a bare loop', unit: 'µs', ratio: 'speed' } as const

  it('takes each ratio within its round, and the median of those', () => {
    const figure = compare({ ...parts, ours: [1, 2, 100], theirs: [1, 1, 40], goal: { atLeast: 0.45 } })
    expect([figure.ratio, figure.spread]).toEqual([0.5, [0.4, 1]])
    expect(printResult('Title', { figures: [figure], notes: ['A note.'] })).toBe(
      'Title\n  claim  of a bare loop  0.50×  goal ≥ 0.45  met  2.00 : 1.00 µs    3 rounds 0.40–1.00\n  A note.\n',
    )
  })

  it('says when a goal is missed', () => {
    const figure = compare({ ...parts, ours: [2], theirs: [1], goal: { atLeast: 0.85 } })
    expect(printResult('', { figures: [figure], notes: [] })).toContain('goal ≥ 0.85  MISSED')
  })

  it('takes all rounds together where only some bear a cost', () => {
    const figure = compare({ ...parts, ratio: 'cost', ours: [1, 1, 10], theirs: [2, 2, 2], amortised: true })
    expect([figure.ratio, figure.amounts.ours]).toEqual([2, 4])
  })

  it('can be an amount, in its own unit', () => {
    const figure = {
      ...compare({ ...parts, ours: [0.4], theirs: [0.2], goal: { atMost: 0.5 } }),
      ratio: 0.4,
      unit: 'ms',
    }
    expect(printResult('', { figures: [figure], notes: [] })).toContain('claim  a bare loop  0.40 ms  goal ≤ 0.5  met')
  })
})
