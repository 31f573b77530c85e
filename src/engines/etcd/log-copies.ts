/** Copies of the logs that this process read last, each at one revision of its leaf: that changes with every line. */
import type { TreePath } from '../../kernel/tree-path.ts'
import { Recent } from './recent.ts'
import type { KeyValue } from './transaction.ts'

/** In characters of base64, for each. */
const largestKept = 1024 * 1024

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
