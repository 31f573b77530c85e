/**
 * The best of many, without sorting those that are never asked for. What comes goes into a binary heap. Once that has
 * become large it is sorted, after which the best is simply the last: a heap of a hundred thousand fetches some thirty of
 * them from all over the memory to give out one.
 */
export class Heap<T> {
  readonly #isBefore: (a: T, b: T) => boolean
  readonly #items: T[] = []
  /** The best last. */
  #sorted: T[] = []

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore
  }

  get size(): number {
    return this.#items.length + this.#sorted.length
  }

  peek(): T | undefined {
    if (this.#items.length >= worthSorting && this.#items.length > this.#sorted.length) this.#sort()
    const [first, last] = [this.#items[0], this.#sorted.at(-1)]
    if (first === undefined || last === undefined) return first ?? last
    return this.#isBefore(first, last) ? first : last
  }

  push(item: T): void {
    const items = this.#items
    let at = items.push(item) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      if (!this.#isBefore(item, items[above]!)) break
      items[at] = items[above]!
      at = above
    }
    items[at] = item
  }

  /** Only those that this is true of. */
  keep(isKept: (item: T) => boolean): void {
    this.#sorted = this.#sorted.filter(isKept)
    const kept = this.#items.filter(isKept)
    this.#items.length = 0
    for (const item of kept) this.push(item)
  }

  pop(): T | undefined {
    const best = this.peek()
    return best !== undefined && best === this.#sorted.at(-1) ? this.#sorted.pop() : this.#popHeap()
  }

  #popHeap(): T | undefined {
    const items = this.#items
    const best = items[0]
    const last = items.pop()
    if (best === undefined || last === undefined || items.length === 0) return best
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below >= items.length) break
      if (below + 1 < items.length && this.#isBefore(items[below + 1]!, items[below]!)) below++
      if (!this.#isBefore(items[below]!, last)) break
      items[at] = items[below]!
      at = below
    }
    items[at] = last
    return best
  }

  /** Each time there are at least twice as many as the last time, so that each is sorted a few times at most. */
  #sort(): void {
    this.#sorted = [...this.#sorted, ...this.#items.splice(0)].sort((a, b) => (this.#isBefore(a, b) ? 1 : -1))
  }
}

const worthSorting = 1024
