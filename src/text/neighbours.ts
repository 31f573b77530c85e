/**
 * For each of many texts those that are most alike, and how much.
 *
 * What was found before is used again: only texts that are new are compared with all others. That gives the same as comparing
 * all with all, because a likeness depends on the two texts and on the sample alone, by which it is counted how common
 * something is, and the sample changes rarely (`sampleOf`).
 */
import type { Features } from './features.ts'
import { NearestLists } from './nearest-lists.ts'
import { Numbering } from './numbering.ts'
import { Tally } from './tally.ts'
import { dot, toUnit } from './vectors.ts'

export interface ComparedText {
  /** Names the text: the same for the same text alone. */
  readonly digest: string
  readonly features: Features
  /** From an endpoint that is better at this than we are: compared besides, where both have one. */
  readonly vector?: Float32Array | undefined
}

/** By which it is counted how common something is: see `sampleOf`. */
export interface SampledPlaces {
  readonly digest: string
  /** Of texts, oldest first. */
  readonly places: readonly number[]
}

/** What is kept for the next time. Places are numbers of texts in the order of their digests. */
export interface Neighbours {
  /** Of the sample by which they were compared. */
  readonly sample: string
  readonly digests: readonly string[]
  readonly links: Links
  /** In how many texts of the sample each term and each name is found. */
  readonly terms: Tally
  readonly names: Tally
  /** How long the text is, counted in its terms and their rarity. */
  readonly lengths: Float64Array
  readonly lists: NearestLists
}

const sharedName = 0.5
const hasLink = 0.5
/** Of vectors from an endpoint. The vectors that come with the package make groups worse, so they are not asked. */
const meaningWeight = 0.3
const unrelated = 0.3
/** Pairs that are less alike than this count as having nothing in common. */
const floor = 0.03
/** A name or term that so many texts have tells nothing; it would also cost a comparison of all with all. */
const commonIn = (texts: number): number => Math.max(300, texts / 50)
const commonName = (texts: number): number => Math.max(5, texts / 25)

/** For each text the places of those that it answers or depends on, and of those that depend on it, ascending. */
export type Links = ReadonlyMap<number, readonly number[]>

/** `texts` in the order of their digests, each digest once. */
export function neighboursOf(
  texts: readonly ComparedText[],
  links: Links,
  sample: SampledPlaces,
  before?: Neighbours,
): Neighbours {
  const known = before?.sample === sample.digest ? before : undefined
  const kept = keep(texts, links, known)
  const counted = known ?? count(texts, sample)
  compare(texts, links, { ...counted, size: sample.places.length, centre: centreOf(texts, sample) }, kept)
  const { lists, lengths } = kept
  const { terms, names } = counted
  const digests = texts.map(({ digest }) => digest)
  return { sample: sample.digest, digests, links, terms, names, lengths, lists }
}

interface Kept {
  readonly lists: NearestLists
  readonly lengths: Float64Array
  /** The places of texts that are compared with all others. */
  readonly rows: readonly number[]
  /** 1 for texts that others do not know yet. */
  readonly isNew: Uint8Array
}

/** What of the lists from before still holds. */
function keep(texts: readonly ComparedText[], links: Links, before: Neighbours | undefined): Kept {
  const lists = new NearestLists(texts.length)
  const lengths = new Float64Array(texts.length)
  const isNew = new Uint8Array(texts.length).fill(1)
  if (!before) return { lists, lengths, isNew, rows: texts.map((_, at) => at) }
  const places = placesNow(texts, links, before)
  const rows: number[] = []
  for (const [was, at] of places.entries()) {
    if (at < 0) continue
    isNew[at] = 0
    lengths[at] = before.lengths[was]!
    // A full list that has lost one may have left out another that comes next.
    if (!lists.take(at, before.lists, was, places)) rows.push(at)
  }
  for (const at of isNew.keys()) if (isNew[at] === 1) rows.push(at)
  return { lists, lengths, isNew, rows: rows.sort((a, b) => a - b) }
}

/** Where each text from before is now; -1 for one that is gone, or whose links are others. */
function placesNow(texts: readonly ComparedText[], links: Links, { digests, links: before }: Neighbours): Int32Array {
  const places = new Int32Array(digests.length).fill(-1)
  for (let was = 0, at = 0; was < digests.length && at < texts.length; ) {
    const [one, other] = [digests[was]!, texts[at]!.digest]
    if (one === other) {
      const then = (before.get(was) ?? []).map((place) => digests[place])
      const now = (links.get(at) ?? []).map((place) => texts[place]!.digest)
      if (then.length === now.length && then.every((digest, i) => digest === now[i])) places[was] = at
    }
    if (one <= other) was++
    if (other <= one) at++
  }
  return places
}

function count(texts: readonly ComparedText[], { places }: SampledPlaces): Pick<Neighbours, 'terms' | 'names'> {
  const terms = new Tally()
  const names = new Tally()
  for (const at of places) {
    const { features } = texts[at]!
    for (let i = 0; i < features.terms.length; i++) if (features.counts[i]! > 0) terms.add(features.terms[i]!)
    for (let i = 0; i < features.ownNames; i++) names.add(features.names[i]!)
  }
  return { terms, names }
}

