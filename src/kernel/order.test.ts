import { describe, expect, it } from 'vitest'
import { inOrder, type Ordered } from './order.ts'

describe('the order of messages', () => {
  it.each<[string, Ordered, Ordered]>([
    ['priority before time', { priority: 1, time: 9, id: 'b' }, { priority: 2, time: 1, id: 'a' }],
    ['time before number', { time: 1, sequence: 9, id: 'b' }, { time: 2, sequence: 1, id: 'a' }],
    [
      'number before sender',
      { time: 1, sequence: 1, from: 'z', id: 'b' },
      { time: 1, sequence: 2, from: 'a', id: 'a' },
    ],
    ['sender before id', { time: 1, from: 'a', id: 'b' }, { time: 1, from: 'b', id: 'a' }],
    ['id, by code unit', { time: 1, id: 'B' }, { time: 1, id: 'a' }],
  ])('goes by %s', (_, first, second) => {
    expect([second, first].sort(inOrder)).toEqual([first, second])
    expect([inOrder(first, second) < 0, inOrder(second, first) > 0, inOrder(first, { ...first })]).toEqual([
      true,
      true,
      0,
    ])
  })
})
