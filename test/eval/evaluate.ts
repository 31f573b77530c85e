/** Measures search and groups on one labelled part, beside plain methods: TF-IDF, single vectors of a model, word vectors. */

import { featuresOf } from '../../src/text/features.ts'
import { Frequencies, similarity } from '../../src/text/frequencies.ts'
import { groupTexts } from '../../src/text/grouping.ts'
import { linkPairs, type Pair } from '../../src/text/linkage.ts'
import { subjectOf } from '../../src/text/query.ts'
import { rankTexts, rankWithEndpoint } from '../../src/text/ranking.ts'
import { isEnglishText } from '../../src/text/stop-words.ts'
import { cosine } from '../../src/text/vectors.ts'
import { termsOf } from '../../src/text/words.ts'
import type { LabelledPart, LabelledQuery } from './labelled-set.ts'
import { type ClusterFigures, clusterFigures, confusions, meanOf, rankingFigures } from './measures.ts'

/** As in the settings of AC-MQ. */
const leastMessages = 4

export interface Vectors {
  /** Compared as the package does with its own model. */
  readonly isLocal: boolean
  embed(texts: readonly string[]): Promise<Float32Array[]>
}

/** Recall among the first five, of queries that share words with what they should find and of those that do not. */
export type SearchFigures = Readonly<Record<LabelledQuery['kind'], number>>

export interface Evaluation {
  readonly search: Readonly<Record<string, SearchFigures>>
  readonly groups: Readonly<Record<string, ClusterFigures>>
  /** Precision and share of messages when 15 of 100 messages are left out, of several such choices. */
  readonly spread: { readonly precision: readonly number[]; readonly clustered: readonly number[] }
  readonly confused: readonly (readonly [pair: string, count: number])[]
}

/** Chosen on the side to tune on: the highest precision with a quarter of the messages in groups. */
const baselineCuts = { words: 0.07, vectors: 0.42 }
const choices = 10

/** `others`: baselines, by name. */
export async function evaluate(
  part: LabelledPart,
  model: Vectors,
  others: Readonly<Record<string, Vectors>> = {},
): Promise<Evaluation> {
  const texts = part.messages.map(({ summary, body }) => `${summary}\n${body}`)
  const features = texts.map((text) => featuresOf(text))
  const made = await model.embed(texts)
  const vectors = made.map((vector, i) => (!model.isLocal || isEnglishText(texts[i]!) ? vector : undefined))
  const signalbox = async (query: string) => {
    const subject = subjectOf(query)
    const [asked] = await model.embed([subject])
    const meaning = vectors.map((vector) => vector && cosine(asked!, vector))
    return (model.isLocal ? rankTexts : rankWithEndpoint)(features, subject, { meaning }).map(({ place }) => place)
  }
  const { frequencies, weights } = weigh(texts)
  const byWords = async (query: string) => {
    const asked = frequencies.weigh(termsOf(query))
    return inOrder(weights.map((one) => similarity(asked, one)))
  }
  const search: Record<string, SearchFigures> = {
    Signalbox: await searchFigures(part, signalbox),
    'TF-IDF': await searchFigures(part, byWords),
  }
  const plain = (likeness: (a: number, b: number) => number, cut: number) =>
    linkPairs(texts.length, everyPair(texts.length, likeness), cut).filter((group) => group.length >= leastMessages)
  const topics = part.messages.map(({ topic }) => topic)
  const found = numbered(ours(texts, vectors), texts.length)
  const groups: Record<string, ClusterFigures> = {
    Signalbox: clusterFigures(topics, found),
    'TF-IDF': clusterFigures(
      topics,
      numbered(
        plain((a, b) => similarity(weights[a]!, weights[b]!), baselineCuts.words),
        texts.length,
      ),
    ),
  }
  for (const [name, one] of Object.entries({ 'the model alone': model, ...others })) {
    const all = one === model ? made : await one.embed(texts)
    search[name] = await searchFigures(part, async (query) => {
      const [asked] = await one.embed([query])
      return inOrder(all.map((vector) => cosine(asked!, vector)))
    })
    const alike = plain((a, b) => cosine(all[a]!, all[b]!), baselineCuts.vectors)
    groups[name] = clusterFigures(topics, numbered(alike, texts.length))
  }
  return { search, groups, spread: spreadOf(texts, vectors, topics), confused: confusions(topics, found) }
}

function ours(texts: readonly string[], vectors: readonly (Float32Array | undefined)[]): number[][] {
  const items = texts.map((text, i) => ({ key: String(i).padStart(6, '0'), text, vector: vectors[i] }))
  return groupTexts(items, { least: leastMessages }).map((group) => group.map(Number))
}

function spreadOf(
  texts: readonly string[],
  vectors: readonly (Float32Array | undefined)[],
  topics: readonly (string | undefined)[],
): Evaluation['spread'] {
  const figures = Array.from({ length: choices }, (_, choice) => {
    // Each text is left out in 15 of 100 choices, the same ones on every machine.
    const kept = [...texts.keys()].filter((i) => (Math.imul(i * 31 + choice * 7919 + 17, 2654435761) >>> 0) % 100 >= 15)
    const groups = ours(
      kept.map((i) => texts[i]!),
      kept.map((i) => vectors[i]),
    )
    return clusterFigures(
      kept.map((i) => topics[i]),
      numbered(groups, kept.length),
    )
  })
  return { precision: figures.map((one) => one.precision), clustered: figures.map((one) => one.clustered) }
}

function numbered(groups: readonly (readonly number[])[], count: number): (number | undefined)[] {
  const of = new Map(groups.flatMap((group, number) => group.map((i) => [i, number] as const)))
  return Array.from({ length: count }, (_, i) => of.get(i))
}

async function searchFigures(
  part: LabelledPart,
  rank: (query: string) => Promise<readonly number[]>,
): Promise<SearchFigures> {
  const of = async (kind: LabelledQuery['kind']): Promise<number> => {
    const all: number[] = []
    for (const query of part.queries.filter((one) => one.kind === kind)) {
      const ids = (await rank(query.text)).map((place) => part.messages[place]!.id)
      all.push(rankingFigures(ids, query.relevant).recallAt5)
    }
    return meanOf(all, (one) => one)
  }
  return { words: await of('words'), meaning: await of('meaning') }
}

const inOrder = (scores: readonly number[]): number[] =>
  [...scores.keys()].filter((place) => scores[place]! > 0).sort((a, b) => scores[b]! - scores[a]!)

function weigh(texts: readonly string[]) {
  const frequencies = new Frequencies()
  const terms = texts.map(termsOf)
  for (const one of terms) frequencies.add(one)
  return { frequencies, weights: terms.map((one) => frequencies.weigh(one)) }
}

function everyPair(count: number, likeness: (a: number, b: number) => number): Pair[] {
  const pairs: Pair[] = []
  for (let a = 0; a < count; a++)
    for (let b = 0; b < a; b++) pairs.push({ a, b, likeness: Math.max(0, likeness(a, b)) })
  return pairs
}
