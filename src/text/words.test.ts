import { describe, expect, it } from 'vitest'
import { nGramsOf } from './n-grams.ts'
import { stemOf } from './stems.ts'
import { isEnglish, isEnglishText } from './stop-words.ts'
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

  it('takes words that mean something in English for stop words of other languages in those alone', () => {
    expect(termsOf('van')).toEqual(['van'])
    expect(termsOf('What happens when a van breaks down?')).toContain('van')
    expect(termsOf('OS update')).toEqual(['os', 'updat'])
    expect(nGramsOf('van')).toEqual(['_van', 'van_'])
    expect(isEnglishText('van routes')).toBe(true)
    expect(termsOf('Wer hat die Tabelle gesperrt?')).toEqual(['wer', 'tabelle', 'gesperrt'])
    expect(termsOf('het rooster van de wagen')).toEqual(['rooster', 'wagen'])
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

it('tells what a model of English can be asked about', () => {
  expect(isEnglishText('The orders query is slow')).toBe(true)
  expect(isEnglishText('Nightly backup')).toBe(true)
  expect(isEnglishText('Login page rejects passwords, login page rejects users, support tickets pile up')).toBe(true)
  expect(isEnglishText('Der Build auf dem Server dauert doppelt so lange wie vorher')).toBe(false)
  expect(isEnglishText('数据库查询太慢 index')).toBe(false)
  expect(isEnglishText('12 34 !!')).toBe(false)
})
