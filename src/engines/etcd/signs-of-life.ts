/**
 * Finds the dead processes in a line: a living one puts its key again and again. The etcd lease of a dead process ends too, but
 * each new leader of the cluster begins to count it anew, so while leaders change it never ends.
 */
import type { KeyValue } from './transaction.ts'

interface Sign {
  readonly revision: string
  /** When it was first seen, and how many signs of our own had been answered by then. */
  readonly seenAt: number
  readonly own: number
}

/** So many of our own signs must have got through meanwhile. Otherwise the cluster is silent, and not the other process. */
const ownSigns = 2

export class SignsOfLife {
  readonly #silenceMs: number
  #seen = new Map<string, Sign>()
  #own = 0

  /** `silenceMs`: after so long without a sign a process counts as dead. */
  constructor(silenceMs: number) {
    this.#silenceMs = silenceMs
  }

  /** A sign of our own has been answered. */
  answered(): void {
    this.#own++
  }

  /** The keys of other processes that have not been renewed for too long. */
  silentAmong(keys: readonly KeyValue[], now: number): KeyValue[] {
    const known = this.#seen
    this.#seen = new Map(
      keys.map(({ key, mod_revision: revision = '' }) => {
        const before = known.get(key)
        return [key, before?.revision === revision ? before : { revision, seenAt: now, own: this.#own }]
      }),
    )
    return keys.filter(({ key }) => {
      const { seenAt, own } = this.#seen.get(key)!
      return now - seenAt >= this.#silenceMs && this.#own - own >= ownSigns
    })
  }
}
