/**
 * Labels: small keys beside the leaves of a folder, written and deleted in the same transactions. By them the first few
 * leaves are found without listing the folder.
 */
import { nameOf, parentOf, type TreePath } from '../../kernel/tree-path.ts'
import type { Labelled } from '../../tree/tree.ts'
import type { Write } from './commit.ts'
import type { Gateway } from './gateway.ts'
import { fromWire, type Keys, wire } from './keys.ts'
import type { TransactionAnswer } from './transaction.ts'
import type { LeafHeader } from './value.ts'

export class Labels {
  readonly #gateway: Gateway
  readonly #keys: Keys

  constructor(gateway: Gateway, keys: Keys) {
    this.#gateway = gateway
    this.#keys = keys
  }

  /** The keys that a write must change besides the leaf itself. */
  writes(path: TreePath, before: Pick<LeafHeader, 'label'>, after: Pick<LeafHeader, 'label'>): Write[] {
    if (before.label === after.label) return []
    const key = (label: string) => this.#keys.label(parentOf(path), label, nameOf(path))
    return [
      ...(before.label === undefined ? [] : [{ key: key(before.label), value: undefined }]),
      ...(after.label === undefined ? [] : [{ key: key(after.label), value: '' }]),
    ]
  }

  /** One transaction. It also counts, which is cheap for etcd, to find out whether every leaf has a label. */
  async first(folder: TreePath, beginnings: readonly string[], atMost: number): Promise<Labelled[] | undefined> {
    const range = ({ from, to }: { from: string; to: string }) => ({ key: wire(from), range_end: wire(to) })
    const answer = await this.#gateway.read<TransactionAnswer>('/v3/kv/txn', {
      compare: [],
      success: [
        { request_range: { ...range(this.#keys.inFolder(folder)), count_only: true } },
        { request_range: { ...range(this.#keys.labels(folder)), count_only: true } },
        ...beginnings.map((beginning) => ({
          request_range: { ...range(this.#keys.labels(folder, beginning)), keys_only: true, limit: `${atMost}` },
        })),
      ],
      failure: [],
    })
    const [inFolder, labels, ...found] = (answer.responses ?? []).map(({ response_range }) => response_range)
    // One of the keys in the folder is its stamp.
    if (Number(inFolder?.count ?? 0) - 1 !== Number(labels?.count ?? 0)) return undefined
    return found.flatMap((answer) => (answer?.kvs ?? []).map(({ key }) => this.#keys.readLabel(folder, fromWire(key))))
  }
}
