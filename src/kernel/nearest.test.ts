import { expect, it } from 'vitest'
import { nearest } from './nearest.ts'

it.each([
  ['gemni', ['claude', 'gemini'], 'gemini'],
  ['mr1', ['mr', 'dream'], 'mr'],
  ['sned', ['send', 'show'], 'send'],
  ['GEMINI', ['gemini'], 'gemini'],
  // Words of one letter or two are as near to each other as to anything.
  ['a', ['b'], undefined],
  ['qa', ['qb'], undefined],
  ['zebra', ['claude'], undefined],
] as const)('%s among %j is %s', (typed, known, expected) => {
  expect(nearest(typed, known)).toBe(expected)
})
