import { expect, it } from 'vitest'
import { canMove, nextState, transitionNames, transitions } from './lifecycle.ts'
import { queueNames } from './schema.ts'

it('leads a message from folder to folder', () => {
  expect(nextState('pending', 'claim')).toBe('processing')
  expect(nextState('processing', 'complete')).toBe('completed')
  expect(nextState('processing', 'fail')).toBe('failed')
  expect(nextState('processing', 'stall')).toBe('failed')
  expect(nextState('failed', 'retry')).toBe('pending')
  expect(nextState('completed', 'archive')).toBe('archived')
  expect(nextState('pending', 'quarantine')).toBe('failed')
})

it('knows no other way', () => {
  const ways = [...queueNames, 'archived' as const].flatMap((from) =>
    transitionNames.filter((way) => canMove(from, way)),
  )
  expect(ways).toEqual(['claim', 'quarantine', 'complete', 'fail', 'stall', 'archive', 'retry'])
  expect(Object.keys(transitions)).toEqual([...queueNames, 'archived'])
})
