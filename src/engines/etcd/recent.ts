/** The newest few of many entries. */
import type { TreePath } from '../../kernel/tree-path.ts'
import type { KeyValue } from './transaction.ts'
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

/** The largest copy that is kept, in characters of base64. */
const largestKept = 1024 * 1024

/** Copies of the logs that this process read last, each at one revision of its leaf: that changes with every line. */
export class LogCopies {
  readonly #kept = new Recent<TreePath, { readonly revision: number; readonly lines: readonly KeyValue[] }>(64)

  take(path: TreePath, revision: number, lines: readonly KeyValue[]): void {
    const size = lines.reduce((sum, { value = '' }) => sum + value.length, 0)
    this.#kept.put(path, size > largestKept ? undefined : { revision, lines })
  }

  /** The start and the lines, if the leaf has been read at this revision. */
  at(path: TreePath, revision: number): readonly KeyValue[] | undefined {
    const kept = this.#kept.at(path)
    return kept?.revision === revision ? kept.lines : undefined
  }
}
