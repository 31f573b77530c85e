/** The sentences that are learned from, those that are measured by, and the weights that come of the first. */
import { expect, it } from 'vitest'
import { SentenceModel } from '../../../src/protocols/shared-agent/language/sentence-model.ts'
import { tokensOf } from '../../../src/protocols/shared-agent/language/tokens.ts'
import { nowhere } from '../../../src/protocols/shared-agent/language/translation.ts'
import { readCorpus } from '../../../training/corpus.ts'
import { train, usual } from '../../../training/train.ts'
import { weights } from '../../support/session.ts'
import { isSameCommand, measure, sets } from './measure.ts'

const root = new URL('../../../', import.meta.url).pathname
const corpus = readCorpus(`${root}data/sentences`)

it('the weights belong to the sentences: after a change run `npm run train`', () => {
  expect(new SentenceModel(weights()).head.corpus).toBe(corpus.checksum)
})

it('there are at least 60 sentences for each request, and 600 to be asked back', () => {
  const counts = new Map<string, number>()
  for (const { intent } of corpus.entries) counts.set(intent, (counts.get(intent) ?? 0) + 1)
  expect([...counts].filter(([intent, count]) => count < (intent === 'none' ? 600 : 60))).toEqual([])
})

it('the same sentences give the same weights, which tell requests apart', () => {
  const two = corpus.entries.filter(({ intent }) => /^(?:LOCK|NEXT|none)$/.test(intent))
  const small = { ...corpus, entries: two.filter((_, n) => n % 3 === 0) }
  const options = { ...usual, scale: 0.05, rounds: 1, bits: 12, slotBits: 12 }
  const bytes = train(small, options)
  expect(Buffer.compare(train(small, options), bytes)).toBe(0)
  const model = new SentenceModel(new Uint8Array(bytes))
  const meant = (text: string) =>
    model.guesses(tokensOf(text, nowhere)).find(({ intent }) => intent !== 'several')?.intent
  expect([meant('lock src/a.ts'), meant('what is next?'), meant('hello there')]).toEqual(['LOCK', 'NEXT', 'none'])
})

it('no sentence to measure by is one to learn from', () => {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, ' ')
      .trim()
  const learned = new Set(
    [...corpus.entries, ...corpus.development].map(({ body }) =>
      plain(body.replace(/\{\w+=([^}>]*)(?:>[^}]*)?\}/g, '$1')),
    ),
  )
  const measured = sets(root).flatMap(([, sentences]) => sentences.map(({ said }) => said))
  expect(measured.length).toBeGreaterThan(500)
  expect(measured.filter((said) => learned.has(plain(said)))).toEqual([])
})

it('measures what it says', () => {
  const model = new SentenceModel(weights())
  const some = [
    { said: 'lock src/a.ts', means: '#LOCK:src/a.ts' },
    { said: 'lock src/a.ts', means: '#UNLOCK:src/a.ts' },
    { said: 'roll back to cp_001', means: '?' },
    { said: 'hello', means: '?' },
  ]
  expect(measure('some', some, model)).toMatchObject({
    ...{ right: 1, ofRequests: 2, askedBack: 1, ofOthers: 2, destructiveUnasked: 1 },
  })
  expect(isSameCommand('#DELEGATE:DevAgent:fix_the_build', '#DELEGATE:DevAgent:fix build')).toBe(true)
  expect(isSameCommand('#LOCK:src/a.ts', '#UNLOCK:src/a.ts')).toBe(false)
})
