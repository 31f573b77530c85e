/** For each of many texts a short list of those that are most alike, the most alike first, and of equals the lowest place. */

/**
 * So many for each text. Groups come out the same with more of them (docs/memory-quality.md), and what is kept and linked grows
 * with it.
 */
export const mostNeighbours = 32

export class NearestLists {
  readonly count: number
  /** `mostNeighbours` slots for each text, of which so many are used. */
  readonly used: Uint8Array
  readonly places: Int32Array
  readonly likeness: Float32Array
  /** 1 where the list is not the one from before. */
  readonly isChanged: Uint8Array

  constructor(count: number) {
    this.count = count
    this.used = new Uint8Array(count)
    this.places = new Int32Array(count * mostNeighbours)
    this.likeness = new Float32Array(count * mostNeighbours)
    this.isChanged = new Uint8Array(count).fill(1)
  }

  insert(at: number, other: number, likeness: number): void {
    const start = at * mostNeighbours
    const used = this.used[at]!
    let slot = start + used
    if (used === mostNeighbours) {
      slot--
      if (likeness < this.likeness[slot]! || !this.#comesBefore(likeness, other, slot)) return
    } else this.used[at] = used + 1
    for (; slot > start && this.#comesBefore(likeness, other, slot - 1); slot--) this.#copy(slot, this, slot - 1)
    this.isChanged[at] = 1
    this.places[slot] = other
    this.likeness[slot] = likeness
  }

  /** Takes over a list in which places have changed; -1 is left out. False: it was full, and has lost one. */
  take(at: number, from: NearestLists, was: number, places: Int32Array): boolean {
    const start = at * mostNeighbours
    const theirs = was * mostNeighbours
    const before = from.used[was]!
    let used = 0
    for (let i = 0; i < before; i++) {
      const place = places[from.places[theirs + i]!]!
      if (place < 0) continue
      this.#copy(start + used, from, theirs + i)
      this.places[start + used++] = place
    }
    const isWhole = used === before || before < mostNeighbours
    this.used[at] = isWhole ? used : 0
    this.isChanged[at] = used === before ? 0 : 1
    return isWhole
  }

  /** True when the other is among the first so many of a text. */
  has(at: number, other: number, first = mostNeighbours): boolean {
    const start = at * mostNeighbours
    const end = start + Math.min(first, this.used[at]!)
    for (let slot = start; slot < end; slot++) if (this.places[slot] === other) return true
    return false
  }

  #comesBefore(likeness: number, other: number, slot: number): boolean {
    const theirs = this.likeness[slot]!
    return likeness !== theirs ? likeness > theirs : other < this.places[slot]!
  }

  #copy(slot: number, from: NearestLists, theirs: number): void {
    this.places[slot] = from.places[theirs]!
    this.likeness[slot] = from.likeness[theirs]!
  }
}
