import { expect, it } from 'vitest'
import { nextState, transitionNames, transitions } from './lifecycle.ts'
import { queueNames } from './schema.ts'

it.each([
  ['pending', 'claim', 'processing'],
  ['processing', 'renew', 'processing'],
  ['processing', 'release', 'pending'],
  ['processing', 'complete', 'completed'],
  ['processing', 'fail', 'failed'],
  ['processing', 'stall', 'failed'],
  ['failed', 'retry', 'pending'],
  ['pending', 'refuse', 'failed'],
  ['completed', 'archive', 'archived'],
] as const)('from %s, %s leads to %s', (from, transition, to) => {
  expect(nextState(from, transition)).toBe(to)
})

it.each(['pending', 'processing', 'completed'] as const)('a file in %s that is no message goes to failed', (queue) => {
  expect(nextState(queue, 'quarantine')).toBe('failed')
})

it.each(queueNames)('in %s a status is corrected in place, and a second copy set aside', (queue) => {
  expect(nextState(queue, 'correct')).toBe(queue)
  expect(nextState(queue, 'setAside')).toBe('archived')
})

it('knows no other way', () => {
  const states = [...queueNames, 'archived' as const]
  const ways = Object.fromEntries(
    states.map((from) => [from, transitionNames.filter((way) => nextState(from, way) !== undefined).sort()]),
  )
  expect(ways).toEqual({
    pending: ['claim', 'correct', 'quarantine', 'refuse', 'setAside'],
    processing: ['complete', 'correct', 'fail', 'quarantine', 'release', 'renew', 'setAside', 'stall'],
    completed: ['archive', 'correct', 'quarantine', 'setAside'],
    failed: ['correct', 'retry', 'setAside'],
    archived: [],
  })
  expect(Object.keys(transitions)).toEqual([...queueNames, 'archived'])
})
