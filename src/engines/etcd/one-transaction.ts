/**
 * One transaction on its way: reads are remembered with their revisions, writes are kept back and seen by later reads. The
 * commit compares what was read, so a read may come from a copy that lags behind, and a condition on a key that was never read
 * may be taken for granted. Where that was wrong, the commit fails and tells what it found, and the work is run again.
 */
import { parentOf, type TreePath, treeRoot } from '../../kernel/tree-path.ts'
import type { ClusterTime } from './cluster-time.ts'
import type { Write } from './commit.ts'
import { type FolderIndexes, weightOfARead } from './folder-indexes.ts'
import { fromWire, type Key, type KeyRange, type Keys } from './keys.ts'
import type { Copies } from './parts.ts'
import type { LogCopies } from './recent.ts'
import { type AtPath, byName, type ClusterRequests, type Listing, type Requests } from './requests.ts'
import {
  type Compare,
  firstDraftRevision,
  holdsFor,
  isAbsent,
  isPresent,
  isUnchanged,
  isUnchangedRange,
  type KeyValue,
  type RequestOp,
  type Transaction,
  type TransactionAnswer,
} from './transaction.ts'
import { parseValue } from './value.ts'

/** What a failed commit found, so that the next run needs not ask. */
export interface Known {
  readonly learned: ReadonlyMap<Key, KeyValue | undefined>
  /** Folders whose copies lag behind. */
  readonly behind: ReadonlySet<TreePath>
}

interface TransactionParts extends Known {
  /** The cluster's own. */
  readonly requests: ClusterRequests
  readonly indexes: FolderIndexes
  readonly keys: Keys
  readonly logs: LogCopies
}

interface SeenKey {
  readonly found: KeyValue | undefined
  /** Read from a copy that had everything up to this revision of the folder's stamp. */
  readonly stamped?: number | undefined
}

const manyOfAFolder = 16

export class OneTransaction implements Requests {
  /** The turns that no other process may hold at the commit. */
  readonly turns = new Set<string>()
  readonly copies: Copies
  readonly #parts: TransactionParts
  readonly #seen = new Map<Key, SeenKey>()
  readonly #assumed = new Map<Key, Compare>()
  /** Folders that were listed, and the revision of the stamp each had. */
  readonly listed = new Map<TreePath, number>()
  readonly #lines = new Map<TreePath, Promise<readonly KeyValue[]>>()
  #leases: { readonly found: ReadonlyMap<Key, KeyValue>; readonly revision: number } | undefined
  /** `undefined`: the transaction deletes the key. */
  readonly #written = new Map<Key, KeyValue | undefined>()
  readonly #dropped: KeyRange[] = []
  revision = firstDraftRevision

  constructor(parts: TransactionParts) {
    this.#parts = parts
    this.copies = {
      count: () => undefined,
      current: async () => undefined,
      ifOpen: async () => undefined,
      isOpen: () => false,
      ownAt: () => undefined,
      take: () => undefined,
      learnAbsence: () => undefined,
      open: (folder) => parts.indexes.open(folder),
    }
  }

  get time(): ClusterTime {
    return this.#parts.requests.time
  }

