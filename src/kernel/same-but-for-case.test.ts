import { describe, expect, it } from 'vitest'
import { sameButForCase } from './same-but-for-case.ts'

describe('names that differ by case alone', () => {
  it.each([
    ['Alpha', ['alpha'], 'alpha'],
    ['alpha', ['beta', 'ALPHA', 'Alpha'], 'ALPHA'],
    ['alpha', ['Alpha', 'alpha'], undefined],
    ['alpha', ['alpha'], undefined],
    ['alpha', ['alpha-2', 'alph'], undefined],
    ['alpha', [], undefined],
  ])('%s beside %j is taken for %s', (name, known, other) => {
    expect(sameButForCase(name, known)).toBe(other)
  })
})
