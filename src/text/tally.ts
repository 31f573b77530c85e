/** How often each hash was counted. */
import { Numbering } from './numbering.ts'

export class Tally {
  readonly #numbering = new Numbering()
  #counts = new Uint32Array(1024)

  add(hash: number, count = 1): void {
    const number = this.#numbering.add(hash)
    if (number >= this.#counts.length) {
      const more = new Uint32Array(this.#counts.length * 4)
      more.set(this.#counts)
      this.#counts = more
    }
    this.#counts[number]! += count
  }

  of(hash: number): number {
    const number = this.#numbering.of(hash)
    return number < 0 ? 0 : this.#counts[number]!
  }

  /** Every hash and its count, in the order in which they came. */
  entries(): { readonly hashes: Uint32Array; readonly counts: Uint32Array } {
    return { hashes: this.#numbering.hashes(), counts: this.#counts.slice(0, this.#numbering.size) }
  }

  static from(hashes: Uint32Array, counts: Uint32Array): Tally {
    const tally = new Tally()
    for (let i = 0; i < hashes.length; i++) tally.add(hashes[i]!, counts[i]!)
    return tally
  }
}
