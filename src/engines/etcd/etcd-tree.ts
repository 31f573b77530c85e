/** The tree on etcd: each verb that writes is one transaction; reads come from a local copy where there is one. */
import type { Clock } from '../../kernel/clock.ts'
import { nameOf, parentOf, type TreePath, treePath } from '../../kernel/tree-path.ts'
import { notALeaf, reservedPath } from '../../tree/for-engines.ts'
import { engineHome, home, isReserved } from '../../tree/home.ts'
import type {
  Appended,
  Created,
  CreateOptions,
  Entry,
  Finding,
  Guard,
  Labelled,
  Leaf,
  Lease,
  Leased,
  Moved,
  MoveOptions,
  Outcome,
  Removed,
  RemoveOptions,
  Replaced,
  Revision,
  TimedEntry,
  Touched,
  Tree,
  TurnOptions,
  Watching,
} from '../../tree/tree.ts'
import { appendLine } from './append.ts'
import type { Cluster } from './cluster.ts'
import { weightOfALook } from './folder-indexes.ts'
import { expectNoLeaf, makeFolder } from './folders.ts'
import { healthOf } from './health.ts'
import { findingsIn } from './inspect.ts'
import { allLeases, releaseLease, takeLease } from './leases.ts'
import { askForLeaf, EtcdLeaf, findLeaf, isSeen } from './leaves.ts'
import { moveLeaf } from './move.ts'
import type { Parts } from './parts.ts'
import { findUnusedBodies } from './unused-bodies.ts'
import type { LeafHeader } from './value.ts'
import { createLeaf, removeLeaf, replaceLeaf, touchLeaf } from './write-leaf.ts'
import { Writer } from './writer.ts'

export class EtcdTree implements Tree {
  readonly place: string
  readonly isOpenToOthers = false
  readonly #cluster: Cluster
  readonly #clock: Clock | undefined
  readonly #leave: () => void
  readonly #watching = new Set<() => void>()

  constructor(cluster: Cluster, clock: Clock | undefined, leave: () => void) {
    this.place = cluster.place
    this.#cluster = cluster
    this.#clock = clock
    this.#leave = leave
  }

