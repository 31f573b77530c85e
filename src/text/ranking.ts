/** Texts in the order in which they answer a query: by its words, by its meaning, and by both joined. */
import { type Embedder, type KnowsWords, knowsWords } from '../kernel/embedder.ts'
import { Frequencies, similarity } from './frequencies.ts'
import { nGramsOf } from './n-grams.ts'
import { isStopWord } from './stop-words.ts'
import { cosine, dot } from './vectors.ts'
import { termsOf, wordsIn } from './words.ts'

export interface Ranked {
  /** Which text, by its number. */
  readonly place: number
  readonly score: number
}

export type FoundBy = 'words' | 'meaning'

export interface Hit extends Ranked {
  readonly by: readonly FoundBy[]
}

export interface QueryOptions {
  /** Only by one of the two. */
  readonly only?: FoundBy
  /** Who knows meanings; without one only words count. */
  readonly embedder?: Embedder | undefined
  /** Their vectors from this provider, where it does not know words one by one. */
  readonly vectors?: readonly (Float32Array | undefined)[]
}

/** A longer query is cut: nobody types more, and each word costs a look at every text. */
export const longestQuery = 2000

/** The best first; of equals the first text. Nothing, if nothing in the query means anything. */
export async function rankTexts(texts: readonly string[], query: string, options: QueryOptions = {}): Promise<Hit[]> {
  const { only, embedder } = options
  const asked = query.slice(0, longestQuery)
  const byWords = only === 'meaning' ? [] : rankByWords(texts, asked)
  const byMeaning = only === 'words' || !embedder ? [] : await rankByMeaning(texts, asked, embedder, options.vectors)
  return joinRanks({ words: byWords, meaning: byMeaning })
}

/**
 * By the stems and pieces of words that both have, the rarer the more. Weak matches are left out: a piece in common by chance
 * must not stand before what is meant.
 */
export function rankByWords(texts: readonly string[], query: string): Ranked[] {
  const numbers = new Set(wordsIn(query).filter((word) => /^\p{N}+$/u.test(word)))
  const terms = texts.map((text) => [...termsAndPieces(text), ...numbersOf(text, numbers)])
  const frequencies = new Frequencies()
  for (const one of terms) frequencies.add(one)
  const asked = frequencies.weigh([...termsAndPieces(query), ...numbers])
  const ranked = inOrder(terms.map((one, place) => ({ place, score: similarity(asked, frequencies.weigh(one)) })))
  const least = Math.max(weakest, (ranked[0]?.score ?? 0) * weakestShare)
  return ranked.filter(({ score }) => score >= least)
}

const termsAndPieces = (text: string): string[] => [...termsOf(text), ...nGramsOf(text, 5)]
/** Numbers tell nothing of what a text is about, but whoever asks for 404 or 8080 means just that. */
const numbersOf = (text: string, asked: ReadonlySet<string>): string[] =>
  asked.size === 0 ? [] : wordsIn(text).filter((word) => asked.has(word))
const weakest = 0.05
/** Of the best match. */
const weakestShare = 0.3

async function rankByMeaning(
  texts: readonly string[],
  query: string,
  embedder: Embedder,
  vectors: readonly (Float32Array | undefined)[] = [],
): Promise<Ranked[]> {
  if (knowsWords(embedder)) return rankWordByWord(texts, query, embedder)
  const [asked] = await embedder.embed([query])
  if (!asked) return []
  const scored = vectors.map((vector, place) => ({ place, score: vector ? cosine(asked, vector) : 0 }))
  return inOrder(scored.filter(({ score }) => score >= leastCosine))
}

/** Endpoints differ; below this nothing any of them says is related. */
const leastCosine = 0.2
/** Of what it would be if every word of the query stood in the text. */
const leastMeaning = 0.3

/** For each word of the query the word of the text that is nearest to it. Finds more than one vector for a whole text. */
export function rankWordByWord(texts: readonly string[], query: string, known: KnowsWords): Ranked[] {
  const asked = contentWords(query).flatMap((word) => {
    const vector = known.vectorOf(word)
    return vector ? [{ vector, weight: known.weightOf(word), near: new Map<string, number>() }] : []
  })
  const whole = asked.reduce((sum, { weight }) => sum + weight, 0)
  if (whole === 0) return []
  const vectorOf = remembering((word: string) => known.vectorOf(word))
  const scored = texts.map((text, place) => {
    const best = asked.map(() => 0)
    for (const word of contentWords(text)) {
      for (const [i, { vector, near }] of asked.entries()) {
        let likeness = near.get(word)
        if (likeness === undefined) {
          const other = vectorOf(word)
          likeness = other ? dot(vector, other) : 0
          near.set(word, likeness)
        }
        if (likeness > best[i]!) best[i] = likeness
      }
    }
    return { place, score: asked.reduce((sum, { weight }, i) => sum + weight * best[i]!, 0) / whole }
  })
  return inOrder(scored.filter(({ score }) => score >= leastMeaning))
}

const contentWords = (text: string): string[] => [...new Set(wordsIn(text))].filter((word) => !isStopWord(word))

function remembering<T>(find: (word: string) => T): (word: string) => T {
  const known = new Map<string, T>()
  return (word) => {
    if (!known.has(word)) known.set(word, find(word))
    return known.get(word)!
  }
}

/** How little the first places differ from those after them. */
const flatness = 20

/**
 * By the places that a text has in the rankings, not by its scores, which cannot be compared. Reciprocal rank fusion, after
 * Cormack et al. (2009).
 */
export function joinRanks(rankings: Readonly<Record<FoundBy, readonly Ranked[]>>): Hit[] {
  const joined = new Map<number, { score: number; by: FoundBy[] }>()
  for (const by of ['words', 'meaning'] as const) {
    for (const [rank, { place }] of rankings[by].entries()) {
      const hit = joined.get(place) ?? { score: 0, by: [] }
      hit.score += flatness / (flatness + rank)
      hit.by.push(by)
      joined.set(place, hit)
    }
  }
  const lists = Object.values(rankings).filter((ranking) => ranking.length > 0).length || 1
  return inOrder([...joined].map(([place, { score, by }]) => ({ place, by, score: score / lists })))
}

const inOrder = <T extends Ranked>(ranked: readonly T[]): T[] =>
  ranked.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score || a.place - b.place)
