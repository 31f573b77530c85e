/**
 * A copy of one folder: read once, then kept up to date by a watch. Our own writes are in it at once. Whether a write is
 * done is decided in etcd, so a copy that lags behind costs time, never a message.
 *
 * A member that is paused or cut off sends nothing, which looks like a quiet folder. So a copy that has heard nothing
 * for a second compares the folder's stamp before it answers. If one of our writes does not come back on the watch, we
 * watch at another member.
 */
import { pause } from '../../kernel/clock.ts'
import type { TreePath } from '../../kernel/tree-path.ts'
import type { Entry } from '../../tree/tree.ts'
import type { Gateway } from './gateway.ts'
import { fromWire, type Key, type Keys, wire } from './keys.ts'
import { byName } from './requests.ts'
import { firstDraftRevision, type KeyValue } from './transaction.ts'
import type { Stream } from './transport.ts'
import { type LeafHeader, parseValue, printValue } from './value.ts'

/** One key of the folder. Large bodies are left out and read when asked for. */
export interface Copied {
  readonly entry: Entry
  /** The key's `mod_revision`. */
  readonly revision: number
  readonly about: LeafHeader | undefined
  readonly bytes: Uint8Array | undefined
  readonly size: number
}

interface WatchMessage {
  readonly events?: readonly { readonly type?: 'DELETE'; readonly kv: KeyValue }[]
}

/** Keys are read in pages of this many. */
const pageSize = 500
/** A watch that has sent something within this time counts as alive. */
const trustMs = 1000
/** One of our writes, or a stamp that we have read, must arrive on the watch within this time. */
const arrivalMs = 500
const beatMs = 500
/** How often watchers are called without any event. */
const hintMs = 2000
/** Bodies up to this size are kept; larger ones are rarely read twice. */
const largestHeld = 64 * 1024

/** How many bytes of bodies all copies of a process keep together. */
export interface Room {
  left: number
}

export class FolderIndex {
  readonly #gateway: Gateway
  readonly #keys: Keys
  readonly #folder: TreePath
  readonly stampKey: Key
  readonly #room: Room
  readonly #compareAll: (asking: FolderIndex) => Promise<void>
  readonly #held = new Map<Key, Copied>()
  /** Our own removals that have not come back on the watch yet. */
  readonly #dropped = new Map<Key, number>()
  readonly #listeners = new Set<() => void>()
  readonly #beat: NodeJS.Timeout
  #sorted: Copied[] | undefined
  #loading: Promise<void> | undefined
  /** Our own writes while the folder was being read. */
  #early: { readonly kv: KeyValue; readonly isDrop: boolean }[] | undefined
  /** The watch has brought everything up to this revision. */
  #told = 0
  /** Our own transactions have shown that nothing is missing up to this revision. */
  #ownWhole = 0
  /** When last compared with the cluster, nothing was missing up to this revision. */
  #compared = 0
  /** The stamp in the cluster, and at which revision, as last told by `compare`. */
  #cluster = { stamped: 0, revision: 0 }
  /** Our own newest write, and when it was made. */
  #own = { revision: 0, at: 0 }
  #heardAt = 0
  #hintedAt = 0
  #stream: Stream | undefined
  #waiting = new Set<() => void>()
  #isClosed = false
  #hasFailed = false
  askedAt = performance.now()

  /** `compareAll` calls `compare` of this copy, and of others as well. */
  constructor(
    gateway: Gateway,
    keys: Keys,
    folder: TreePath,
    room: Room,
    compareAll: (asking: FolderIndex) => Promise<void>,
  ) {
    this.#gateway = gateway
    this.#compareAll = compareAll
    this.#keys = keys
    this.#folder = folder
    this.stampKey = keys.stamp(folder)
    this.#room = room
    this.#beat = setInterval(() => this.#onBeat(), beatMs)
    this.#startLoading()
  }

  get isWatched(): boolean {
    return this.#listeners.size > 0
  }

