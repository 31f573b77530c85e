/**
 * For each of many texts those that are most alike, and how much: by meaning, the cosine of their vectors, plus by words, the cosine
 * of their rare pieces.
 *
 * What was found before is used again: only texts that are new are compared with all others. That gives the same as comparing
 * all with all, because a likeness depends only on the two texts and on the sample in which terms are counted, and the sample
 * changes rarely (`sampleOf`).
 */
import { type Features, lengthOf, rarityOf, timesOf } from './features.ts'
import { NearestLists } from './nearest-lists.ts'
import { Numbering } from './numbering.ts'
import { Tally } from './tally.ts'
import { dot, toUnit } from './vectors.ts'

export interface ComparedText {
  /** Names the text: equal for equal texts only, with or without a vector. */
  readonly digest: string
  readonly features: Features
  /** A text without one is compared by its words. */
  readonly vector?: Float32Array | undefined
}

/** The sample in which terms are counted: see `sampleOf`. */
export interface SampledPlaces {
  readonly digest: string
  /** Of texts, oldest first. */
  readonly places: readonly number[]
}

/** What is kept for the next time. Places are numbers of texts in the order of their digests. */
export interface Neighbours {
  /** The digest of the sample in which terms were counted. */
  readonly sample: string
  readonly digests: readonly string[]
  /** In how many texts of the sample each term is found. */
  readonly terms: Tally
  /** How long the text is, counted in its terms and their rarity. */
  readonly lengths: Float64Array
  readonly lists: NearestLists
  /** How alike the texts of a group are on average, at least. */
  readonly cut: number
}

/** Pairs that are less alike than this count as having nothing in common. */
const floor = 0.06
/** A term that so many texts have tells nothing; it would also cost a comparison of all with all. */
const commonIn = (texts: number): number => Math.max(300, texts / 50)

/** `texts` in the order of their digests, each digest once. */
export function neighboursOf(texts: readonly ComparedText[], sample: SampledPlaces, before?: Neighbours): Neighbours {
  const known = before?.sample === sample.digest ? before : undefined
  const kept = keep(texts, known)
  const terms = known?.terms ?? countTerms(texts, sample)
  const comparison = { terms, size: sample.places.length, vectors: vectorsOf(texts, sample) }
  compare(texts, comparison, kept)
  const { lists, lengths } = kept
  const cut = known?.cut ?? cutOf(texts, sample, comparison)
  return { sample: sample.digest, digests: texts.map(({ digest }) => digest), terms, lengths, lists, cut }
}

interface Kept {
  readonly lists: NearestLists
  readonly lengths: Float64Array
  /** The places of texts that are compared with all others. */
  readonly rows: readonly number[]
  /** 1 for texts that are in no list from before. */
  readonly isNew: Uint8Array
}

/** The lists from before, as far as they still hold. */
function keep(texts: readonly ComparedText[], before: Neighbours | undefined): Kept {
  const lists = new NearestLists(texts.length)
  const lengths = new Float64Array(texts.length)
  const isNew = new Uint8Array(texts.length).fill(1)
  if (!before) return { lists, lengths, isNew, rows: texts.map((_, at) => at) }
  const places = placesNow(texts, before)
  const rows: number[] = []
  for (const [was, at] of places.entries()) {
    if (at < 0) continue
    isNew[at] = 0
    lengths[at] = before.lengths[was]!
    // A full list that has lost an entry may have left out the next best one, so that text is compared anew.
    if (!lists.take(at, before.lists, was, places)) rows.push(at)
  }
  for (const at of isNew.keys()) if (isNew[at] === 1) rows.push(at)
  return { lists, lengths, isNew, rows: rows.sort((a, b) => a - b) }
}

/** Where each text from before is now; -1 for one that is gone. */
function placesNow(texts: readonly ComparedText[], { digests }: Neighbours): Int32Array {
  const places = new Int32Array(digests.length).fill(-1)
  for (let was = 0, at = 0; was < digests.length && at < texts.length; ) {
    const [one, other] = [digests[was]!, texts[at]!.digest]
    if (one === other) places[was] = at
    if (one <= other) was++
    if (other <= one) at++
  }
  return places
}

function countTerms(texts: readonly ComparedText[], { places }: SampledPlaces): Tally {
  const terms = new Tally()
  for (const at of places) {
    const { features } = texts[at]!
    for (let i = 0; i < features.terms.length; i++) if (features.counts[i]! > 0) terms.add(features.terms[i]!)
  }
  return terms
}

