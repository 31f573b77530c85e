import { describe, expect, it } from 'vitest'
import { lastAnswer } from './last-answer.ts'

describe('lastAnswer', () => {
  it('asks only for what is another question than the last', () => {
    const asked: string[] = []
    const upper = lastAnswer((text: string) => {
      asked.push(text)
      return text.toUpperCase()
    })
    expect(['a', 'a', 'b', 'a'].map(upper)).toEqual(['A', 'A', 'B', 'A'])
    expect(asked).toEqual(['a', 'b', 'a'])
  })

  it('remembers no failure', () => {
    let fails = true
    const sometimes = lastAnswer((text: string) => {
      if (fails) throw new Error('not now')
      return text
    })
    expect(() => sometimes('x')).toThrow('not now')
    fails = false
    expect(sometimes('x')).toBe('x')
  })
})
