/** Gives each hash a number, from 0 on, in the order in which they come. Like a `Map`, a few times as quick for millions. */
export class Numbering {
  #hashes = new Uint32Array(1024)
  /** One more than the number; 0 where nothing is. */
  #numbers = new Int32Array(1024)
  /** A bit for each end of a hash that is there. Most hashes asked for are not, and this table is small enough for the cache. */
  readonly #ends = new Uint32Array(2048)
  #size = 0

  get size(): number {
    return this.#size
  }

  add(hash: number): number {
    if (this.#size * 2 >= this.#hashes.length) this.#grow()
    const at = this.#placeOf(hash)
    if (this.#numbers[at] === 0) {
      this.#hashes[at] = hash
      this.#numbers[at] = ++this.#size
      this.#ends[(hash >>> 5) & 2047]! |= 1 << (hash & 31)
    }
    return this.#numbers[at]! - 1
  }

  /** -1 for one that has none. */
  of(hash: number): number {
    if ((this.#ends[(hash >>> 5) & 2047]! & (1 << (hash & 31))) === 0) return -1
    return this.#numbers[this.#placeOf(hash)]! - 1
  }

  /** In the order of their numbers. */
  hashes(): Uint32Array {
    const hashes = new Uint32Array(this.#size)
    for (let at = 0; at < this.#numbers.length; at++)
      if (this.#numbers[at] !== 0) hashes[this.#numbers[at]! - 1] = this.#hashes[at]!
    return hashes
  }

  #placeOf(hash: number): number {
    const mask = this.#hashes.length - 1
    let at = Math.imul(hash, 0x9e3779b1) >>> 7
    for (at &= mask; this.#numbers[at] !== 0 && this.#hashes[at] !== hash; ) at = (at + 1) & mask
    return at
  }

  #grow(): void {
    const [hashes, numbers] = [this.#hashes, this.#numbers]
    this.#hashes = new Uint32Array(hashes.length * 4)
    this.#numbers = new Int32Array(hashes.length * 4)
    for (let i = 0; i < hashes.length; i++) {
      if (numbers[i] === 0) continue
      const at = this.#placeOf(hashes[i]!)
      this.#hashes[at] = hashes[i]!
      this.#numbers[at] = numbers[i]!
    }
  }
}
