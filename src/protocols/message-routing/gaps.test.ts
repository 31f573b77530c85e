import { describe, expect, it } from 'vitest'
import { expectAgain, expectRestart, isCurrent, noteNumber, nothingSeen, type Seen, without } from './gaps.ts'

function noteAll(numbers: readonly number[], from: Seen = nothingSeen) {
  const told: string[] = []
  let seen = from
  for (const number of numbers) {
    const noted = noteNumber(seen, number)
    seen = noted.seen
    if (noted.skipped) told.push(`skipped ${noted.skipped.join('-')}`)
    if (noted.restartedAfter !== undefined) told.push(`restarted after ${noted.restartedAfter}`)
  }
  return { seen, told }
}

describe('numbers of one sender', () => {
  it.each([
    [[1, 2, 3], [], { last: 3, missing: [] }],
    [[3], ['skipped 1-2'], { last: 3, missing: [[1, 2]] }],
    [
      [1, 2, 5, 6, 9],
      ['skipped 3-4', 'skipped 7-8'],
      {
        last: 9,
        missing: [
          [3, 4],
          [7, 8],
        ],
      },
    ],
    [[1, 4, 3, 2], ['skipped 2-3'], { last: 4, missing: [] }],
    [
      [1, 5, 3],
      ['skipped 2-4'],
      {
        last: 5,
        missing: [
          [2, 2],
          [4, 4],
        ],
      },
    ],
    [[1, 2, 3, 1, 2], ['restarted after 3'], { last: 2, missing: [] }],
    [[4, 1], ['skipped 1-3'], { last: 4, missing: [[2, 3]] }],
    [[1, 1], [], { last: 1, missing: [] }],
    [[1, 2, 2], [], { last: 2, missing: [] }],
    [[1, 2 ** 52], [`skipped 2-${2 ** 52 - 1}`], { last: 2 ** 52, missing: [[2, 2 ** 52 - 1]] }],
  ] satisfies [number[], string[], Seen][])('[MR-2b] %j', (numbers, told, seen) => {
    expect(noteAll(numbers)).toEqual({ told, seen })
  })

  it('[MR-2b] remembers the last gaps only', () => {
    const numbers = Array.from({ length: 500 }, (_, i) => i * 2 + 1)
    expect(noteAll(numbers).seen.missing.length).toBe(64)
  })

  it('expects a message again that is put back, and then takes it for no restart', () => {
    const { seen } = noteAll([1, 2, 3])
    expect(noteAll([1], expectAgain(seen, 1))).toEqual({ told: [], seen: { last: 3, missing: [] } })
    expect(expectAgain(seen, 7)).toEqual(seen)
  })

  describe('with the times of their messages', () => {
    const noteTimed = (numbers: readonly (readonly [number: number, at: number])[], from: Seen = nothingSeen) => {
      const told: string[] = []
      let seen = from
      for (const [number, at] of numbers) {
        const noted = noteNumber(seen, number, at)
        seen = noted.seen
        if (noted.restartedAfter !== undefined) told.push(`restarted after ${noted.restartedAfter}`)
        if (noted.skipped) told.push(`skipped ${noted.skipped.join('-')}`)
      }
      return { seen, told }
    }
    const three = noteTimed([
      [1, 10],
      [2, 20],
      [3, 30],
    ]).seen

    it.each([
      [
        'a number that was lost after the restart',
        [
          [1, 40],
          [3, 60],
        ],
        ['restarted after 3', 'skipped 2-2'],
      ],
      [
        'number 1 that was lost',
        [
          [2, 50],
          [3, 60],
        ],
        ['restarted after 3', 'skipped 1-1'],
      ],
      ['a number twice, sent in one second', [[2, 30]], []],
      ['the highest number twice', [[3, 40]], []],
      [
        'a late copy of the first numbering',
        [
          [1, 40],
          [2, 25],
          [2, 50],
        ],
        ['restarted after 3'],
      ],
    ] satisfies [string, [number, number][], string[]][])('[MR-2b] tell of %s', (_, numbers, told) => {
      expect(noteTimed(numbers, three).told).toEqual(told)
    })

    it('[MR-2b] a restart that was announced is told, whatever number comes first', () => {
      const announced = expectRestart(three, 35)
      expect(noteTimed([[4, 40]], announced).told).toEqual(['restarted after 3', 'skipped 1-3'])
      expect(noteTimed([[2, 35]], announced).told).toEqual(['restarted after 3', 'skipped 1-1'])
      const onTheirWay = noteTimed(
        [
          [4, 34],
          [5, 35],
          [1, 40],
        ],
        announced,
      )
      expect(onTheirWay.told).toEqual(['restarted after 5'])
    })

    it('[MR-2b] what was sent before the restart does not fill a gap after it', () => {
      const { seen } = noteTimed([[1, 40]], three)
      expect([20, 30, 31, 50].map((at) => isCurrent(seen, at))).toEqual([false, false, true, true])
    })
  })

  it('takes a number out of whichever range it is in', () => {
    expect(
      without(
        [
          [1, 3],
          [5, 5],
        ],
        5,
      ),
    ).toEqual([[1, 3]])
    expect(without([[1, 3]], 2)).toEqual([
      [1, 1],
      [3, 3],
    ])
    const ranges = [[1, 3]] as const
    expect(without(ranges, 4)).toBe(ranges)
  })
})
