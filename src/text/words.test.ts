import { describe, expect, it } from 'vitest'
import { nGramsOf } from './n-grams.ts'
import { namesIn } from './names.ts'
import { stemOf } from './stems.ts'
import { isEnglish } from './stop-words.ts'
import { termsOf, wordsIn } from './words.ts'

describe('stems', () => {
  it.each([
    ['migrations', 'migrat'],
    ['migrating', 'migrat'],
    ['hopping', 'hop'],
    ['queries', 'queri'],
    ['query', 'queri'],
    ['relational', 'relat'],
    ['agreed', 'agre'],
    ['as', 'as'],
    ['größe', 'größe'],
  ])('%s: %s', (word, stem) => expect(stemOf(word)).toBe(stem))
})

describe('words', () => {
  it('splits identifiers, folds case and width', () =>
    expect(wordsIn('parseHeader lock_timeout ＡＢＣ')).toEqual(['parse', 'header', 'lock', 'timeout', 'abc']))

  it('stems English only, leaves out stop words and numbers', () => {
    expect(termsOf('The queries are slow, 42 of them')).toEqual(['queri', 'slow'])
    expect(termsOf('Die Sitzung endet und wir müssen die Kosten prüfen')).toEqual([
      'sitzung',
      'endet',
      'müssen',
      'kosten',
      'prüfen',
    ])
  })

  it('takes scripts without spaces two letters at a time', () =>
    expect(termsOf('数据库慢')).toEqual(['数据', '据库', '库慢']))

  it.each([
    ['the server is down because of the disk', true],
    ['der Server ist wegen der Platte nicht erreichbar', false],
    ['le serveur ne répond pas depuis ce matin dans la zone', false],
    ['restart nginx', true],
  ])('%s: English %s', (text, english) => expect(isEnglish(wordsIn(text))).toBe(english))

  it('nothing in it: no terms', () => {
    for (const text of ['', '   ', 'the of and to', '1234 5678', '\u0000\uffff', '💥💥'])
      expect(termsOf(text)).toEqual([])
  })

  it('a text of ten megabytes is looked at in part', () => {
    const started = performance.now()
    expect(termsOf('slow query '.repeat(1_000_000)).length).toBeLessThan(20_000)
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})

it('pieces of words are marked at their ends', () => {
  expect(nGramsOf('cache')).toEqual(['_cac', 'cach', 'ache', 'che_'])
  expect(nGramsOf('of it')).toEqual([])
})

it('names are files, identifiers and errors', () => {
  const text = 'In `src/auth/session.ts` call issueToken(); see findings/plan.md, TypeError and MAX_SIZE. It is `ok`.'
  expect([...namesIn(text)].sort()).toEqual([
    'findings/plan.md',
    'issuetoken',
    'max_size',
    'src/auth/session.ts',
    'typeerror',
  ])
})
