/**
 * Texts in the order in which they answer a query: by its words, by its meaning, and by both together.
 *
 * Both are a cosine, so they are added, and the sum means something: below a floor a text does not answer the query, and then
 * nothing is found. Vectors of an endpoint have a scale of their own; with those the places of texts in the two rankings are
 * joined instead. The numbers were chosen by `npm run eval -- --tune`.
 */
import { type Features, featuresOf, lengthOf, rarityOf, timesOf } from './features.ts'
import { Tally } from './tally.ts'

export interface Ranked {
  /** Which text, by its number. */
  readonly place: number
  /** From 0 to 1, the same text. */
  readonly score: number
}

export type FoundBy = 'words' | 'meaning'

export interface Hit extends Ranked {
  readonly by: readonly FoundBy[]
}

/** How much words count beside meaning. From a quarter to three quarters it makes little difference. */
const wordsWeight = 0.5
/** Estimates the meaning of a text without a vector from its words, so that it can be ranked with the others. */
const meaningByWords = (words: number): number => (words > 0 ? words + 0.1 : 0)
/** Sums below this are chance: 95 of 100 right answers have .28 or more, questions about something else .2 at most. */
const floor = 0.2
/** The least sum that counts, as a share of the best one. */
const floorShare = 0.35
/** A text that has nearly all words of the query answers it, however long it is. */
const mostOfQuery = 0.8
/** Below these a text does not count as found by its words, or by its meaning. */
const leastWords = 0.05
const leastMeaning = 0.15

export interface Asked {
  /** How alike each text is in meaning, from -1 to 1; `undefined` where that is not known. */
  readonly meaning: readonly (number | undefined)[]
  readonly only?: FoundBy | undefined
}

/** The best first; of equals the first text. Empty if the query has no word that tells texts apart. */
export function rankTexts(texts: readonly Features[], query: string, { meaning, only }: Asked): Hit[] {
  if (only === 'words') return rankByWords(texts, query).map((one) => ({ ...one, by: ['words'] }))
  const words = wordScores(texts, query)
  if (!words) return []
  const sums = texts.map((_, place): Hit => {
    const likeness = meaning[place]
    if (only === 'meaning') return { place, score: likeness ?? 0, by: ['meaning'] }
    const { score, share } = words(place)
    const sum = (likeness ?? meaningByWords(score)) + wordsWeight * score
    const by: FoundBy[] = [
      ...(score >= leastWords ? (['words'] as const) : []),
      ...((likeness ?? 0) >= leastMeaning ? (['meaning'] as const) : []),
    ]
    return { place, score: share >= mostOfQuery ? Math.max(sum, floor) : sum, by: by.length > 0 ? by : ['words'] }
  })
  const ranked = inOrder(sums)
  const least = Math.max(floor, (ranked[0]?.score ?? 0) * floorShare)
  const whole = only === 'meaning' ? 1 : 1 + wordsWeight
  return ranked.filter(({ score }) => score >= least).map((hit) => ({ ...hit, score: Math.min(1, hit.score / whole) }))
}

/**
 * By the pieces of words that both have, the rarer the more. Weak matches are left out: a piece in common by chance must not stand
 * before what is meant.
 */
function rankByWords(texts: readonly Features[], query: string): Ranked[] {
  const scoreOf = wordScores(texts, query)
  if (!scoreOf) return []
  const ranked = inOrder(texts.map((_, place) => ({ place, score: scoreOf(place).score })))
  const least = Math.max(leastWords, (ranked[0]?.score ?? 0) * 0.3)
  return ranked.filter(({ score }) => score >= least)
}

interface WordScore {
  readonly score: number
  /** How much of what the query says stands in the text. */
  readonly share: number
}

/** `undefined` if the query has no word that tells texts apart. */
function wordScores(texts: readonly Features[], query: string): ((place: number) => WordScore) | undefined {
  const asked = featuresOf(query)
  if (asked.terms.length === 0 && asked.numbers.length === 0) return undefined
  const tally = new Tally()
  for (const { terms, numbers } of texts) {
    for (let i = 0; i < terms.length; i++) tally.add(terms[i]!)
    for (const hash of numbers) tally.add(hash)
  }
  const byCount = Float64Array.from({ length: texts.length + 1 }, (_, textsWith) => rarityOf(texts.length, textsWith))
  const rarity = (hash: number): number => byCount[tally.of(hash)]!
  const weights = new Map<number, number>()
  for (let i = 0; i < asked.terms.length; i++)
    weights.set(asked.terms[i]!, timesOf(asked.counts[i]!) * rarity(asked.terms[i]!))
  for (const hash of asked.numbers) weights.set(hash, rarity(hash))
  let squares = 0
  for (const weight of weights.values()) squares += weight * weight
  const length = Math.sqrt(squares) || 1
  return (place) => {
    const { terms, counts, numbers } = texts[place]!
    let sum = 0
    let found = 0
    for (let i = 0; i < terms.length; i++) {
      const weight = weights.get(terms[i]!)
      if (weight === undefined) continue
      sum += weight * timesOf(counts[i]!) * rarity(terms[i]!)
      found += weight * weight
    }
    for (const hash of numbers) {
      const weight = weights.get(hash)
      if (weight === undefined) continue
      sum += weight * weight
      found += weight * weight
    }
    if (sum === 0) return nothingInCommon
    return { score: Math.min(1, sum / (length * lengthOf(texts[place]!, rarity))), share: found / squares }
  }
}

const nothingInCommon: WordScore = { score: 0, share: 0 }

/** Endpoints differ, but with all of them a lower cosine means that the texts are unrelated. */
const leastOfEndpoint = 0.2

/** Ranks with the vectors of an endpoint, whose cosines have a scale of their own. */
export function rankWithEndpoint(texts: readonly Features[], query: string, { meaning, only }: Asked): Hit[] {
  const byMeaning = inOrder(meaning.map((score = 0, place) => ({ place, score }))).filter(
    ({ score }) => score >= leastOfEndpoint,
  )
  return joinRanks({
    words: only === 'meaning' ? [] : rankByWords(texts, query),
    meaning: only === 'words' ? [] : byMeaning,
  })
}

/** The larger this is, the less the first ranks count over the ranks after them. */
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
