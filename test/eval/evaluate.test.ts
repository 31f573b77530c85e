/** Search and groups do as well as the documentation says, on the side to tune on: the other side is looked at by hand alone. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { sentenceModel } from '../support/sentence-model.ts'
import { type Evaluation, evaluate } from './evaluate.ts'
import { clusterFigures, confusions, meanOf, rankingFigures } from './measures.ts'
import { readParts } from './parts.ts'

const inRoot = (path: string) => new URL(`../../${path}`, import.meta.url)

let figures: Evaluation[]
beforeAll(async () => {
  const parts = readParts('tune', inRoot('test/eval'))
  const chosen = ['hand-tune-1', 'issues-tune'].map((name) => parts.get(name)!)
  figures = await Promise.all(chosen.map((part) => evaluate(part, { ...sentenceModel, isLocal: true })))
})

describe('on the side to tune on', () => {
  it('[AC-13.2a] what is put together belongs together, and noise stays out', () => {
    const ours = figures.map(({ groups }) => groups.Signalbox!)
    expect(meanOf(ours, ({ precision }) => precision)).toBeGreaterThanOrEqual(0.75)
    expect(meanOf(ours, ({ clustered }) => clustered)).toBeGreaterThanOrEqual(0.25)
    for (const { noiseKeptOut } of ours) expect(noiseKeptOut).toBeGreaterThanOrEqual(0.8)
    for (const { groups } of figures) {
      expect(groups.Signalbox!.precision).toBeGreaterThanOrEqual(groups['TF-IDF']!.precision)
    }
  })

  it('[AC-13.2e] search finds what shares words, and most of what does not', () => {
    const ours = figures.map(({ search }) => search.Signalbox!)
    expect(meanOf(ours, ({ words }) => words)).toBeGreaterThanOrEqual(0.85)
    expect(meanOf(ours, ({ meaning }) => meaning)).toBeGreaterThanOrEqual(0.55)
  })
})

it('the documentation says how often the other side was looked at', () => {
  expect(readFileSync(inRoot('docs/memory-quality.md'), 'utf8')).toMatch(/was looked at (?:once|\w+ times)/)
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
