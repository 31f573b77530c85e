import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Heap } from './heap.ts'

interface Item {
  readonly rank: number
}

/** The same, by looking through all of them. */
class Model {
  #items: Item[] = []

  get size() {
    return this.#items.length
  }

  push(item: Item): void {
    this.#items.push(item)
  }

  keep(isKept: (item: Item) => boolean): void {
    this.#items = this.#items.filter(isKept)
  }

  pop(): number | undefined {
    const best = this.#items.reduce<Item | undefined>((a, b) => (a && a.rank <= b.rank ? a : b), undefined)
    this.#items = this.#items.filter((item) => item !== best)
    return best?.rank
  }
}

describe('Heap', () => {
  it('gives out the best of what is there, however many come in between', () => {
    const step = fc.oneof(
      fc.record({ push: fc.integer({ min: 1, max: 1500 }), seed: fc.integer() }),
      fc.record({ pop: fc.integer({ min: 1, max: 40 }) }),
      fc.record({ keep: fc.integer({ min: 1, max: 5 }) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const [heap, model] = [new Heap<Item>((a, b) => a.rank < b.rank), new Model()]
        for (const one of steps) {
          if ('keep' in one) for (const each of [heap, model]) each.keep(({ rank }) => rank % one.keep === 0)
          for (let i = 0; 'push' in one && i < one.push; i++) {
            const item = { rank: Math.imul(one.seed + i, 2654435761) >>> 20 }
            heap.push(item)
            model.push(item)
          }
          for (let i = 0; 'pop' in one && i < one.pop; i++) {
            const seen = heap.peek()
            expect(heap.pop()).toBe(seen)
            expect(seen?.rank).toBe(model.pop())
          }
          expect(heap.size).toBe(model.size)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('is empty at last', () => {
    const heap = new Heap<Item>((a, b) => a.rank < b.rank)
    expect([heap.peek(), heap.pop(), heap.size]).toEqual([undefined, undefined, 0])
    for (let rank = 3000; rank > 0; rank--) heap.push({ rank })
    for (let rank = 1; rank <= 3000; rank++) expect(heap.pop()!.rank).toBe(rank)
    expect([heap.peek(), heap.pop(), heap.size]).toEqual([undefined, undefined, 0])
  })
})
