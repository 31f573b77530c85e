import { describe, expect, it } from 'vitest'
import { compileGlob, staticPrefix } from './glob.ts'

describe('matching', () => {
  it.each([
    ['context/*.md', 'context/a.md', true],
    ['context/*.md', 'context/b/a.md', false],
    ['context/*.md', 'context/.a.md', false],
    ['context/.*', 'context/.a.md', true],
    ['./context/*', 'context/a', true],
    ['**/*.md', 'a.md', true],
    ['**/*.md', 'a/b/c.md', true],
    ['**/*.md', 'a/.b/c.md', false],
    ['**/.b/*.md', 'a/.b/c.md', true],
    ['a/**', 'a/b/c', true],
    ['a/**', 'a', false],
    ['a/**', 'a/.b', false],
    ['a/**/b', 'a/b', true],
    ['a/**/**/b', 'a/x/y/b', true],
    ['a/**/b/**/c', 'a/b/x/b/y/c', true],
    ['a/**/b/**/c', 'a/b/x/b/y/d', false],
    ['a**b', 'axxb', true],
    ['a**b', 'a/b', false],
    ['?.md', 'a.md', true],
    ['?.md', '😀.md', true],
    ['?.md', '.md', false],
    ['??', '😀', false],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[^a-c]x', 'dx', true],
    ['[]]x', ']x', true],
    ['[a-]x', '-x', true],
    ['[.]x', '.x', false],
    ['[{,}]', ',', true],
    ['{a,b}/c', 'b/c', true],
    ['{a,b{1,2}}.{md,txt}', 'b2.txt', true],
    ['{a,b{1,2}}.{md,txt}', 'b.txt', false],
    ['{a/b,c}/d', 'a/b/d', true],
    ['x{,y}', 'x', true],
    ['{x}', '{x}', true],
    ['a,b', 'a,b', true],
    ['A', 'a', false],
    ['*', '', false],
    ['a.c', 'abc', false],
  ])('%s on %j: %s', (pattern, path, expected) => {
    expect(compileGlob(pattern)(path)).toBe(expected)
  })

  it('stays quick on hostile patterns', () => {
    const start = performance.now()
    const path = 'a'.repeat(2000)
    expect(compileGlob(`${'*a'.repeat(400)}*b`)(path)).toBe(false)
    expect(compileGlob(`${'**/a/'.repeat(150)}b`)(`${'a/'.repeat(1000)}c`)).toBe(false)
    expect(compileGlob(`${'**/*a*a/'.repeat(100)}b`)(`${'aaaaaaaa/'.repeat(200)}c`)).toBe(false)
    expect(performance.now() - start).toBeLessThan(2000)
  })
})

describe('refusing', () => {
  it.each([
    '',
    '/a',
    '../a',
    'a/../b',
    '{a,..}/b',
    '{a,/b}',
    'a//b',
    'a/',
    '.',
    'a\\b',
    'a\0b',
    '[a',
    '[',
    '[z-a]',
    '{a',
    'a}',
    '{a,{b}',
  ])('%j', (pattern) => {
    expect(() => compileGlob(pattern)).toThrow(expect.objectContaining({ kind: 'InvalidInput', code: 'BAD_GLOB' }))
  })

  it.each([
    ['too many ways', '{a,b}'.repeat(20)],
    ['deep braces with too many ways', `${'{'.repeat(400)}a,b${'}'.repeat(400)}${'{a,b}'.repeat(8)}`],
    ['a long pattern', 'a'.repeat(2000)],
  ])('%s', (_, pattern) => {
    expect(() => compileGlob(pattern)).toThrow(expect.objectContaining({ code: 'BAD_GLOB' }))
  })
})

describe('where a walk begins', () => {
  it.each([
    ['context/*.md', 'context'],
    ['./a/b/**', 'a/b'],
    ['a/b.md', 'a'],
    ['a.md', ''],
    ['**', ''],
    ['a/{b,c}/d', 'a'],
    ['a/b[x]/c', 'a'],
  ])('%s: %j', (pattern, folder) => {
    expect(staticPrefix(pattern)).toBe(folder)
  })
})
