import { describe, expect, it } from 'vitest'
import { expectAgain, noteNumber, nothingSeen, type Seen, without } from './gaps.ts'

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
