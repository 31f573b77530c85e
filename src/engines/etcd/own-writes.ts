/**
 * What this process wrote last. Whoever claims a message soon completes it, and need not read it again for that: if anybody
 * else has changed it since, the transaction says so and reads it.
 */
import type { Key } from './keys.ts'
import type { KeyValue } from './transaction.ts'

const mostKept = 256
const largestKept = 64 * 1024

export class OwnWrites {
  readonly #kept = new Map<Key, KeyValue>()

  take(key: Key, value: string | undefined, revision: number): void {
    this.#kept.delete(key)
    if (value === undefined || value.length > largestKept) return
    this.#kept.set(key, { key, value, mod_revision: `${revision}` })
    if (this.#kept.size <= mostKept) return
    const [oldest] = this.#kept.keys()
    this.#kept.delete(oldest!)
  }

  at(key: Key): KeyValue | undefined {
    return this.#kept.get(key)
  }
}
