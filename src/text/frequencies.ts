/** How rare terms are among many texts, and texts as weights of their terms. A term that few texts have says more of them. */
import { countsOf } from './words.ts'

/** The weights of the terms of one text, of length 1 together. */
type Weights = ReadonlyMap<string, number>

export class Frequencies {
  readonly #textsWith = new Map<string, number>()
  #texts = 0

  get texts(): number {
    return this.#texts
  }

  add(terms: Iterable<string>): void {
    this.#texts++
    for (const term of new Set(terms)) this.#textsWith.set(term, (this.#textsWith.get(term) ?? 0) + 1)
  }

  textsWith(term: string): number {
    return this.#textsWith.get(term) ?? 0
  }

  /** Smoothed, so that a term that stands everywhere counts a little and one that stands nowhere is not infinitely rare. */
  rarity(term: string): number {
    return Math.log((1 + this.#texts) / (1 + this.textsWith(term))) + 1
  }

  /** Each repetition of a term adds less. */
  weigh(terms: Iterable<string>): Weights {
    const weights = new Map<string, number>()
    let squares = 0
    for (const [term, count] of countsOf(terms)) {
      const weight = (1 + Math.log(count)) * this.rarity(term)
      weights.set(term, weight)
      squares += weight * weight
    }
    const length = Math.sqrt(squares) || 1
    for (const [term, weight] of weights) weights.set(term, weight / length)
    return weights
  }
}

/** From 0, nothing in common, to 1, the same terms in the same proportion. */
export function similarity(a: Weights, b: Weights): number {
  const [few, many] = a.size <= b.size ? [a, b] : [b, a]
  let sum = 0
  for (const [term, weight] of few) sum += weight * (many.get(term) ?? 0)
  return sum
}
