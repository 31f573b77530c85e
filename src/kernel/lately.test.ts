import { afterEach, expect, it, vi } from 'vitest'
import { Lately } from './lately.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

it('believes an answer for half a second, and not longer', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(10_000)
  const lately = new Lately<string>()
  expect(lately.get('home of gemini')).toBeUndefined()
  lately.set('home of gemini', 'acmq')
  now.mockReturnValue(10_499)
  expect(lately.get('home of gemini')).toBe('acmq')
  now.mockReturnValue(10_500)
  expect(lately.get('home of gemini')).toBeUndefined()
})

it('holds no more than so many answers', () => {
  const lately = new Lately<number>()
  for (let n = 0; n <= 1000; n++) lately.set(`${n}`, n)
  expect(lately.get('0')).toBeUndefined()
  expect(lately.get('1000')).toBe(1000)
})
