/** The newest few of many entries. */
export class Recent<K, V> {
  readonly #kept = new Map<K, V>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  at(key: K): V | undefined {
    return this.#kept.get(key)
  }

  /** `undefined` forgets the key. */
  put(key: K, value: V | undefined): void {
    this.#kept.delete(key)
    if (value === undefined) return
    this.#kept.set(key, value)
    if (this.#kept.size > this.#most) this.#kept.delete(this.#kept.keys().next().value!)
  }
}
