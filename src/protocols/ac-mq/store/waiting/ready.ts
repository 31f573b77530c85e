/** The messages that may be claimed, as far as is known: a heap for each recipient. */
import { everyone } from '../../layout.ts'
import { type Candidate, isBefore } from './candidate.ts'
import { Heap } from './heap.ts'

export class Ready {
  readonly #heaps = new Map<string, Heap<Candidate>>()

  push(candidate: Candidate): void {
    const { to } = candidate
    let heap = this.#heaps.get(to)
    if (!heap) {
      heap = new Heap(isBefore)
      this.#heaps.set(to, heap)
    }
    heap.push(candidate)
  }

  /** The heap with the best message for this agent: its own, or that of messages to all. `isMine`: its own. */
  bestFor(agent: string, isMine = false): Heap<Candidate> | undefined {
    const own = this.#heaps.get(agent)
    if (isMine) return own
    const shared = this.#heaps.get(everyone)
    const [first, second] = [own?.peek(), shared?.peek()]
    if (!first) return shared
    if (!second) return own
    return isBefore(second, first) ? shared : own
  }

  keep(isWaiting: (candidate: Candidate) => boolean): void {
    for (const [to, heap] of this.#heaps) {
      heap.keep(isWaiting)
      if (heap.size === 0) this.#heaps.delete(to)
    }
  }

  sizeFor(recipient: string): number {
    return this.#heaps.get(recipient)?.size ?? 0
  }
}
