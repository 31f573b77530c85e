/**
 * What a text is compared by, as numbers: small, quick to compare, and worth keeping for the next time.
 *
 * Two parts of a text are told apart: what was said from the first, and what was added later, such as a result. Both are
 * compared; how common something is in a mission is counted by the first alone, which does not change any more.
 */
import { hashOf, pieceHashesOf } from './n-grams.ts'
import { isNumber, wordsIn } from './words.ts'

export interface Features {
  /** Hashes of the pieces of its words, ascending, each once. */
  readonly terms: Uint32Array
  /** How often each stands there, at most 127 times; below zero: only in what was added later. */
  readonly counts: Int8Array
  /** Hashes of the numbers in it. They tell nothing of what it is about, but a query for 404 or 8080 means just that. */
  readonly numbers: Uint32Array
}

const mostCounted = 127
const mostNumbers = 200

export function featuresOf(text: string, added = ''): Features {
  const own = counted(pieceHashesOf(text))
  const later = added === '' ? nothing : counted(pieceHashesOf(added))
  const { terms, counts } = later.terms.length > 0 ? joined(own, later) : own
  return { terms, counts, numbers: numbersIn(`${text}\n${added}`) }
}

function numbersIn(text: string): Uint32Array {
  const hashes = new Set<number>()
  for (const word of wordsIn(text)) {
    if (isNumber(word)) hashes.add(hashOf(word))
    if (hashes.size >= mostNumbers) break
  }
  return Uint32Array.from(hashes)
}

interface Counted {
  readonly terms: Uint32Array
  readonly counts: Int8Array
}

const nothing: Counted = { terms: new Uint32Array(0), counts: new Int8Array(0) }

function counted(hashes: readonly number[]): Counted {
  const sorted = Uint32Array.from(hashes).sort()
  const terms = new Uint32Array(sorted.length)
  const counts = new Int8Array(sorted.length)
  let last = -1
  for (let i = 0; i < sorted.length; i++) {
    if (i > 0 && sorted[i] === sorted[i - 1]) counts[last] = Math.min(mostCounted, counts[last]! + 1)
    else {
      last++
      terms[last] = sorted[i]!
      counts[last] = 1
    }
  }
  return { terms: terms.slice(0, last + 1), counts: counts.slice(0, last + 1) }
}

function joined(own: Counted, later: Counted): Counted {
  const terms: number[] = []
  const counts: number[] = []
  for (let i = 0, j = 0; i < own.terms.length || j < later.terms.length; ) {
    const a = own.terms[i] ?? Number.POSITIVE_INFINITY
    const b = later.terms[j] ?? Number.POSITIVE_INFINITY
    const both = (a <= b ? own.counts[i]! : 0) + (b <= a ? later.counts[j]! : 0)
    terms.push(Math.min(a, b))
    counts.push(Math.min(mostCounted, both) * (a <= b ? 1 : -1))
    if (a <= b) i++
    if (b <= a) j++
  }
  return { terms: Uint32Array.from(terms), counts: Int8Array.from(counts) }
}

/** Each repetition of a term adds less. */
const times = Float64Array.from({ length: 129 }, (_, count) => 1 + Math.log(Math.max(1, count)))
export const timesOf = (count: number): number => times[count < 0 ? -count : count]!

/** So many texts about other things are added: from a mission of three messages it is not known yet what is common. */
const elsewhere = 20

/**
 * How much a term tells when `textsWith` of all `texts` have it. What all of them have tells nearly nothing: courtesies and
 * headings would make everything alike.
 */
export const rarityOf = (texts: number, textsWith: number): number =>
  Math.log((1 + texts + elsewhere) / (1 + textsWith)) ** 1.5

/** How long a text is, counted in its terms and their rarity. */
export function lengthOf({ terms, counts }: Features, rarity: (hash: number) => number): number {
  let squares = 0
  for (let i = 0; i < counts.length; i++) squares += (timesOf(counts[i]!) * rarity(terms[i]!)) ** 2
  return Math.sqrt(squares) || 1
}
