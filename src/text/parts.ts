/**
 * Divides texts into parts that have nothing to do with each other, so that groups are looked for in each by itself. Without
 * this nearly all texts of a large mission would be linked, by words that two of them share by chance.
 */
import type { Pair } from './linkage.ts'
import { mostNeighbours, type NearestLists } from './nearest-lists.ts'

/**
 * Two texts join a part only if each is among so many of the other that are most alike, … In a small mission there are few that
 * are alike by chance.
 */
const closestOf = (texts: number): number => (texts < 1000 ? 16 : 6)
/** … or if they are nearly the same: of a hundred such texts each has the same few before all others. */
const nearlySame = 1

export interface Part {
  /** Places of texts, ascending; two at least. */
  readonly members: readonly number[]
  /** Between numbers of members. */
  pairs(): readonly Pair[]
}

/** `cut`: pairs that are less alike than this join nothing. */
export function partsOf(lists: NearestLists, cut: number): Part[] {
  const parts = new Parts(lists.count)
  const closest = closestOf(lists.count)
  for (let a = 0; a < lists.count; a++) {
    const start = a * mostNeighbours
    for (let i = 0; i < lists.used[a]! && lists.likeness[start + i]! >= cut; i++) {
      const b = lists.places[start + i]!
      if (lists.likeness[start + i]! >= nearlySame || (i < closest && lists.has(b, a, closest))) parts.join(a, b)
    }
  }
  return parts.members().map((members) => ({ members, pairs: () => pairsIn(lists, members) }))
}

/** The pairs of which both texts are in a part. */
function pairsIn(lists: NearestLists, members: readonly number[]): Pair[] {
  const numbers = new Map(members.map((at, i) => [at, i]))
  const pairs: Pair[] = []
  for (const [a, at] of members.entries()) {
    const start = at * mostNeighbours
    for (let slot = start; slot < start + lists.used[at]!; slot++) {
      const other = lists.places[slot]!
      const b = numbers.get(other)
      // A pair that is in both lists is taken from the list of the first text.
      if (b === undefined || (other < at && lists.has(other, at))) continue
      pairs.push({ a, b, likeness: lists.likeness[slot]! })
    }
  }
  return pairs
}

class Parts {
  readonly #next: Int32Array

  constructor(count: number) {
    this.#next = Int32Array.from({ length: count }, (_, at) => at)
  }

  #of(at: number): number {
    const next = this.#next
    while (next[at] !== at) {
      next[at] = next[next[at]!]!
      at = next[at]!
    }
    return at
  }

  join(a: number, b: number): void {
    this.#next[this.#of(a)] = this.#of(b)
  }

  /** Only of parts with two members or more. */
  members(): number[][] {
    const sizes = new Int32Array(this.#next.length)
    for (let at = 0; at < sizes.length; at++) sizes[this.#of(at)]!++
    const members = new Map<number, number[]>()
    for (let at = 0; at < sizes.length; at++) {
      const part = this.#of(at)
      if (sizes[part]! < 2) continue
      const known = members.get(part)
      if (known) known.push(at)
      else members.set(part, [at])
    }
    return [...members.values()]
  }
}
