/** What the verbs ask of the cluster. `OneTransaction` answers the same from what a transaction has read and wants to write. */
import type { TreePath } from '../../kernel/tree-path.ts'
import type { Entry } from '../../tree/tree.ts'
import type { ClusterTime } from './cluster-time.ts'
import type { Gateway } from './gateway.ts'
import { fromWire, type Key, type Keys, wire } from './keys.ts'
import type { LogCopies } from './recent.ts'
import {
  foundBy,
  get,
  getAll,
  type KeyValue,
  mostOperations,
  type RangeAnswer,
  type RequestOp,
  type Transaction,
  type TransactionAnswer,
} from './transaction.ts'

/** What stands at a path: a leaf, with its lines if it is a log; or a folder, by its stamp; or nothing. */
export interface AtPath {
  readonly leaf?: KeyValue | undefined
  readonly log?: readonly KeyValue[]
  readonly stamp?: KeyValue | undefined
}

export interface Listing {
  /** Sorted by name. */
  readonly entries: Entry[]
  /** The revision of the folder's stamp; 0 if there is no such folder. */
  readonly stamped: number
}

export interface Requests {
  readonly time: ClusterTime
  /** The newest revision of the cluster in any answer so far. */
  readonly revision: number
  /** `undefined`: the answer never came. */
  write(transaction: Transaction): Promise<TransactionAnswer | undefined>
  /** All at one revision. */
  get(keys: readonly Key[]): Promise<(KeyValue | undefined)[]>
  areThere(keys: readonly Key[]): Promise<boolean[]>
  at(path: TreePath): Promise<AtPath>
  listing(folder: TreePath): Promise<Listing>
  leases(): Promise<readonly KeyValue[]>
}

const pageSize = 2000

/** Questions that go to the cluster in one request. */
interface Batch {
  readonly steps: RequestOp[]
  readonly found: Promise<(readonly KeyValue[])[]>
}

export class ClusterRequests implements Requests {
  readonly #gateway: Gateway
  readonly #keys: Keys
  readonly #logs: LogCopies
  #batch: Batch | undefined

  constructor(gateway: Gateway, keys: Keys, logs: LogCopies) {
    this.#gateway = gateway
    this.#keys = keys
    this.#logs = logs
  }

  get time(): ClusterTime {
    return this.#gateway.time
  }

  get revision(): number {
    return this.#gateway.revision
  }

  write(transaction: Transaction): Promise<TransactionAnswer | undefined> {
    return this.#gateway.write('/v3/kv/txn', transaction)
  }

  async get(keys: readonly Key[]): Promise<(KeyValue | undefined)[]> {
    return (await this.#find(keys.map(get))).map(([found]) => found)
  }

  async areThere(keys: readonly Key[]): Promise<boolean[]> {
    return (await this.get(keys)).map((found) => found !== undefined)
  }

  async at(path: TreePath): Promise<AtPath> {
    const [[leaf] = [], [stamp] = [], log = []] = await this.#find([
      get(this.#keys.leaf(path)),
      get(this.#keys.stamp(path)),
      getAll(this.#keys.log(path)),
    ])
    if (leaf && log.length > 0) this.#logs.take(path, Number(leaf.mod_revision), log)
    return { leaf, log, stamp }
  }

  async listing(folder: TreePath): Promise<Listing> {
    const entries: Entry[] = []
    let stamped = 0
    for await (const { kvs } of this.#gateway.pages(this.#keys.inFolder(folder), pageSize, { keys_only: true })) {
      for (const { key, mod_revision } of kvs) {
        const what = this.#keys.readInFolder(folder, fromWire(key))
        if (what.kind === 'stamp') stamped = Number(mod_revision)
        else entries.push(what)
      }
    }
    return { entries: entries.sort(byName), stamped }
  }

  async leases(): Promise<readonly KeyValue[]> {
    return (await this.leasesAt()).found
  }

  /** With the revision at which they were read. */
  async leasesAt(): Promise<{ readonly found: readonly KeyValue[]; readonly revision: number }> {
    const { from, to } = this.#keys.leases()
    const body = { key: wire(from), range_end: wire(to) }
    const { kvs = [], header } = await this.#gateway.read<RangeAnswer>('/v3/kv/range', body)
    return { found: kvs, revision: Number(header.revision) }
  }

  /** What callers ask at the same time is one request. */
  async #find(steps: readonly RequestOp[]): Promise<(readonly KeyValue[])[]> {
    if (this.#batch && this.#batch.steps.length + steps.length > mostOperations) this.#batch = undefined
    this.#batch ??= this.#nextBatch()
    const { found } = this.#batch
    const from = this.#batch.steps.push(...steps) - steps.length
    return (await found).slice(from, from + steps.length)
  }

  #nextBatch(): Batch {
    const steps: RequestOp[] = []
    const sent = new Promise(setImmediate).then(() => {
      if (this.#batch?.steps === steps) this.#batch = undefined
      return this.#gateway.read<TransactionAnswer>('/v3/kv/txn', { compare: [], success: steps, failure: [] })
    })
    return { steps, found: sent.then(foundBy) }
  }
}

export const byName = (a: Entry, b: Entry): number => (a.name < b.name ? -1 : 1)
