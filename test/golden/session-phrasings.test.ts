/** What people say to a session: the tables of `shared-agent/phrasings`, held against the translator. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SentenceModel } from '../../src/protocols/shared-agent/language/sentence-model.ts'
import { translate } from '../../src/protocols/shared-agent/language/translate.ts'
import type { Translation } from '../../src/protocols/shared-agent/language/translation.ts'
import { around, meantBy, type Phrasing, phrasingsIn, refilled, saidIn } from '../support/phrasings.ts'
import { notAskedFor } from '../support/random-requests.ts'
import { weights } from '../support/session.ts'
import { isSameCommand } from '../eval/sentences/measure.ts'

const workedWith = phrasingsIn('worked-with')
const leftAlone = phrasingsIn('left-alone')
const kinds = ['delegation', 'tasks', 'reports', 'state', 'locks', 'waiting', 'channels', 'checkpoints', 'context']
kinds.push('health', 'help', 'versions', 'asked back')

const model = new SentenceModel(weights())
const made = new Map<string, Translation>()

/** Each sentence is translated once. */
function madeOf(said: string): Translation {
  const known = made.get(said) ?? translate(said, model, around)
  made.set(said, known)
  return known
}

/** `sentence → what it became`, for each that became something else than it means. */
const wrongOnes = (phrasings: readonly Phrasing[]): string[] =>
  phrasings.flatMap((phrasing) => {
    const said = saidIn(phrasing)
    const made = madeOf(said)
    const meant = meantBy(phrasing)
    // What is asked back is asked with the same command, where it names one; the words of the question do not matter.
    const isRight =
      made.outcome === 'command'
        ? phrasing.asked === undefined && isSameCommand(made.command, meant!)
        : made.outcome === 'asked' && phrasing.asked !== undefined && (meant === undefined || made.command === meant)
    return isRight ? [] : [`${said} → ${JSON.stringify(made)}`]
  })

const tellAccuracy = (part: string, count: number, wrong: number) =>
  console.log(`phrasings ${part}: ${count - wrong} of ${count} understood as meant`)

describe('[SA-2.5a] phrasings', () => {
  it('are 200 to work with and 100 left alone, of all kinds, 25 of those to be asked back', () => {
    expect(workedWith.length).toBeGreaterThanOrEqual(200)
    expect(leftAlone).toHaveLength(100)
    expect(leftAlone.filter(({ asked }) => asked !== undefined)).toHaveLength(25)
    for (const part of [workedWith, leftAlone])
      expect(kinds.filter((kind) => !part.some(({ category }) => category === kind))).toEqual([])
  })

  it('that were left alone are what they were before there was a translator', () => {
    const bytes = readFileSync(new URL('shared-agent/phrasings/left-alone.txt', import.meta.url))
    expect(createHash('sha256').update(bytes).digest('hex')).toBe('0bca361edf8c861e8d60bf66037b54e2b1650f4e1f46815b18d44edf4c57e82e')
  })

  it('to work with mean what they should, at least 96 of 100', () => {
    const wrong = wrongOnes(workedWith)
    tellAccuracy('to work with', workedWith.length, wrong.length)
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(workedWith.length * 0.04)
  })

  it('that were left alone mean what they should, at least 90 of 100', () => {
    const wrong = wrongOnes(leftAlone)
    tellAccuracy('left alone', leftAlone.length, wrong.length)
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(10)
  })

  it.each([
    ['worked with', workedWith],
    ['left alone', leftAlone],
  ])('%s: other agents, keys, paths, times and checkpoints change the slots alone', (_, part) => {
    const right = part.filter((phrasing) => wrongOnes([phrasing]).length === 0).flatMap(refilled)
    const wrong = wrongOnes(right)
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(right.length * 0.05)
  })

  it('become no destructive command that was not asked for', () => {
    const all = [...workedWith, ...leftAlone].flatMap((one) => [one, ...refilled(one)])
    const wrong = all.flatMap((phrasing) => {
      const made = madeOf(saidIn(phrasing))
      const lines = made.outcome === 'command' ? [made.command] : made.outcome === 'commands' ? made.commands : []
      return lines.flatMap((line) => notAskedFor(saidIn(phrasing), line) ?? []).map((why) => `${saidIn(phrasing)} ${why}`)
    })
    expect(wrong).toEqual([])
  })
})

/** Words alone, in lower case, with one blank before, between and behind them. */
const plain = (text: string): string => ` ${text.toLowerCase().replace(/[^a-z0-9]+/g, ' ').trim()} `

it('[SA-2.5a] no sentence that was left alone stands in the sources, or among those that are learned from', () => {
  const folder = new URL('../../src/', import.meta.url)
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && /shared-agent|session/.test(path))
    .map((path) => readFileSync(new URL(path, folder), 'utf8'))
  expect(sources.length).toBeGreaterThan(40)
  const data = new URL('../../data/sentences/', import.meta.url)
  sources.push(...readdirSync(data).filter((name) => name.endsWith('.txt') && name !== 'fillers.txt').map((name) => readFileSync(new URL(name, data), 'utf8').split('\n').map((line) => `'${line.replace(/^! /, '').replace(/\{\w+=([^}>]*)(?:>[^}]*)?\}/g, '$1').replaceAll("'", ' ')}'`).join('\n')))
  const words = sources.map(plain)
  const literals = new Set(sources.flatMap((text) => [...text.matchAll(/'([^'\n]*)'|"([^"\n]*)"|`([^`]*)`/g)].map((one) => plain(one[1] ?? one[2] ?? one[3] ?? ''))))
  const found = leftAlone.map((phrasing) => plain(saidIn(phrasing))).filter((sentence) => {
    // Two or three words stand together somewhere by chance ("roll back"); as a whole text they would be a list.
    const isShort = sentence.trim().split(' ').length < 4
    return literals.has(sentence) || (!isShort && words.some((text) => text.includes(sentence)))
  })
  expect(found).toEqual([])
})
