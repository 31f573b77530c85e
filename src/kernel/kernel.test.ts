import { describe, expect, it } from 'vitest'
import { heldClock } from './clock.ts'
import { corrupt, denied, invalidInput, notFound, unavailable } from './errors.ts'
import { nearest } from './nearest.ts'
import { printable, printableLine } from './printable.ts'
import { childOf, isWithin, nameOf, parentOf, treePath } from './tree-path.ts'

describe('errors', () => {
  it('carry what every surface needs', () => {
    const cause = new Error('why')
    const error = invalidInput('BAD_THING', 'It was bad.', { hint: 'Do better.', details: { field: 'x' }, cause })
    expect(error).toMatchObject({ kind: 'InvalidInput', code: 'BAD_THING', hint: 'Do better.', exit: 2, http: 400 })
    expect([error.details, error.cause, error.message]).toEqual([{ field: 'x' }, cause, 'It was bad.'])
  })
  it.each([
    [notFound('X', ''), 3, 404],
    [corrupt('X', ''), 5, 422],
    [denied('X', ''), 6, 403],
    [unavailable('X', ''), 8, 503],
  ])('%s has its exit and its HTTP status', (error, exit, http) => {
    expect([error.exit, error.http]).toEqual([exit, http])
  })
})

describe('nearest', () => {
  const commands = ['version', 'doctor', 'demo', 'init', 'completion', 'bench']
  it.each([
    ['verison', 'version'],
    ['docter', 'doctor'],
    ['int', 'init'],
    ['INIT', 'init'],
    ['completions', 'completion'],
    ['frobnicate', undefined],
    ['', undefined],
  ])('%s is meant as %s', (typed, meant) => {
    expect(nearest(typed, commands)).toBe(meant)
  })
})

describe('printable', () => {
  it('shows what a terminal would obey', () => {
    expect(printable('a\x1b[31mred\x07\u202eb\tc\nd')).toBe('a\\x1b[31mred\\x07\\u202eb\tc\nd')
    expect(printableLine('a\nb\tc\r')).toBe('a\\nb\\tc\\r')
    expect(printable('grüße 日本 🚦')).toBe('grüße 日本 🚦')
  })
})

describe('tree paths', () => {
  it.each(['', 'a', 'a/b.md', '.signalbox/state', 'ä ö/日本', 'a'.repeat(180)])('%j is one', (text) => {
    expect(treePath(text)).toBe(text)
  })
  it.each(['/', '/a', 'a/', 'a//b', '.', '..', 'a/../b', 'a\\b', 'a\0b', 'a\nb', '\u202e', 'a'.repeat(181), '\ud800'])(
    '%j is none',
    (text) => {
      expect(() => treePath(text)).toThrow('Not a path inside the root')
    },
  )
  it('take apart and put together', () => {
    const path = treePath('a/b/c')
    expect([parentOf(path), nameOf(path), parentOf(treePath('a')), childOf(treePath(''), 'x')]).toEqual([
      'a/b',
      'c',
      '',
      'x',
    ])
    expect([isWithin(path, treePath('A/B')), isWithin(treePath('ab'), treePath('a'))]).toEqual([true, false])
  })
})

describe('a held clock', () => {
  it('moves when told', () => {
    const clock = heldClock(1000)
    clock.advance(500)
    expect(clock.now()).toBe(1500)
  })
})
