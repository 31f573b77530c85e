import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { joinRanks, rankTexts } from './ranking.ts'
import { WordVectors } from './word-vectors.ts'

const bytes = readFileSync(new URL('../../data/word-vectors.bin', import.meta.url))
const vectors = new WordVectors(bytes)
const texts = [
  'The car was repaired in the garage',
  'Bananas and apples for breakfast',
  'Index on the orders table',
  '数据库查询太慢',
]
const found = async (query: string, only?: 'words' | 'meaning') =>
  (await rankTexts(texts, query, { embedder: vectors, ...(only ? { only } : {}) })).map(({ place, by }) => [place, by])

describe('ranking', () => {
  it('finds by words, by pieces of words and by meaning, and says which', async () => {
    expect((await found('orders index'))[0]).toEqual([2, ['words', 'meaning']])
    expect(await found('indexing', 'words')).toEqual([[2, ['words']]])
    expect((await found('automobile mechanic'))[0]).toEqual([0, ['meaning']])
    expect((await found('fruit'))[0]).toEqual([1, ['meaning']])
    expect(await found('数据库')).toEqual([[3, ['words']]])
  })

  it('[AC-13.2e] finds a number that is asked for, and nothing by one that nobody asks for', async () => {
    const texts = ['The server answers 404 for images', 'The server answers 500', 'Port 8080 is taken']
    const found = async (query: string) => (await rankTexts(texts, query)).map(({ place }) => place)
    expect(await found('404')).toEqual([0])
    expect(await found('port 8080')).toEqual([2])
    expect(await found('server 500')).toEqual([1, 0])
    expect(await found('80')).toEqual([])
  })

  it('a query that says nothing finds nothing', async () => {
    for (const query of ['', 'the of and', 'qzxv jjkw', '\u0000', '!!!', '12345'])
      expect(await found(query)).toEqual([])
  })

  it('a query of 100,000 characters is cut', async () => {
    const started = performance.now()
    expect((await found(`orders ${'x'.repeat(10)} `.repeat(5000)))[0]?.[0]).toBe(2)
    expect(performance.now() - started).toBeLessThan(5000)
  })

  it('joins by places', () => {
    const one = (place: number, score: number) => ({ place, score })
    const hits = joinRanks({ words: [one(7, 9), one(8, 1)], meaning: [one(8, 0.4), one(9, 0.3)] })
    expect(hits.map(({ place, by }) => [place, by])).toEqual([
      [8, ['words', 'meaning']],
      [7, ['words']],
      [9, ['meaning']],
    ])
  })
})

describe('the pack of word vectors', () => {
  it('names itself', () =>
    expect({ id: vectors.id, dim: vectors.dim, version: vectors.version }).toEqual({
      id: 'local',
      dim: 100,
      version: 'ee0a60b8',
    }))

  it('knows words, and gives zeros for what it does not know', async () => {
    const [king, nothing] = await vectors.embed(['king', 'qzxv'])
    expect(Math.hypot(...king!)).toBeCloseTo(1, 5)
    expect(nothing).toEqual(new Float32Array(100))
  })

  it.each([
    ['empty', new Uint8Array(0)],
    ['cut off', bytes.subarray(0, 100_000)],
    ['another file', new TextEncoder().encode('# Data\n\nhello')],
    ['changed', Buffer.from(bytes).fill(7, 5_000_000, 5_000_010)],
  ])('refuses one that is %s', (_, damaged) => {
    expect(() => new WordVectors(damaged)).toThrow(/cannot be used/)
  })
})
