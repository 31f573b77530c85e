/** Clustering and search reach their goals on the part that nobody tunes on, and `docs/memory-quality.md` says what they reach. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { WordVectors } from '../../src/text/word-vectors.ts'
import { type Evaluation, evaluate } from './evaluate.ts'
import { readPart } from './labelled-set.ts'
import { clusterFigures, confusions, rankingFigures } from './measures.ts'
import { printEvaluation } from './print.ts'

const inRoot = (path: string) => new URL(`../../${path}`, import.meta.url)

let figures: Evaluation
beforeAll(async () => {
  const embedder = new WordVectors(readFileSync(inRoot('data/word-vectors.bin')))
  figures = await evaluate(readPart(inRoot('test/eval/hand-tune-2.md')), { embedder, isLocal: true })
})

describe('on the part left alone', () => {
  it('what is put together belongs together, and noise stays out', () => {
    const { Signalbox, ...others } = figures.clusters
    expect(Signalbox!.precision).toBeGreaterThanOrEqual(0.7)
    expect(Signalbox!.noiseKeptOut).toBeGreaterThanOrEqual(0.8)
    expect(Signalbox!.clustered).toBeGreaterThanOrEqual(0.25)
    for (const other of Object.values(others)) expect(Signalbox!.precision).toBeGreaterThan(other.precision)
  })

  it('search finds what shares words, and some of what does not', () => {
    const { words, meaning } = figures.search.Signalbox!
    expect(words.recallAt5).toBeGreaterThanOrEqual(0.8)
    expect(meaning.recallAt5).toBeGreaterThanOrEqual(0.2)
    expect(words.recallAt5).toBeGreaterThanOrEqual(figures.search['plain TF-IDF']!.words.recallAt5)
  })

  it('the documentation says these figures', () => {
    expect(readFileSync(inRoot('docs/memory-quality.md'), 'utf8')).toContain(printEvaluation(figures))
  })
})

describe('the measures', () => {
  it('are right for a case that can be counted by hand', () => {
    const topics = ['a', 'a', 'a', 'b', 'b', undefined]
    const clusters = [1, 1, 2, 2, undefined, 2]
    const one = clusterFigures(topics, clusters)
    // Together: 01, 23, 25, 35; belong together: 01, 02, 12, 34.
    expect(one).toMatchObject({ precision: 1 / 4, recall: 1 / 4, noiseKeptOut: 0, clustered: 5 / 6, clusters: 2 })
    expect(confusions(topics, clusters)).toEqual([
      ['a / b', 1],
      ['a / noise', 1],
      ['b / noise', 1],
    ])
    expect(clusterFigures(['a', 'a', 'b', 'b'], [1, 1, 2, 2])).toMatchObject({ adjustedRand: 1, vMeasure: 1 })
    expect(rankingFigures(['x', 'a', 'b'], ['a', 'c'])).toEqual({ recallAt5: 0.5, reciprocalRank: 0.5 })
  })
})
