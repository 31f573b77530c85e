/**
 * What a text is compared by when groups are made, as numbers: small, quick to compare, and worth keeping for the next time.
 *
 * Two parts of a text are told apart: what was said from the first, and what was added later, such as a result. Both are
 * compared; how common something is in a mission is counted by the first alone, which does not change any more.
 */

import { hashOf, pieceHashesOf } from './n-grams.ts'
import { namesIn } from './names.ts'

export interface Features {
  /** Hashes of the pieces of its words, ascending, each once. */
  readonly terms: Uint32Array
  /** How often each stands there, at most 127 times; below zero: only in what was added later. */
  readonly counts: Int8Array
  /** Hashes of the files, identifiers and errors that it names: first those that it named from the first. */
  readonly names: Uint32Array
  readonly ownNames: number
}

const mostCounted = 127

export function featuresOf(text: string, added = ''): Features {
  const own = counted(pieceHashesOf(text))
  const later = added === '' ? nothing : counted(pieceHashesOf(added))
  const isTwofold = later.terms.length > 0
  const { terms, counts } = isTwofold ? joined(own, later) : own
  const ownNames = Array.from(namesIn(text), hashOf)
  const known = new Set(ownNames)
  for (const name of added === '' ? [] : namesIn(added)) known.add(hashOf(name))
  return { terms, counts, names: Uint32Array.from(known), ownNames: new Set(ownNames).size }
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
