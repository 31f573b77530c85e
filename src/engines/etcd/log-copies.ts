/** Copies of the logs that this process read last, each at one revision of its leaf: that changes with every line. */
import type { TreePath } from '../../kernel/tree-path.ts'
import type { KeyValue } from './transaction.ts'

interface LogCopy {
  readonly revision: number
  readonly lines: readonly KeyValue[]
}

const mostKept = 64
/** In characters of base64, for each. */
const largestKept = 1024 * 1024

export class LogCopies {
  readonly #kept = new Map<TreePath, LogCopy>()

  take(path: TreePath, revision: number, lines: readonly KeyValue[]): void {
    this.#kept.delete(path)
    if (lines.reduce((sum, { value = '' }) => sum + value.length, 0) > largestKept) return
    this.#kept.set(path, { revision, lines })
    if (this.#kept.size <= mostKept) return
    const [oldest] = this.#kept.keys()
    this.#kept.delete(oldest!)
  }

  /** The start and the lines, if the leaf has been read at this revision. */
  at(path: TreePath, revision: number): readonly KeyValue[] | undefined {
    const kept = this.#kept.get(path)
    return kept?.revision === revision ? kept.lines : undefined
  }
}
