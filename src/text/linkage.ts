/**
 * Average linkage over a sparse list of pairs: the two groups whose members are most alike on average become one, as long as
 * that average reaches the cut. A pair that is not listed counts as nothing in common.
 */

export interface Pair {
  readonly a: number
  readonly b: number
  readonly likeness: number
}

/** Groups of numbers below `count`, those that stay alone too, each in ascending order. The same for any order of the pairs. */
export function linkPairs(count: number, pairs: Iterable<Pair>, cut: number): number[][] {
  return new Linkage(count, pairs, cut).run()
}

class Linkage {
  readonly #cut: number
  /** The members of each group; `undefined` where it has become part of another. */
  readonly #members: (number[] | undefined)[]
  /** For each group what its members have in common with those of others, summed up. */
  readonly #sums: Map<number, number>[]
  /** The other group that each was most alike with when that was last looked at. */
  readonly #nearest: Int32Array
  readonly #queue: Queue

  constructor(count: number, pairs: Iterable<Pair>, cut: number) {
    this.#cut = cut
    this.#members = Array.from({ length: count }, (_, i) => [i])
    this.#sums = Array.from({ length: count }, () => new Map<number, number>())
    this.#nearest = new Int32Array(count)
    this.#queue = new Queue(count)
    for (const { a, b, likeness } of pairs) {
      this.#sums[a]!.set(b, likeness)
      this.#sums[b]!.set(a, likeness)
    }
  }

  /**
   * Each group waits with the average that it has with its nearest. When two become one, what a third has in common with them
   * is never more than it had with one of the two; so a number that is out of date is too high, and is worked out again
   * when its turn comes.
   */
  run(): number[][] {
    for (let group = 0; group < this.#members.length; group++) this.#offer(group)
    for (let group = this.#queue.pop(); group !== undefined; group = this.#queue.pop()) {
      if (!this.#members[group]) continue
      const other = this.#nearest[group]!
      if (this.#members[other] && this.#averageOf(group, other) === this.#queue.poppedKey)
        this.#offer(this.#join(group, other))
      else this.#offer(group)
    }
    return this.#members
      .filter((group) => group !== undefined)
      .map((group) => group.sort((a, b) => a - b))
      .sort((a, b) => a[0]! - b[0]!)
  }

  #averageOf(a: number, b: number): number {
    return (this.#sums[a]!.get(b) ?? 0) / (this.#members[a]!.length * this.#members[b]!.length)
  }

  #offer(group: number): void {
    const size = this.#members[group]!.length
    let best = 0
    let nearest = -1
    for (const [other, sum] of this.#sums[group]!) {
      const average = sum / (size * this.#members[other]!.length)
      if (average < best || (average === best && other > nearest)) continue
      best = average
      nearest = other
    }
    if (nearest < 0 || best < this.#cut) return
    this.#nearest[group] = nearest
    this.#queue.push(group, best)
  }

  /** The one with fewer neighbours becomes part of the other. */
  #join(one: number, two: number): number {
    const isOneLarger = this.#sums[one]!.size - this.#sums[two]!.size || two - one
    const [into, from] = isOneLarger > 0 ? [one, two] : [two, one]
    const sums = this.#sums[into]!
    for (const [other, sum] of this.#sums[from]!) {
      const theirs = this.#sums[other]!
      theirs.delete(from)
      if (other === into) continue
      const joined = (sums.get(other) ?? 0) + sum
      sums.set(other, joined)
      theirs.set(into, joined)
    }
    this.#sums[from]!.clear()
    for (const member of this.#members[from]!) this.#members[into]!.push(member)
    this.#members[from] = undefined
    return into
  }
}

/** A heap of numbers, the highest key first, and of equals the lowest number. Each is in it at most once. */
class Queue {
  readonly #numbers: Int32Array
  readonly #keys: Float64Array
  #size = 0
  /** The key of the entry that was popped last. */
  poppedKey = 0

  constructor(most: number) {
    this.#numbers = new Int32Array(most)
    this.#keys = new Float64Array(most)
  }

  push(number: number, key: number): void {
    let at = this.#size++
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#isBefore(key, number, parent)) break
      this.#put(at, this.#numbers[parent]!, this.#keys[parent]!)
      at = parent
    }
    this.#put(at, number, key)
  }

  pop(): number | undefined {
    if (this.#size === 0) return undefined
    const first = this.#numbers[0]!
    this.poppedKey = this.#keys[0]!
    const last = --this.#size
    const number = this.#numbers[last]!
    const key = this.#keys[last]!
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= last) break
      if (child + 1 < last && this.#isBefore(this.#keys[child + 1]!, this.#numbers[child + 1]!, child)) child++
      if (this.#isBefore(key, number, child)) break
      this.#put(at, this.#numbers[child]!, this.#keys[child]!)
      at = child
    }
    this.#put(at, number, key)
    return first
  }

  #isBefore(key: number, number: number, at: number): boolean {
    return key !== this.#keys[at]! ? key > this.#keys[at]! : number < this.#numbers[at]!
  }

  #put(at: number, number: number, key: number): void {
    this.#numbers[at] = number
    this.#keys[at] = key
  }
}