  async get(keys: readonly Key[]): Promise<(KeyValue | undefined)[]> {
    const unknown: Key[] = []
    for (const key of keys) if (!(await this.#recall(key))) unknown.push(key)
    if (unknown.length > 0) {
      const found = await this.#parts.requests.get(unknown)
      for (const [i, key] of unknown.entries()) this.#see(key, { found: found[i] })
    }
    return keys.map((key) => this.#at(key))
  }

  async areThere(keys: readonly Key[]): Promise<boolean[]> {
    const unknown: Key[] = []
    const isThere = new Map<Key, boolean>()
    for (const key of keys) {
      const known = await this.#peek(key)
      if (known) isThere.set(key, known.found !== undefined)
      else unknown.push(key)
    }
    const found = unknown.length === 0 ? [] : await this.#parts.requests.areThere(unknown)
    for (const [i, key] of unknown.entries()) isThere.set(key, found[i]!)
    return keys.map((key) => {
      const is = isThere.get(key)!
      if (!this.#isKnown(key)) this.#assumed.set(key, is ? isPresent(key) : isAbsent(key))
      return is
    })
  }

  async at(path: TreePath): Promise<AtPath> {
    if (path === treeRoot) return { stamp: (await this.get([this.#parts.keys.stamp(path)]))[0] }
    const key = this.#parts.keys.leaf(path)
    const leaf = (await this.#recall(key)) ? this.#at(key) : (await this.get([key, this.#parts.keys.folder(path)]))[0]
    if (leaf) return { leaf, log: await this.#log(path) }
    const [folder] = await this.get([this.#parts.keys.folder(path)])
    return folder ? { stamp: (await this.get([this.#parts.keys.stamp(path)]))[0] } : {}
  }

  async listing(folder: TreePath): Promise<Listing> {
    const index = this.#parts.behind.has(folder) ? undefined : await this.#parts.indexes.loaded(folder, 1)
    await index?.whole()
    const whole = index?.stampedAt
    const { entries, stamped } =
      index && whole !== undefined
        ? { entries: index.all().map(({ entry }) => entry), stamped: whole }
        : (await this.#isMissing(folder))
          ? { entries: [], stamped: 0 }
          : await this.#parts.requests.listing(folder)
    if (!this.listed.has(folder)) this.listed.set(folder, stamped)
    const names = new Map(entries.map((entry) => [entry.name, entry]))
    for (const [key, written] of this.#written) {
      if (this.#parts.keys.folderOf(key) !== folder) continue
      const what = this.#parts.keys.readInFolder(folder, key)
      if (what.kind === 'stamp') continue
      if (written) names.set(what.name, what)
      else names.delete(what.name)
    }
    return { entries: [...names.values()].sort(byName), stamped }
  }

  /** By the copy of the folder above, which may be out of date: the commit compares that there is no stamp. */
  async #isMissing(folder: TreePath): Promise<boolean> {
    if (folder === treeRoot || this.#parts.learned.get(this.#parts.keys.stamp(folder))) return false
    const above = await this.#parts.indexes.loaded(parentOf(folder), 0)
    return above !== undefined && !above.at(this.#parts.keys.folder(folder))
  }

  async leases(): Promise<readonly KeyValue[]> {
    if (!this.#leases) {
      const { found, revision } = await this.#parts.requests.leasesAt()
      this.#leases ??= { found: new Map(found.map((lease) => [fromWire(lease.key), lease])), revision }
    }
    const all = new Map(this.#leases.found)
    for (const lease of this.#writtenIn(this.#parts.keys.leases())) all.set(fromWire(lease.key), lease)
    return [...all.values()]
  }

  async write({ compare, success, failure }: Transaction): Promise<TransactionAnswer> {
    const peeked: (SeenKey | undefined)[] = []
    for (const { key } of compare) peeked.push(await this.#peek(fromWire(key)))
    // Nothing is awaited between the conditions and the writes, so that calls made at the same time do not mix.
    if (compare.every((one, i) => this.#holds(one, peeked[i]))) {
      for (const step of success) this.#keep(step)
      return { header: {}, succeeded: true }
    }
    const responses: { response_range: { header: object; kvs: readonly KeyValue[] } }[] = []
    for (const step of failure) responses.push({ response_range: { header: {}, kvs: await this.#find(step) } })
    return { header: {}, succeeded: false, responses }
  }

  /** What the commit compares: everything that was read or taken for granted. */
  conditions(): Compare[] {
    this.#compareWholeFolders()
    const seen = [...this.#seen].flatMap(([key, { found, stamped }]) => {
      const folder = this.#parts.keys.folderOf(key)
      if (stamped !== undefined && folder !== undefined && this.listed.get(folder) === stamped) return []
      // Where a leaf stands there is no folder of that name.
      if (!found && key.endsWith('/') && this.#seen.get(key.slice(0, -1) as Key)?.found) return []
      return [isUnchanged(key, Number(found?.mod_revision ?? 0))]
    })
    const listed = [...this.listed].map(([folder, stamped]) => isUnchanged(this.#parts.keys.stamp(folder), stamped))
    const leases = this.#leases ? [isUnchangedRange(this.#parts.keys.leases(), this.#leases.revision)] : []
    return [...listed, ...seen, ...this.#assumed.values(), ...leases]
  }

  /** Where many leaves of a folder were read, its stamp is compared instead, as if it had been listed. */
  #compareWholeFolders(): void {
    const counts = new Map<TreePath, Map<number, number>>()
    for (const [key, { stamped }] of this.#seen) {
      const folder = this.#parts.keys.folderOf(key)
      if (folder === undefined || stamped === undefined || this.listed.has(folder)) continue
      const inFolder = counts.get(folder) ?? new Map<number, number>()
      counts.set(folder, inFolder.set(stamped, (inFolder.get(stamped) ?? 0) + 1))
    }
    for (const [folder, inFolder] of counts) {
      const [stamped, count] = [...inFolder].sort(([, a], [, b]) => b - a)[0]!
      if (count > manyOfAFolder) this.listed.set(folder, stamped)
    }
  }

  /**
   * What is left to write: not what was made and removed again. `undefined` if it cannot be said in one transaction.
   * `stamped` are the folders whose stamps change.
   */
  changes(): { writes: Write[]; dropped: KeyRange[]; stamped: TreePath[] } | undefined {
    const writes: Write[] = []
    for (const [key, written] of this.#written) {
      if (this.#parts.keys.isStamp(key) || (!written && this.#wasAbsent(key))) continue
      const folder = this.#parts.keys.folderOf(key)
      writes.push({ key, value: written && (written.value ?? ''), ...(folder === undefined ? {} : { folder }) })
    }
    const dropped = this.#dropped.filter(({ from }) => this.#wasLog(this.#parts.keys.pathFrom(from) as TreePath))
    const isMixed = dropped.some((range) => writes.some(({ key, value }) => value !== undefined && isIn(range, key)))
    const changed = new Set(writes.map(({ folder }) => folder))
    const stamped = [...this.#written.keys()].flatMap((key) => {
      const folder = this.#parts.keys.isStamp(key) ? this.#parts.keys.folderOf(key)! : undefined
      return folder !== undefined && (changed.has(folder) || this.#wasAbsent(key)) ? [folder] : []
    })
    return isMixed ? undefined : { writes, dropped, stamped }
  }

  /** Keeps the logs that were read and then written to. */
  keepLogs(revision: number): void {
    for (const [path, lines] of this.#lines) {
      const isSame = !this.#assumed.has(this.#parts.keys.leaf(path))
      const written = this.#writtenIn(this.#parts.keys.log(path)).map((line) => ({
        ...line,
        create_revision: `${revision}`,
      }))
      if (isSame && written.length > 0)
        void lines.then((read) => this.#parts.logs.take(path, revision, [...read, ...written]))
    }
  }

  /** True if the key is known without a request, or becomes known. */
  async #recall(key: Key): Promise<boolean> {
    const known = await this.#peek(key)
    if (known && !this.#isKnown(key)) this.#see(key, known)
    return known !== undefined
  }

  /** What can be said about a key without a request. */
  async #peek(key: Key): Promise<SeenKey | undefined> {
    if (this.#isKnown(key)) return { found: this.#at(key) }
    if (this.#parts.learned.has(key)) return { found: this.#parts.learned.get(key) }
    if (this.#leases && isIn(this.#parts.keys.leases(), key)) return { found: this.#leases.found.get(key) }
    const folder = this.#parts.keys.folderOf(key)
    if (folder === undefined) return undefined
    const index = await this.#parts.indexes.loaded(folder, this.#parts.keys.isStamp(key) ? 0 : weightOfARead)
    const held = index?.valueAt(key)
    if (index && held !== 'not kept') return { found: held, stamped: index.stampedAt }
    const own = index ? undefined : this.#parts.indexes.ownAt(key)
    return own && { found: own }
  }

  #see(key: Key, seen: SeenKey): void {
    if (!this.#seen.has(key)) this.#seen.set(key, seen)
  }

  #isKnown(key: Key): boolean {
    return this.#written.has(key) || this.#seen.has(key) || this.#dropped.some((range) => isIn(range, key))
  }

  #at(key: Key): KeyValue | undefined {
    if (this.#written.has(key)) return this.#written.get(key)
    return this.#dropped.some((range) => isIn(range, key)) ? undefined : this.#seen.get(key)?.found
  }

  /** The lines of a log; none of a leaf that is no log. */
  async #log(path: TreePath): Promise<readonly KeyValue[]> {
    const range = this.#parts.keys.log(path)
    const written = this.#writtenIn(range)
    const isLog = parseValue(this.#at(this.#parts.keys.leaf(path))?.value ?? '')?.about.isLog
    if (!isLog || !this.#wasLog(path) || this.#dropped.some(({ from }) => from === range.from)) return written
    const lines = this.#lines.get(path) ?? this.#readLog(path)
    this.#lines.set(path, lines)
    return [...(await lines), ...written]
  }

  /** The lines and the leaf are of one moment: if the leaf was seen at another one, the commit will fail. */
  async #readLog(path: TreePath): Promise<readonly KeyValue[]> {
    const key = this.#parts.keys.leaf(path)
    const kept = this.#parts.logs.at(path, Number(this.#seen.get(key)?.found?.mod_revision ?? 0))
    if (kept) return kept
    const { leaf, log = [] } = await this.#parts.requests.at(path)
    if (leaf?.mod_revision !== this.#seen.get(key)?.found?.mod_revision) {
      this.#assumed.set(key, isUnchanged(key, Number(leaf?.mod_revision ?? 0)))
    }
    return log
  }

  #writtenIn(range: KeyRange): KeyValue[] {
    return [...this.#written].flatMap(([key, written]) => (written && isIn(range, key) ? [written] : []))
  }

  async #find({ request_range: range }: RequestOp & { request_range?: { key: string; range_end?: string } }) {
    const key = fromWire(range?.key ?? '')
    if (range?.range_end !== undefined) return this.#log(this.#parts.keys.pathFrom(key) as TreePath)
    const [found] = await this.get([key])
    return found ? [found] : []
  }

  #holds(compare: Compare, peeked: SeenKey | undefined): boolean {
    const key = fromWire(compare.key)
    // Only the commit itself can be revoked.
    if (this.#parts.keys.isRevocation(key)) return true
    if (this.#isKnown(key)) return holdsFor(compare, this.#at(key))
    const holds = !peeked || holdsFor(compare, peeked.found)
    if (holds) this.#assumed.set(key, compare)
    else this.#see(key, peeked)
    return holds
  }

  #keep(step: RequestOp): void {
    if ('request_put' in step) {
      const { key, value } = step.request_put
      const at = fromWire(key)
      const revision = `${++this.revision}`
      const create_revision = this.#at(at)?.create_revision ?? revision
      this.#written.set(at, { key, value, mod_revision: revision, create_revision })
    } else if ('request_delete_range' in step) {
      const { key, range_end } = step.request_delete_range
      if (range_end === undefined) {
        this.#written.set(fromWire(key), undefined)
        return
      }
      const range = { from: fromWire(key), to: fromWire(range_end) }
      for (const written of this.#written.keys()) if (isIn(range, written)) this.#written.delete(written)
      this.#dropped.push(range)
    }
  }

  #wasAbsent(key: Key): boolean {
    const seen = this.#seen.get(key)
    const assumed = this.#assumed.get(key)
    return seen ? !seen.found : assumed?.target === 'CREATE' && assumed.result === 'EQUAL'
  }

  #wasLog(path: TreePath): boolean {
    const start = this.#parts.keys.logStart(path)
    if (this.#seen.get(start)?.found || this.#assumed.get(start)?.result === 'GREATER') return true
    return parseValue(this.#seen.get(this.#parts.keys.leaf(path))?.found?.value ?? '')?.about.isLog === true
  }
}

const isIn = ({ from, to }: KeyRange, key: Key): boolean => key >= from && key < to
