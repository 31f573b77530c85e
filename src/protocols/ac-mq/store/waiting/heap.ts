/** A binary heap, best first. */
export class Heap<T> {
  readonly #isBefore: (a: T, b: T) => boolean
  readonly #items: T[] = []

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore
  }

  get size(): number {
    return this.#items.length
  }

  peek(): T | undefined {
    return this.#items[0]
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

  pop(): T | undefined {
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

  keep(isKept: (item: T) => boolean): void {
    for (const item of this.#items.splice(0).filter(isKept)) this.push(item)
  }
}