interface Comparison {
  readonly terms: Tally
  /** How many texts were counted. */
  readonly size: number
  /** One for each text, without what all of the sample have in common. */
  readonly vectors: readonly (Float32Array | undefined)[]
}

/** Of few texts what they have in common may be what they are about, so less of it is left out. */
const fewTexts = 50

/** What all texts of a mission have in common tells nothing of one of them. */
function vectorsOf(texts: readonly ComparedText[], { places }: SampledPlaces): (Float32Array | undefined)[] {
  const known = places.flatMap((at) => texts[at]!.vector ?? [])
  const [first] = known
  if (!first) return texts.map(({ vector }) => vector)
  const centre = new Float64Array(first.length)
  for (const vector of known) for (let i = 0; i < centre.length; i++) centre[i]! += vector[i]!
  for (let i = 0; i < centre.length; i++) centre[i]! /= known.length + fewTexts
  return texts.map(({ vector }) =>
    vector?.length === centre.length ? toUnit(vector.map((one, i) => one - centre[i]!)) : undefined,
  )
}

const likenessOf = (words: number, a: Float32Array | undefined, b: Float32Array | undefined): number =>
  words + (a && b ? dot(a, b) : words)

/** Fills the lists of the rows, and puts the new ones into the lists of all others. */
function compare(texts: readonly ComparedText[], { terms: counted, size, vectors }: Comparison, kept: Kept): void {
  const { lists, lengths, rows, isNew } = kept
  if (rows.length === 0) return
  const mostTexts = commonIn(size)
  const rarityFor = (hash: number): number => rarityOf(size, counted.of(hash))
  for (const at of rows) if (isNew[at] === 1) lengths[at] = lengthOf(texts[at]!.features, rarityFor)
  const terms = new RowIndex(
    rows.map((at) => texts[at]!.features.terms),
    (hash) => counted.of(hash) <= mostTexts,
  )
  const rarity = Float64Array.from(terms.hashes, rarityFor)
  const weights = terms.weights((row, i, number) => {
    const at = rows[row]!
    return (timesOf(texts[at]!.features.counts[i]!) * rarity[number]!) / lengths[at]!
  })
  const rowOf = new Int32Array(texts.length).fill(-1)
  for (const [row, at] of rows.entries()) rowOf[at] = row
  const common = new InCommon(rows.length)
  for (const [b, { features }] of texts.entries()) {
    for (let i = 0; i < features.terms.length; i++) {
      const number = terms.numberOf(features.terms[i]!)
      if (number < 0) continue
      const weight = (timesOf(features.counts[i]!) * rarity[number]!) / lengths[b]!
      common.addTerm(terms.rows, weights, weight, terms.starts[number]!, terms.starts[number + 1]!)
    }
    // Two rows are compared once, by the one that comes later.
    const isRow = rowOf[b]! >= 0
    common.takeAll(vectors[b] !== undefined, (row, words) => {
      const a = rows[row]!
      if (isRow ? a >= b : a === b) return
      // Rounded as on disk, where it takes half of the room.
      const likeness = Math.fround(likenessOf(words, vectors[a], vectors[b]))
      if (likeness < floor) return
      lists.insert(a, b, likeness)
      if (isRow || isNew[a] === 1) lists.insert(b, a, likeness)
    })
  }
}

/** How many texts of the sample are compared pair by pair to find the cut. */
const mostSampled = 300
/**
 * The cut is chosen so that each text has about so many others above it: the more texts, the smaller is the share of pairs that
 * are of one topic. Chosen by `npm run eval -- --tune`; a share of all pairs fits missions of any kind, a likeness does not.
 */
const othersOfATopic = 4.2
/** Bounds of the cut, for missions where nearly all texts are about one thing, or hardly two have anything in common. */
const [lowestCut, highestCut] = [0.18, 0.45]

