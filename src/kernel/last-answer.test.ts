import { describe, expect, it } from 'vitest'
import { lastAnswer, lastAnswers } from './last-answer.ts'

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

describe('lastAnswers', () => {
  const counting = (most: number) => {
    let asked = 0
    const answer = lastAnswers(most, (question: string) => ({ question, number: ++asked }))
    return { answer, asked: () => asked }
  }

  it('remembers several, and begins anew when there are too many', () => {
    const { answer, asked } = counting(2)
    const [a, b] = [answer('a'), answer('b')]
    expect([answer('a'), answer('b'), asked()]).toEqual([a, b, 2])
    expect(answer('a')).toBe(a)
    answer('c')
    expect(answer('a')).not.toBe(a)
    expect(asked()).toBe(4)
  })

  it('does not keep long questions', () => {
    const { answer, asked } = counting(10)
    const long = 'x'.repeat(257)
    expect([answer(long).question, answer(long).number, asked()]).toEqual([long, 2, 2])
  })
})
