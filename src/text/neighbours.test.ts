import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { featuresOf } from './features.ts'
import { groupKnown, type KnownItem } from './grouping.ts'
import { hashOf, nGramsOf, pieceHashesOf } from './n-grams.ts'
import { mostNeighbours, NearestLists } from './nearest-lists.ts'
import { type ComparedText, type Neighbours, neighboursOf, type SampledPlaces } from './neighbours.ts'
import { rounded, sampleOf } from './sample.ts'

const words =
  'orders query index table slow scan plan login token session cookie expire invoice tax total rounding'.split(' ')

interface Said {
  readonly id: number
  readonly words: readonly number[]
  readonly added: readonly number[]
  /** Whether its vector is known. */
  readonly isEmbedded?: boolean
}

const saying = (numbers: readonly number[]) => numbers.map((n) => words[n]).join(' ')

/** Three numbers that tell which words were said. */
const vectorOf = (numbers: readonly number[]): Float32Array =>
  Float32Array.from([0, 1, 2], (n) => 0.1 + numbers.filter((one) => one % 3 === n).length)

function itemOf({ id, words: own, added, isEmbedded = false }: Said): KnownItem {
  const text = saying(own)
  return {
    id: `k${id}`,
    digest: `${text}\n${saying(added)}${isEmbedded ? '+' : ''}`,
    own: text,
    createdAt: String(id).padStart(6, '0'),
    features: featuresOf(text, saying(added)),
    ...(isEmbedded ? { vector: vectorOf(own) } : {}),
  }
}

const word = fc.nat({ max: words.length - 1 })
const said = (id: number): fc.Arbitrary<Said> =>
  fc.record(
    {
      id: fc.constant(id),
      words: fc.array(word, { minLength: 2, maxLength: 6 }),
      added: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.array(word, { minLength: 1, maxLength: 3 })),
      isEmbedded: fc.boolean(),
    },
    { requiredKeys: ['id', 'words', 'added'] },
  )

/** The texts as `neighboursOf` wants them: each once, in the order of their digests. */
const comparedTexts = (items: readonly KnownItem[]): ComparedText[] =>
  [...new Map(items.map((item) => [item.digest, item])).values()].sort((a, b) => (a.digest < b.digest ? -1 : 1))

const shown = ({ digests, lists, lengths }: Neighbours) =>
  digests.map((digest, at) => ({
    digest,
    length: lengths[at],
    nearest: Array.from({ length: lists.used[at]! }, (_, i) => {
      const slot = at * mostNeighbours + i
      return [digests[lists.places[slot]!], lists.likeness[slot]]
    }),
  }))

describe('the nearest of each text', () => {
  it('are the same whether all are compared, or only what has come, gone or changed since', () => {
    const all = Array.from({ length: 60 }, (_, id) => said(id))
    const history = fc.tuple(
      fc.tuple(...all),
      fc.tuple(...all),
      fc.array(fc.constantFrom('old', 'new', 'gone', 'embedded'), { minLength: 60, maxLength: 60 }),
      fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }),
    )
    fc.assert(
      fc.property(history, ([texts, changed, after, before]) => {
        // The sample stays, as it does in a large mission; its texts may get something added.
        const sampled = texts.slice(0, 10)
        const first = comparedTexts([...sampled, ...texts.slice(10).filter((_, i) => before[i])].map(itemOf))
        const later = texts.slice(10).flatMap((text, i) => {
          const other = changed[i + 10]!
          if (after[i] === 'gone' || (after[i] === 'old' && !before[i])) return []
          if (after[i] === 'embedded') return [{ ...text, isEmbedded: true }]
          return [after[i] === 'old' ? text : other]
        })
        const second = comparedTexts([...sampled, ...later].map(itemOf))
        const known = neighboursOf(first, sampleIn(first, sampled))
        const sample = sampleIn(second, sampled)
        expect(shown(neighboursOf(second, sample, known))).toEqual(shown(neighboursOf(second, sample)))
      }),
      { numRuns: 60 },
    )
  })

  it('lose none when a full list loses one', () => {
    const alike = Array.from({ length: 50 }, (_, id) =>
      itemOf({ id, words: [id % 5, (id >> 2) % 7, id % 3], added: [] }),
    )
    const first = comparedTexts(alike)
    const second = first.filter((_, at) => at % 7 !== 0)
    const sample: SampledPlaces = { digest: 'same', places: [] }
    const again = neighboursOf(second, sample, neighboursOf(first, sample))
    expect(shown(again)).toEqual(shown(neighboursOf(second, sample)))
  })
})

