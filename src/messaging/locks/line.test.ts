import { describe, expect, it } from 'vitest'
import { circleOf } from './line.ts'

describe('a circle', () => {
  it.each([
    ['nobody waits', [['a', 'x']], [], undefined],
    ['it is free', [], [['x', 'a']], undefined],
    [
      'of two',
      [
        ['a', 'x'],
        ['b', 'me'],
      ],
      [['x', 'b']],
      ['me', 'a', 'x', 'b', 'me'],
    ],
    [
      'of three',
      [
        ['a', 'x'],
        ['b', 'y'],
        ['c', 'me'],
      ],
      [
        ['x', 'b'],
        ['y', 'c'],
      ],
      ['me', 'a', 'x', 'b', 'y', 'c', 'me'],
    ],
    [
      'of others',
      [
        ['a', 'x'],
        ['b', 'y'],
      ],
      [
        ['x', 'b'],
        ['y', 'a'],
      ],
      undefined,
    ],
  ] as const)('%s', (_, held, waiting, expected) => {
    const leases = held.map(([resource, owner]) => ({ resource, owner }))
    const line = waiting.map(([owner, resource]) => ({ owner, resource }))
    expect(circleOf({ owner: 'me', resource: 'a' }, leases, line)).toEqual(expected)
  })
})