  /**
   * True when the copy may be read now; false when the cluster has to be asked instead. It may lag a little behind the
   * cluster, but not behind the state `since`.
   */
  async isCurrent(since = 0): Promise<boolean> {
    if (!(await this.isLoaded())) return false
    const isNew = Math.max(this.#told, this.#compared) >= since
    if (isNew && performance.now() - this.#heardAt < trustMs) return true
    await this.#compareAll(this)
    const { stamped, revision } = this.#cluster
    if (!(await this.#brings(() => this.#told >= stamped))) return false
    this.compare(stamped, revision)
    return true
  }

  /** Records that at this revision of the cluster the folder's stamp had the revision `stamped`. */
  compare(stamped: number, revision: number): void {
    this.#cluster = { stamped, revision }
    // By the watch, not by the stamp in the copy: our own write may be there before older writes of other processes.
    if (this.#told < stamped) return
    this.#heardAt = performance.now()
    this.#compared = Math.max(this.#compared, revision)
  }

  /** True once the folder has been read, however long ago: for a transaction, which compares what it read. */
  async isLoaded(): Promise<boolean> {
    this.askedAt = performance.now()
    if (this.#isClosed) return false
    if (this.#hasFailed) this.#startLoading()
    await this.#loading
    return !this.#isClosed
  }

  /** The revision of the stamp, if the copy has everything up to it. Our own write may be in it before older ones of other processes. */
  get stampedAt(): number | undefined {
    const stamped = this.#stamp?.revision ?? 0
    return stamped <= Math.max(this.#told, this.#ownWhole) ? stamped : undefined
  }

  /** The same, after waiting for what is missing. */
  async whole(): Promise<number | undefined> {
    return (await this.#brings(() => this.stampedAt !== undefined)) ? this.stampedAt : undefined
  }

  reaches(revision: number): Promise<boolean> {
    return this.#brings(() => Math.max(this.#told, this.#ownWhole) >= revision)
  }

  /** The key as the cluster has it; 'not kept' if it is there and has to be asked for. */
  valueAt(key: Key): KeyValue | 'not kept' | undefined {
    const held = this.#held.get(key)
    if (!held) return undefined
    const { about, bytes, revision } = held
    const isWhole = about && (bytes || about.isLog || about.elsewhere)
    if (!isWhole) return 'not kept'
    return { key: wire(key), value: printValue(about, bytes), mod_revision: `${revision}` }
  }

  /** Sorted by name; the stamp is not among them. Do not keep it: it changes with the folder. */
  all(): readonly Copied[] {
    const stamp = this.#stamp
    this.#sorted ??= [...this.#held.values()].filter((held) => held !== stamp).sort((a, b) => byName(a.entry, b.entry))
    return this.#sorted
  }

  at(key: Key): Copied | undefined {
    return this.#held.get(key)
  }

  /** When a name last came or went. Revisions keep apart what happened in one millisecond. */
  get changedAt(): number | undefined {
    const stamp = this.#stamp
    return stamp?.about && stampTime(stamp.about.modifiedAt, stamp.revision)
  }

  /** Enters one of our own writes, which was done. */
  take(key: Key, value: string | undefined, revision: number, stampedBefore?: number): void {
    // The write compared the stamp, so nothing came in between.
    if (stampedBefore !== undefined && Math.max(this.#told, this.#ownWhole) >= stampedBefore) this.#ownWhole = revision
    const kv = { key: wire(key), mod_revision: `${revision}`, ...(value === undefined ? {} : { value }) }
    const isDrop = value === undefined
    if (revision > this.#own.revision) this.#own = { revision, at: performance.now() }
    if (this.#early) this.#early.push({ kv, isDrop })
    else if (revision > this.#told) this.#apply(kv, isDrop, true)
  }

  /** A transaction found nothing at this key. The copy says so until the watch does. */
  learnAbsence(key: Key, revision: number): void {
    if (!this.#early && revision > this.#told) this.#apply({ key: wire(key), mod_revision: `${revision}` }, true, true)
  }

  listen(onChange: () => void): () => void {
    this.#listeners.add(onChange)
    return () => {
      this.#listeners.delete(onChange)
      this.askedAt = performance.now()
    }
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#beat)
    this.#stream?.close()
    for (const held of this.#held.values()) this.#room.left += held.bytes?.length ?? 0
    this.#held.clear()
    this.#listeners.clear()
    for (const wake of this.#waiting) wake()
  }

  get #stamp(): Copied | undefined {
    return this.#held.get(this.stampKey)
  }

  #startLoading(): void {
    this.#hasFailed = false
    this.#loading = this.#load()
    // The next caller tries again, and gets the error if that fails, too.
    this.#loading.catch(() => {
      this.#hasFailed = true
    })
  }

  /** Reads the folder in pages, all at one revision, and watches from there. */
  async #load(): Promise<void> {
    this.#early = []
    const kvs: KeyValue[] = []
    let revision = 0
    for await (const page of this.#gateway.pages(this.#keys.inFolder(this.#folder), pageSize)) {
      if (this.#isClosed) return
      kvs.push(...page.kvs)
      revision = page.revision
    }
    for (const held of this.#held.values()) this.#room.left += held.bytes?.length ?? 0
    this.#held.clear()
    this.#sorted = undefined
    this.#dropped.clear()
    this.#told = revision
    for (const kv of kvs) this.#apply(kv, false, false)
    for (const { kv, isDrop } of this.#early) if (Number(kv.mod_revision) > revision) this.#apply(kv, isDrop, true)
    this.#early = undefined
    this.#heardAt = performance.now()
    this.#connect()
    this.#hint()
  }

  #connect(): void {
    if (this.#isClosed) return
    const { from, to } = this.#keys.inFolder(this.#folder)
    const stream = this.#gateway.stream(
      '/v3/watch',
      { create_request: { key: wire(from), range_end: wire(to), start_revision: `${this.#told + 1}` } },
      {
        onMessage: (message: WatchMessage) => {
          if (this.#stream === stream) this.#onMessage(message)
        },
        onEnd: ({ compacted }) => {
          if (this.#stream === stream) void this.#reconnect(compacted)
        },
      },
    )
    this.#stream = stream
  }

  #onMessage({ events = [] }: WatchMessage): void {
    this.#heardAt = performance.now()
    if (events.length === 0) return
    for (const { type, kv } of events) this.#apply(kv, type === 'DELETE', false)
    this.#told = Math.max(this.#told, Number(events.at(-1)!.kv.mod_revision))
    for (const [key, revision] of this.#dropped) if (revision <= this.#told) this.#dropped.delete(key)
    for (const wake of this.#waiting) wake()
    this.#hint()
  }

  /** `isCompacted`: the history since our last event is gone, so read the folder again. */
  async #reconnect(isCompacted: boolean): Promise<void> {
    this.#stream = undefined
    if (this.#isClosed) return
    await pause(20)
    if (this.#isClosed || this.#stream !== undefined) return
    if (isCompacted) this.#startLoading()
    else this.#connect()
  }

  #restart(): void {
    this.#stream?.close()
    this.#gateway.leave()
    this.#own = { ...this.#own, at: performance.now() }
    this.#connect()
  }

  #onBeat(): void {
    const now = performance.now()
    if (this.#hasFailed && this.isWatched) this.#startLoading()
    if (this.#stream && this.#own.revision > this.#told && now - this.#own.at > arrivalMs) this.#restart()
    if (now - this.#hintedAt > hintMs) this.#hint()
  }

  /** Waits for the watch to bring something, and once more at another member. */
  async #brings(isIn: () => boolean): Promise<boolean> {
    if (isIn() || (await this.#arrival(isIn))) return true
    this.#restart()
    return this.#arrival(isIn)
  }

  /** Waits a moment for the watch to bring something. */
  #arrival(isIn: () => boolean): Promise<boolean> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#waiting.delete(check)
        resolve(isIn())
      }
      const check = () => {
        if (isIn() || this.#isClosed) done()
      }
      const timer = setTimeout(done, arrivalMs)
      this.#waiting.add(check)
    })
  }

  #apply(kv: KeyValue, isDrop: boolean, isOwn: boolean): void {
    const key = fromWire(kv.key)
    const revision = Number(kv.mod_revision)
    const before = this.#held.get(key)
    if ((before?.revision ?? 0) >= revision || (this.#dropped.get(key) ?? 0) >= revision) return
    this.#room.left += before?.bytes?.length ?? 0
    const after = isDrop ? undefined : this.#copiedFrom(key, revision, kv.value ?? '', before)
    if (after) this.#held.set(key, after)
    else this.#held.delete(key)
    this.#room.left -= after?.bytes?.length ?? 0
    if (isDrop && isOwn) this.#dropped.set(key, revision)
    if (key !== this.stampKey) this.#resort(before, after)
  }

  /** Changes the sorted list: sorting a large folder anew at every change would take longer than the rest. */
  #resort(before: Copied | undefined, after: Copied | undefined): void {
    const name = (after ?? before)?.entry.name
    const all = this.#sorted
    if (!all || name === undefined) return
    let [at, end] = [0, all.length]
    while (at < end) {
      const middle = (at + end) >>> 1
      if (all[middle]!.entry.name < name) at = middle + 1
      else end = middle
    }
    all.splice(before ? all.indexOf(before, at) : at, before ? 1 : 0, ...(after ? [after] : []))
  }

  #copiedFrom(key: Key, revision: number, text: string, before: Copied | undefined): Copied {
    const what = this.#keys.readInFolder(this.#folder, key)
    const value = parseValue(text)
    const size = value?.about.elsewhere?.size ?? value?.bytes.length ?? 0
    const keeps = value !== undefined && size <= largestHeld && size <= this.#room.left && !value.about.elsewhere
    const kind = what.kind === 'folder' ? 'folder' : value ? 'leaf' : 'other'
    const name = what.kind === 'stamp' ? '' : what.name
    const entry = before?.entry.kind === kind ? before.entry : { name, kind: kind as Entry['kind'] }
    return { entry, revision, about: value?.about, bytes: keeps && !value.about.isLog ? value.bytes : undefined, size }
  }

  #hint(): void {
    this.#hintedAt = performance.now()
    for (const listener of this.#listeners) setImmediate(listener)
  }
}

/** Milliseconds, with the revision in their fraction: so two changes in one millisecond have different times. */
export const stampTime = (at: number, revision: number): number =>
  // Writes that are not committed yet have times of their own, so that no caller takes them for those of a later commit.
  Math.floor(at) + (revision % 4096) / 4096 + (revision >= firstDraftRevision ? 1 / 8192 : 0)
