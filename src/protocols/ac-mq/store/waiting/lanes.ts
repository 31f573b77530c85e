/**
 * How processes that work on one queue get out of each other's way without talking to each other. Each message lies in a
 * lane, by its id. Whoever loses a race keeps to one lane from then on, by chance which; whoever loses there moves to
 * another, and after as many losses as there are lanes there are twice as many. So two settle on a half each, eight on an
 * eighth, and each half is still worked through in its order.
 *
 * Whoever meets nobody has a single lane, and takes everything in strict order.
 */
const most = 64
const hashed = 8

export class Lanes {
  readonly #random: () => number
  #count = 1
  #mine = 0
  #losses = 0

  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  isMine(id: string): boolean {
    return this.#count === 1 || laneOf(id) % this.#count === this.#mine
  }

  /** After a lost race. */
  change(): void {
    if (++this.#losses >= this.#count && this.#count < most) {
      this.#count *= 2
      this.#losses = 0
    }
    // Any but this one: only the loser moves, so that two who met have parted.
    const step = 1 + Math.floor(this.#random() * (this.#count - 1))
    this.#mine = (this.#mine + step) % this.#count
  }

  /** Everything counts again. */
  leave(): void {
    this.#count = 1
    this.#mine = 0
    this.#losses = 0
  }
}

/** From the beginning of an id, where also those differ that people choose. */
function laneOf(id: string): number {
  let hash = 0
  for (let i = 0; i < hashed && i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 16777619)
  // The low bits of a product know little of the first characters.
  return (hash ^ (hash >>> 15)) & (most - 1)
}
