import { expect, it } from 'vitest'
import { digestOf } from './digest.ts'

it('a digest names texts, each by itself', () => {
  expect(digestOf('a', 'b')).toMatch(/^[0-9a-f]{32}$/)
  expect(digestOf('a', 'b')).toBe(digestOf('a', 'b'))
  expect(new Set([digestOf('a', 'b'), digestOf('ab'), digestOf('a', 'b', ''), digestOf('b', 'a')]).size).toBe(4)
})