interface Counted extends Pick<Neighbours, 'terms' | 'names'> {
  /** How many texts were counted. */
  readonly size: number
  /** What the vectors of the sample have in common. */
  readonly centre: Float32Array | undefined
}

/** Fills the lists of the rows, and puts the new ones into the lists of all others. */
function compare(texts: readonly ComparedText[], links: Links, counted: Counted, kept: Kept): void {
  const { lists, lengths, rows, isNew } = kept
  if (rows.length === 0) return
  const [mostTexts, mostNamed] = [commonIn(counted.size), commonName(counted.size)]
  const rarityOf = (found: number): number => Math.log((1 + counted.size) / (1 + found)) + 1
  for (const at of rows) {
    if (isNew[at] === 1) lengths[at] = lengthOf(texts[at]!.features, (hash) => rarityOf(counted.terms.of(hash)))
  }
  const terms = new RowIndex(
    rows.map((at) => texts[at]!.features.terms),
    (hash) => counted.terms.of(hash) <= mostTexts,
  )
  const names = new RowIndex(
    rows.map((at) => texts[at]!.features.names),
    (hash) => counted.names.of(hash) <= mostNamed,
  )
  const rarity = Float64Array.from(terms.hashes, (hash) => rarityOf(counted.terms.of(hash)))
  const weights = terms.weights((row, i, number) => {
    const at = rows[row]!
    return (timesOf(texts[at]!.features.counts[i]!) * rarity[number]!) / lengths[at]!
  })
  const vectors = texts.map(({ vector }) => vector && counted.centre && fromCentre(vector, counted.centre))
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
    for (const name of features.names) {
      const number = names.numberOf(name)
      if (number < 0) continue
      for (let j = names.starts[number]!; j < names.starts[number + 1]!; j++) common.mark(names.rows[j]!, named)
    }
    for (const at of links.get(b) ?? none) if (rowOf[at]! >= 0) common.mark(rowOf[at]!, linked)
    const isRow = rowOf[b]! >= 0
    const least = vectors[b] ? 0 : floor
    for (let row = common.take(least); row >= 0; row = common.take(least)) {
      const a = rows[row]!
      if (a === b) continue
      const { marks, words } = common
      const evidence = (marks & named ? sharedName : 0) + (marks & linked ? hasLink : 0)
      // The same number in memory and on disk, where it takes half of the room.
      const likeness = Math.fround(words + evidence + byMeaning(vectors[a], vectors[b]))
      if (likeness < floor) continue
      lists.insert(a, b, likeness, evidence > 0)
      if (!isRow && isNew[a] === 1) lists.insert(b, a, likeness, evidence > 0)
    }
  }
}

/** Saying a term often adds less and less. */
const times = Float64Array.from({ length: 129 }, (_, count) => 1 + Math.log(Math.max(1, count)))
const timesOf = (count: number): number => times[count < 0 ? -count : count]!

function lengthOf({ terms, counts }: Features, rarityOf: (hash: number) => number): number {
  let squares = 0
  for (let i = 0; i < counts.length; i++) squares += (timesOf(counts[i]!) * rarityOf(terms[i]!)) ** 2
  return Math.sqrt(squares) || 1
}

function centreOf(texts: readonly ComparedText[], { places }: SampledPlaces): Float32Array | undefined {
  const known = places.flatMap((at) => texts[at]!.vector ?? [])
  return known[0]?.map((_, i) => known.reduce((sum, vector) => sum + vector[i]!, 0) / known.length)
}

/** What all texts of a mission have in common tells nothing of one of them. */
const fromCentre = (vector: Float32Array, centre: Float32Array): Float32Array =>
  toUnit(vector.map((one, i) => one - centre[i]!))

const byMeaning = (a: Float32Array | undefined, b: Float32Array | undefined): number =>
  a && b && a.length === b.length ? Math.max(0, dot(a, b) - unrelated) * meaningWeight : 0

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

  /** One for each place of `rows`. */
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

const none: readonly number[] = []
const named = 1
const linked = 2

/** What one text has in common with each row. */
class InCommon {
  readonly #words: Float64Array
  readonly #marks: Uint8Array
  readonly #rows: Int32Array
  #count = 0
  /** Of the row that was taken last. */
  words = 0
  marks = 0

  constructor(rows: number) {
    this.#words = new Float64Array(rows)
    this.#marks = new Uint8Array(rows)
    // A row may be there twice: once by a mark, once by its words.
    this.#rows = new Int32Array(rows * 2)
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

  mark(row: number, mark: number): void {
    if (this.#marks[row] === 0 && this.#words[row] === 0) this.#rows[this.#count++] = row
    this.#marks[row]! |= mark
  }

  /** Takes out a row that has a mark or so many words in common; -1 when there is none left. */
  take(least: number): number {
    while (this.#count > 0) {
      const row = this.#rows[--this.#count]!
      this.words = this.#words[row]!
      this.marks = this.#marks[row]!
      this.#words[row] = 0
      this.#marks[row] = 0
      if (this.words >= least || this.marks !== 0) return row
    }
    return -1
  }
}