const sampleIn = (texts: readonly ComparedText[], sampled: readonly Said[]): SampledPlaces => {
  const digests = new Set(sampled.map((one) => itemOf(one).digest))
  const places = [...texts.keys()].filter((at) => digests.has(texts[at]!.digest))
  return { digest: 'same', places }
}

describe('groups', () => {
  it('of a large mission are the same when it grows bit by bit, in any order', () => {
    const random = numbersFrom(7)
    const next = (most: number) => Math.floor(random() * most)
    const vocabulary = Array.from({ length: 400 }, () =>
      Array.from({ length: 6 }, () => 'aeioubdgklmnprst'[next(16)]).join(''),
    )
    const items = Array.from({ length: 1400 }, (_, id): KnownItem => {
      const topic = id % 120
      const text = Array.from({ length: 8 }, () => vocabulary[random() < 0.6 ? topic * 3 + next(3) : next(400)]).join(
        ' ',
      )
      return {
        id: `k${id}`,
        digest: text,
        own: text,
        createdAt: String(id).padStart(6, '0'),
        features: featuresOf(text),
      }
    })
    const whole = groupKnown(items)
    expect(whole.groups.length).toBeGreaterThan(50)
    let before: Neighbours | undefined
    for (const count of [1300, 1350, 1400]) before = groupKnown(items.slice(0, count), {}, before).neighbours
    // Nothing was left to compare, and nothing of it was compared by an older sample.
    expect(groupKnown(items.toReversed(), {}, before).groups).toEqual(whole.groups)
    expect(shown(before!)).toEqual(shown(whole.neighbours))
  })
})

describe('the sample', () => {
  it('grows in two steps from one power of two to the next', () => {
    expect([5, 1023, 1024, 1535, 1536, 10_000, 12_287, 12_288].map(rounded)).toEqual([
      5, 1023, 1024, 1024, 1536, 8192, 8192, 12_288,
    ])
  })

  it('is the oldest, whatever comes later, and each text once', () => {
    const texts = Array.from({ length: 1100 }, (_, i) => ({
      own: `t${i}`,
      createdAt: String(i).padStart(6, '0'),
      id: `k${i}`,
    }))
    const { digest, texts: oldest } = sampleOf(texts)
    expect(oldest).toEqual(texts.slice(0, 1024))
    const more = [
      ...texts,
      { own: 'new', createdAt: '999999', id: 'n' },
      { own: 't3', createdAt: '999998', id: 'again' },
    ]
    expect(sampleOf(more.toReversed())).toEqual({ digest, texts: oldest })
    expect(sampleOf([...texts, { own: 'old', createdAt: '0', id: 'o' }]).digest).not.toBe(digest)
  })
})

describe('features', () => {
  it('count what was there from the first apart from what was added', () => {
    const { terms, counts, numbers } = featuresOf('slow slow `a/b.ts` 404', 'slow fast `c/d.ts` 8080')
    const countOf = (piece: string) => counts[terms.indexOf(hashOf(piece))]
    expect(['_slo', '_fas', '_ts_'].map(countOf)).toEqual([3, -1, 2])
    expect([...numbers]).toEqual([hashOf('404'), hashOf('8080')])
  })

  it('are those of the pieces of words in any script', () => {
    const text = 'Ab schnell übermäßig 数据库很慢 запрос 123 don’t x'
    expect(pieceHashesOf(text)).toEqual(nGramsOf(text).map(hashOf))
  })

  it('a list keeps the most alike, and of equals the lowest', () => {
    const lists = new NearestLists(100)
    for (let other = 99; other > 0; other--) lists.insert(0, other, other % 2 === 0 ? 0.5 : 0.25)
    expect([...lists.places.slice(0, 3)]).toEqual([2, 4, 6])
    expect(lists.used[0]).toBe(mostNeighbours)
  })
})

function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state / 0x80000000
  }
}
