/** Measures clustering and search on one part of the labelled set, beside plain TF-IDF and plain vectors. */
import type { Embedder } from '../../src/kernel/embedder.ts'
import { Frequencies, similarity } from '../../src/text/frequencies.ts'
import { groupTexts } from '../../src/text/grouping.ts'
import { linkPairs, type Pair } from '../../src/text/linkage.ts'
import { rankTexts } from '../../src/text/ranking.ts'
import { cosine } from '../../src/text/vectors.ts'
import { termsOf } from '../../src/text/words.ts'
import type { LabelledPart, LabelledQuery } from './labelled-set.ts'
import {
  type ClusterFigures,
  clusterFigures,
  confusions,
  meanOf,
  type RankingFigures,
  rankingFigures,
} from './measures.ts'

/** As in the settings of AC-MQ. */
const leastMessages = 4

export interface Evaluation {
  readonly clusters: Readonly<Record<string, ClusterFigures>>
  readonly confused: readonly (readonly [pair: string, count: number])[]
  readonly search: Readonly<Record<string, Readonly<Record<LabelledQuery['kind'], RankingFigures>>>>
}

export interface EvaluationOptions {
  /** Whose vectors are compared. */
  readonly embedder: Embedder
  /** Comes with the package; the baseline of plain vectors when no endpoint is measured. */
  readonly isLocal: boolean
}

/** Chosen on the part to tune on: the highest precision with a quarter of the messages in clusters. */
const baselineCuts = { words: 0.07, vectors: 0.6 }

export async function evaluate(part: LabelledPart, { embedder, isLocal }: EvaluationOptions): Promise<Evaluation> {
  const texts = part.messages.map(({ summary, body }) => `${summary}\n${body}`)
  const vectors = await embedder.embed(texts)
  const ours = (withLinks: boolean) =>
    groupTexts(
      part.messages.map(({ id, after }, i) => ({
        key: id,
        text: texts[i]!,
        links: withLinks ? after : [],
        ...(isLocal ? {} : { vector: vectors[i]! }),
      })),
      { least: leastMessages },
    )
  const topics = part.messages.map(({ topic }) => topic)
  const numbered = (groups: readonly (readonly string[])[]) => {
    const of = new Map(groups.flatMap((group, number) => group.map((id) => [id, number] as const)))
    return part.messages.map(({ id }) => of.get(id))
  }
  const plain = (likeness: (a: number, b: number) => number, cut: number) =>
    linkPairs(texts.length, everyPair(texts.length, likeness), cut)
      .filter((group) => group.length >= leastMessages)
      .map((group) => group.map((at) => part.messages[at]!.id))
  const { frequencies, weights } = weigh(texts)
  const found = numbered(ours(true))
  const figures = (groups: readonly (readonly string[])[]) => clusterFigures(topics, numbered(groups))
  const rankings = {
    Signalbox: async (query: string) =>
      (await rankTexts(texts, query, { embedder, vectors })).map(({ place }) => place),
    'plain TF-IDF': async (query: string) => {
      const asked = frequencies.weigh(termsOf(query))
      return weights
        .map((one, place) => ({ place, score: similarity(asked, one) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score)
        .map(({ place }) => place)
    },
    'plain vectors': async (query: string) => {
      const [asked] = await embedder.embed([query])
      return vectors
        .map((vector, place) => ({ place, score: cosine(asked!, vector) }))
        .sort((a, b) => b.score - a.score)
        .map(({ place }) => place)
    },
  }
  const search: Record<string, Record<LabelledQuery['kind'], RankingFigures>> = {}
  for (const [name, rank] of Object.entries(rankings)) {
    const of = async (kind: LabelledQuery['kind']): Promise<RankingFigures> => {
      const all: RankingFigures[] = []
      for (const query of part.queries.filter((one) => one.kind === kind)) {
        const ids = (await rank(query.text)).map((place) => part.messages[place]!.id)
        all.push(rankingFigures(ids, query.relevant))
      }
      return {
        recallAt5: meanOf(all, ({ recallAt5 }) => recallAt5),
        reciprocalRank: meanOf(all, ({ reciprocalRank }) => reciprocalRank),
      }
    }
    search[name] = { words: await of('words'), meaning: await of('meaning') }
  }
  return {
    clusters: {
      Signalbox: clusterFigures(topics, found),
      'the same without dependencies': figures(ours(false)),
      'plain TF-IDF': figures(plain((a, b) => similarity(weights[a]!, weights[b]!), baselineCuts.words)),
      'plain vectors': figures(plain((a, b) => cosine(vectors[a]!, vectors[b]!), baselineCuts.vectors)),
    },
    confused: confusions(topics, found),
    search,
  }
}

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
