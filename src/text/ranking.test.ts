import { describe, expect, it } from 'vitest'
import { sentenceModel } from '../../test/support/sentence-model.ts'
import { featuresOf } from './features.ts'
import { subjectOf } from './query.ts'
import { joinRanks, rankTexts, rankWithEndpoint } from './ranking.ts'
import { isEnglishText } from './stop-words.ts'
import { dot } from './vectors.ts'

const texts = [
  'The car was repaired in the garage',
  'Bananas and apples for breakfast',
  'Index on the orders table',
  '数据库查询太慢',
]

async function hitsFor(said: readonly string[], query: string, only?: 'words' | 'meaning') {
  const [asked, ...vectors] = await sentenceModel.embed([query, ...said])
  const meaning = said.map((text, i) => (isEnglishText(text) ? dot(asked!, vectors[i]!) : undefined))
  return rankTexts(
    said.map((text) => featuresOf(text)),
    query,
    { meaning, only },
  )
}
const found = async (query: string, only?: 'words' | 'meaning') =>
  (await hitsFor(texts, query, only)).map(({ place, by }) => [place, by])

describe('ranking', () => {
  it('finds by words, by pieces of words and by meaning, and says which', async () => {
    expect((await found('orders index'))[0]).toEqual([2, ['words', 'meaning']])
    expect(await found('indexing', 'words')).toEqual([[2, ['words']]])
    expect((await found('automobile mechanic'))[0]).toEqual([0, ['meaning']])
    expect((await found('fruit'))[0]).toEqual([1, ['meaning']])
    expect(await found('数据库')).toEqual([[3, ['words']]])
  })

  it('[AC-13.2e] finds a number that is asked for, and nothing by one that nobody asks for', () => {
    const said = ['The server answers 404 for images', 'The server answers 500', 'Port 8080 is taken']
    const places = (query: string) =>
      rankTexts(
        said.map((text) => featuresOf(text)),
        query,
        { meaning: [] },
      ).map(({ place }) => place)
    expect(places('404')).toEqual([0])
    expect(places('port 8080')).toEqual([2])
    expect(places('server 500')[0]).toBe(1)
    expect(places('80')).toEqual([])
  })

  it('[AC-13.2e] a query that says nothing, or asks about something else, finds nothing', async () => {
    for (const query of ['', 'the of and', 'qzxv jjkw', '\u0000', '!!!', '12345', 'who won the football final?'])
      expect(await found(query)).toEqual([])
  })

  it('[AC-13.2e] scores tell how well a text fits: only the text itself gets 1', async () => {
    const [same] = await hitsFor(texts, texts[0]!)
    const [alike] = await hitsFor(texts, 'automobile mechanic')
    expect(same!.score).toBeCloseTo(1, 2)
    expect(alike!.score).toBeLessThan(0.5)
    expect(alike!.score).toBeGreaterThan(0.15)
  })

  it('a word in a long text is found, however long that is', () => {
    const long = Array.from({ length: 3000 }, (_, n) => `word${String.fromCharCode(97 + (n % 26))}${n}x`).join(' ')
    const features = [`${long} brakes`, long, 'Something else'].map((text) => featuresOf(text))
    expect(rankTexts(features, 'brakes', { meaning: [0.05, 0.05, 0.05] }).map(({ place }) => place)).toEqual([0])
  })

  it('a text without a vector stands where its words put it among the others', () => {
    const features = ['Slow orders query', 'Slow orders query', 'Lunch on Friday'].map((text) => featuresOf(text))
    const hits = rankTexts(features, 'slow orders', { meaning: [0.7, undefined, 0.02] })
    expect(hits.map(({ place }) => place).sort()).toEqual([0, 1])
    expect(hits[1]!.score / hits[0]!.score).toBeGreaterThan(0.6)
  })

  it('joins by places, with the vectors of an endpoint', () => {
    const one = (place: number, score: number) => ({ place, score })
    const hits = joinRanks({ words: [one(7, 9), one(8, 1)], meaning: [one(8, 0.4), one(9, 0.3)] })
    expect(hits.map(({ place, by }) => [place, by])).toEqual([
      [8, ['words', 'meaning']],
      [7, ['words']],
      [9, ['meaning']],
    ])
    const features = ['orders', 'stones', 'dogs'].map((text) => featuresOf(text))
    expect(
      rankWithEndpoint(features, 'orders', { meaning: [0.1, 0.9, 0.15] }).map(({ place, by }) => [place, by]),
    ).toEqual([
      [0, ['words']],
      [1, ['meaning']],
    ])
  })
})

describe('what a query is about', () => {
  const cases: Record<string, string> = {
    'summarize all messages related to database performance': 'database performance',
    'Please find all messages about the login page': 'login page',
    'which messages mention rate limits?': 'rate limits',
    'show me everything about invoices': 'invoices',
    'database performance messages': 'database performance',
    'what was said in the discussions about caching': 'caching',
    // Without a word about messages nothing is left out.
    'message queue backlog': 'queue backlog',
    'error message unclear': 'error message unclear',
    'how long does a session last': 'how long does a session last',
    'to do list': 'to do list',
    'what is slow': 'what is slow',
    'all messages': 'all messages',
    '': '',
  }
  it.each(Object.entries(cases))('%j', (query, subject) => expect(subjectOf(query)).toBe(subject))

  it('100,000 characters are cut', () => expect(subjectOf('orders '.repeat(20_000))).toHaveLength(2000))
})