/** How much more alike than most the texts of a group must be. */
function cutOf(
  texts: readonly ComparedText[],
  { places }: SampledPlaces,
  { terms, size, vectors }: Comparison,
): number {
  const step = Math.max(1, places.length / mostSampled)
  const count = Math.min(places.length, mostSampled)
  const sampled = Array.from({ length: count }, (_, i) => places[Math.floor(i * step)]!)
  const rarityFor = (hash: number): number => rarityOf(size, terms.of(hash))
  const weighed = sampled.map((at) => weigh(texts[at]!.features, rarityFor))
  const found = new Float64Array((count * (count - 1)) / 2)
  let pairs = 0
  for (let a = 0; a < count; a++)
    for (let b = 0; b < a; b++)
      found[pairs++] = likenessOf(inCommon(weighed[a]!, weighed[b]!), vectors[sampled[a]!], vectors[sampled[b]!])
  found.sort()
  const above = found[Math.floor(pairs * Math.max(0, 1 - othersOfATopic / size))] ?? highestCut
  return Math.min(highestCut, Math.max(lowestCut, above))
}

interface Weighed {
  readonly terms: Uint32Array
  readonly weights: Float64Array
}

function weigh(features: Features, rarity: (hash: number) => number): Weighed {
  const length = lengthOf(features, rarity)
  const { terms, counts } = features
  return { terms, weights: Float64Array.from(terms, (hash, i) => (timesOf(counts[i]!) * rarity(hash)) / length) }
}

function inCommon(one: Weighed, other: Weighed): number {
  let sum = 0
  for (let i = 0, j = 0; i < one.terms.length && j < other.terms.length; ) {
    const [a, b] = [one.terms[i]!, other.terms[j]!]
    if (a === b) sum += one.weights[i]! * other.weights[j]!
    if (a <= b) i++
    if (b <= a) j++
  }
  return sum
}

/** Which rows have a hash, of those that tell something. */
class RowIndex {
  readonly #numbering = new Numbering()
  /** For each row, -1 for a hash that tells nothing. */
  readonly #numbers: readonly Int32Array[]
  /** By number. */
  readonly hashes: Uint32Array
  /** Where the rows of each number begin. */
  readonly starts: Int32Array
  readonly rows: Int32Array

  constructor(hashes: readonly Uint32Array[], tells: (hash: number) => boolean) {
    this.#numbers = hashes.map((row) => Int32Array.from(row, (hash) => (tells(hash) ? this.#numbering.add(hash) : -1)))
    const { size } = this.#numbering
    this.hashes = this.#numbering.hashes()
    this.starts = new Int32Array(size + 1)
    for (const row of this.#numbers) for (const number of row) if (number >= 0) this.starts[number + 1]!++
    for (let i = 0; i < size; i++) this.starts[i + 1]! += this.starts[i]!
    this.rows = new Int32Array(this.starts[size]!)
    this.#eachPlace((place, row) => {
      this.rows[place] = row
    })
  }

  /** -1 for what no row has. */
  numberOf(hash: number): number {
    return this.#numbering.of(hash)
  }

  /** One weight for each entry of `rows`. */
  weights(weigh: (row: number, i: number, number: number) => number): Float64Array {
    const weights = new Float64Array(this.rows.length)
    this.#eachPlace((place, row, i, number) => {
      weights[place] = weigh(row, i, number)
    })
    return weights
  }

  #eachPlace(visit: (place: number, row: number, i: number, number: number) => void): void {
    const next = this.starts.slice()
    for (const [row, numbers] of this.#numbers.entries())
      for (let i = 0; i < numbers.length; i++) if (numbers[i]! >= 0) visit(next[numbers[i]!]!++, row, i, numbers[i]!)
  }
}

/** What one text has in common with each row. */
class InCommon {
  readonly #words: Float64Array
  readonly #rows: Int32Array
  #count = 0

  constructor(rows: number) {
    this.#words = new Float64Array(rows)
    this.#rows = new Int32Array(rows)
  }

  /** A term that those rows have. Most of the time of all comparing is spent in here. */
  addTerm(rows: Int32Array, weights: Float64Array, weight: number, start: number, end: number): void {
    const words = this.#words
    const found = this.#rows
    let count = this.#count
    for (let i = start; i < end; i++) {
      const row = rows[i]!
      const before = words[row]!
      if (before === 0) found[count++] = row
      words[row] = before + weight * weights[i]!
    }
    this.#count = count
  }

  /** Takes out the rows with what they have in common: every row if `all`, else those that have something. */
  takeAll(all: boolean, take: (row: number, words: number) => void): void {
    const words = this.#words
    const count = all ? words.length : this.#count
    for (let i = 0; i < count; i++) {
      const row = all ? i : this.#rows[i]!
      const found = words[row]!
      words[row] = 0
      take(row, found)
    }
    this.#count = 0
  }
}