  /** The parts of the transaction that this call belongs to; outside of a transaction, those of the cluster. */
  get #parts(): Parts {
    return this.#cluster.transactions.current?.parts ?? this.#cluster.parts
  }

  get #writer(): Writer {
    return new Writer(this.#parts, this.#clock)
  }

  now(): Promise<number> {
    return this.#writer.now()
  }

  async read(
    path: TreePath,
    options?: { readonly atMost?: number; readonly fresh?: boolean },
  ): Promise<Leaf | undefined> {
    check(path)
    const found = await (options?.fresh ? askForLeaf : findLeaf)(this.#parts, path)
    if (isSeen(found)) return new EtcdLeaf(found, options?.atMost)
    if (found.folderChangedAt !== undefined) throw notALeaf(path)
    return undefined
  }

  list(folder: TreePath, options?: { readonly fresh?: boolean }): Promise<Entry[]>
  list(folder: TreePath, options: { readonly times: true }): Promise<TimedEntry[]>
  async list(
    folder: TreePath,
    options?: { readonly times?: boolean; readonly fresh?: boolean },
  ): Promise<Entry[] | TimedEntry[]> {
    check(folder, true)
    const { indexes, keys, requests } = this.#parts
    // Sizes and times are in the values, so copy the whole folder, once.
    if (options?.times) indexes.open(folder)
    const index = options?.fresh ? undefined : await indexes.current(folder)
    const { entries, stamped } = index
      ? { entries: index.all().map(({ entry }) => entry), stamped: index.changedAt ?? 0 }
      : await requests.listing(folder)
    if (stamped === 0) await expectNoLeaf(this.#parts, folder, options?.fresh === true)
    const visible = folder === home ? entries.filter(({ name }) => name !== nameOf(engineHome)) : entries
    if (!options?.times) return visible
    const timed: TimedEntry[] = []
    for (const entry of visible) {
      const held = index?.at(keys.leaf(childPath(folder, entry.name)))
      // Not in this copy: the time of a folder is in its own stamp, the size of a log is that of all its lines. Ask for them.
      const isHere = entry.kind === 'leaf' && held?.about && !held.about.isLog
      const found = isHere
        ? leafEntry(entry.name, held.about!, held.size)
        : await this.look(childPath(folder, entry.name))
      if (found) timed.push(found)
    }
    return timed
  }

  async look(path: TreePath): Promise<TimedEntry | undefined> {
    check(path, true)
    const { indexes, keys } = this.#parts
    const name = nameOf(path)
    // Most callers of `look` want to know whether a folder has changed.
    const own = (await indexes.ifOpen(path))?.changedAt
    if (own !== undefined) return folderEntry(name, own)
    const around = path === '' ? undefined : await indexes.current(parentOf(path), weightOfALook)
    const held = around?.at(keys.leaf(path))
    if (held?.about && !held.about.isLog) return leafEntry(name, held.about, held.size)
    if (around && !held && !around.at(keys.folder(path))) return undefined
    const found = await askForLeaf(this.#parts, path)
    if (isSeen(found)) return leafEntry(name, found.about, found.size)
    const changedAt = found.folderChangedAt ?? (path === '' ? 0 : undefined)
    // Its time is in its own range of keys, so a copy of it pays if it is looked at often.
    if (changedAt !== undefined) indexes.count(path, weightOfALook)
    return changedAt === undefined ? undefined : folderEntry(name, changedAt)
  }

  async first(folder: TreePath, beginnings: readonly string[], atMost: number): Promise<Labelled[] | undefined> {
    check(folder)
    // Labels are not read within a transaction.
    if (this.#cluster.transactions.current) return undefined
    return this.#parts.labels.first(folder, beginnings, atMost)
  }

  async create(path: TreePath, content: Uint8Array | string, options: CreateOptions = {}): Promise<Created> {
    check(path)
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    return createLeaf(this.#writer, path, bytes, options)
  }

  async replace(path: TreePath, bytes: Uint8Array, revision: Revision, guard: Guard = {}): Promise<Replaced> {
    check(path)
    return replaceLeaf(this.#writer, path, bytes, revision, guard)
  }

  async touch(path: TreePath): Promise<Touched> {
    check(path)
    return touchLeaf(this.#writer, path)
  }

  async append(path: TreePath, line: string, guard: Guard = {}): Promise<Appended> {
    check(path)
    return appendLine(this.#writer, path, line, guard)
  }

  async move(from: TreePath, to: TreePath, options: MoveOptions = {}): Promise<Moved> {
    check(from)
    check(to)
    return moveLeaf(this.#writer, from, to, options)
  }

  async remove(path: TreePath, options: RemoveOptions = {}): Promise<Removed> {
    check(path)
    return removeLeaf(this.#writer, path, options)
  }

  async makeFolder(path: TreePath): Promise<void> {
    check(path)
    await makeFolder(this.#parts, path, await this.#writer.now())
  }

  lease(resource: string, owner: string, ttl: number): Promise<Leased> {
    return takeLease(this.#parts, resource, owner, ttl, this.#writer.now)
  }

  async release(resource: string, owner: string): Promise<Outcome<'released' | 'gone'>> {
    return releaseLease(this.#parts, resource, owner, await this.#writer.now())
  }

  async leases(): Promise<Lease[]> {
    return allLeases(this.#parts, await this.#writer.now())
  }

  async exclusively<T>(name: string, work: () => Promise<T>, options: TurnOptions = {}): Promise<T> {
    const { transactions, turns } = this.#cluster
    const { current } = transactions
    if (current) {
      current.transaction.turns.add(name)
      return work()
    }
    if (!options.mayRepeat) return turns.take(name, work, options)
    const { now } = this.#writer
    let isTooLarge = false
    const first = async () => {
      const done = await transactions.run(name, now, work)
      isTooLarge = done === 'too large'
      return done
    }
    // While this process has the turn, no other one changes what it is about, so one attempt is mostly enough.
    const inTurn = async () => {
      const done = isTooLarge ? 'too large' : await transactions.run(undefined, now, work)
      return typeof done === 'object' ? done.value : work()
    }
    return turns.take(name, inTurn, options, first)
  }

  watch(folder: TreePath, onChange: () => void): Watching {
    check(folder, true)
    const stop = this.#cluster.indexes.open(folder).listen(onChange)
    this.#watching.add(stop)
    const close = () => {
      this.#watching.delete(stop)
      stop()
    }
    return { by: 'events', close }
  }

  async inspect({ repair = false }: { readonly repair?: boolean } = {}): Promise<Finding[]> {
    return [...findingsIn(await healthOf(this.#cluster)), ...(await findUnusedBodies(this.#cluster, repair))]
  }

  async close(): Promise<void> {
    for (const stop of this.#watching) stop()
    this.#watching.clear()
    this.#leave()
  }
}

const leafEntry = (name: string, { modifiedAt, changedAt }: LeafHeader, size: number): TimedEntry => ({
  name,
  kind: 'leaf',
  size,
  modifiedAt,
  changedAt,
})

const folderEntry = (name: string, at: number): TimedEntry => ({
  name,
  kind: 'folder',
  size: 0,
  modifiedAt: at,
  changedAt: at,
})

const childPath = (folder: TreePath, name: string) => (folder === '' ? name : `${folder}/${name}`) as TreePath

function check(path: TreePath, mayBeRoot = false): void {
  treePath(path)
  if (path === '' ? mayBeRoot : !isReserved(path)) return
  throw reservedPath(path || 'the root')
}
