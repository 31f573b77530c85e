import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { groupKnown } from '../../../text/grouping.ts'
import { type CachedMessage, cacheEntryMaker, type MemoryCache } from './cache.ts'
import { printCache, readCache } from './cache-format.ts'

const entryOf = cacheEntryMaker(['Orders are fast'])
const noted = (n: number, body = `The orders query ${n} is slow in \`src/orders-${n % 3}.ts\``): CachedMessage =>
  entryOf(
    {
      id: `id${n}`,
      name: `${n}.md`,
      createdAt: `2026-11-17T15:00:0${n}Z`,
      status: 'completed',
      dependencies: n > 1 ? [`msg:id${n - 1}`] : [],
      from: 'claude',
      to: 'gemini',
      summary: n === 3 ? 'Orders are fast' : 'Slow orders',
      body,
    },
    '10 20 30',
  )

function cacheOf(count: number): MemoryCache {
  const messages = Array.from({ length: count }, (_, i) => noted(i + 1))
  const { linked: _, ...neighbours } = groupKnown(messages).neighbours
  return {
    titles: ['Orders are fast'],
    provider: 'local',
    messages: new Map(messages.map((one) => [`pending/${one.name}`, one])),
    documents: new Map([
      [
        'bus-document-a-20261117150000.md',
        {
          mark: '1 2 3',
          partChecks: ['f00'],
          messages: 2,
          madeOf: 'abc',
          title: 'a',
          query: 'q',
          trigger: 'chain',
          provider: 'local',
          summaryBy: 'extractive',
          summaryOf: '',
          anchors: ['id1'],
          parts: 1,
          check: 'c',
          isOurs: true,
        },
      ],
    ]),
    neighbours,
    usage: { sample: neighbours.sample, ids: ['id1'], texts: 1, counts: new Map([['order', 1]]) },
  }
}

describe('the cache of a mission', () => {
  it('says the same when it is read again', () => {
    for (const count of [0, 1, 6]) {
      const cache = cacheOf(count)
      const bytes = printCache(cache)
      const again = readCache(bytes)!
      expect(again.messages).toEqual(cache.messages)
      expect(again.documents).toEqual(cache.documents)
      expect(again.usage).toEqual(cache.usage)
      expect(again.neighbours).toEqual(cache.neighbours)
      expect(printCache(again).equals(bytes)).toBe(true)
    }
  })

  it('is none when anything of it is lost or changed', () => {
    const bytes = printCache(cacheOf(4))
    fc.assert(
      fc.property(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changed = Buffer.from(bytes)
        changed[at] = changed[at]! ^ by
        expect(readCache(changed)).toBeUndefined()
        expect(readCache(bytes.subarray(0, at))).toBeUndefined()
      }),
      { numRuns: 200 },
    )
    expect(readCache(Buffer.from(''))).toBeUndefined()
    expect(readCache(Buffer.from('signalbox-acmq-memory-1 0000000000000000\n{}'))).toBeUndefined()
  })

  it('notes what a document says of a message, and what is compared of it', () => {
    const asked = noted(1)
    const answered = noted(
      1,
      `The orders query 1 is slow in \`src/orders-1.ts\`\n\n---\n**Result**\n\nDone: an index helps.\n`,
    )
    expect(answered.own === asked.own).toBe(true)
    expect(answered.digest === asked.digest).toBe(false)
    expect(answered.content === asked.content).toBe(false)
    expect(noted(3).reasons).toEqual({ 'Orders are fast': 'it names the milestone' })
    expect(asked.reasons).toEqual({})
  })
})
