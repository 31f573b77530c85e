import { expect, it } from 'vitest'
import { globsOverlap } from './glob-overlap.ts'

it.each([
  ['src/a.ts', 'src/a.ts', true],
  ['src/a.ts', 'src/b.ts', false],
  ['src', 'src/a.ts', true],
  ['src/**', 'src/deep/er/a.ts', true],
  ['src/**', 'srcs/a.ts', false],
  ['src/*.ts', 'src/a.*', true],
  ['src/*.ts', 'src/*.js', false],
  ['src/{a,b}.ts', 'src/b.ts', true],
  ['src/{a,b}.ts', 'src/c.ts', false],
  ['**/*.md', 'docs/guide/x.md', true],
  ['**', 'anything', true],
  ['a/*/c', 'a/b/d', false],
  ['a?c', 'abc', true],
  ['[ab].ts', 'a.ts', true],
  ['docs/**', 'src/**', false],
  ['a*b*c', '*x*', true],
  ['src/**/a.ts', 'src/a.ts', true],
  ['**/a/**', 'x/a/y', true],
  ['a/**/b', '**/c', true],
  ['.', 'src/a.ts', true],
  ['a{b', 'a{b', true],
  ['a{b', 'ab', false],
])('%s and %s: %s', (one, other, expected) => {
  expect(globsOverlap(one, other)).toBe(expected)
  expect(globsOverlap(other, one)).toBe(expected)
})

it('a pattern of a stranger takes no time to speak of', () => {
  const startedAt = performance.now()
  expect(globsOverlap(`${'*a'.repeat(400)}b`, `${'a*'.repeat(400)}c`)).toBe(false)
  expect(globsOverlap(`${'**/a/'.repeat(150)}b`, `${'a/**/'.repeat(150)}c`)).toBe(true)
  expect(performance.now() - startedAt).toBeLessThan(2000)
})
