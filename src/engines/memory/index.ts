/** The tree in memory, for tests: the same promises, but nothing is kept when the process ends. */
import { type Clock, systemClock } from '../../kernel/clock.ts'
import { corrupt } from '../../kernel/errors.ts'
import { childOf, nameOf, parentOf, type TreePath, treePath } from '../../kernel/tree-path.ts'
import {
  bytesAfter,
  expectLease,
  expectOneLine,
  notALeaf,
  Queues,
  readInPart,
  reservedPath,
} from '../../tree/for-engines.ts'
import { isReserved } from '../../tree/home.ts'
import type {
  Appended,
  Changed,
  Created,
  Entry,
  Guard,
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
  Watching,
} from '../../tree/tree.ts'
import { processes } from '../processes.ts'

interface Stored {
  readonly bytes: Uint8Array
  readonly revision: Revision
  readonly modifiedAt: number
  readonly changedAt: number
}

const durability = 'process' as const

export function openMemoryTree(options: { readonly clock?: Clock } = {}): Tree {
  return new MemoryTree(options.clock ?? systemClock)
}

class MemoryTree implements Tree {
  readonly isOpenToOthers = true
  readonly processes = processes
  readonly place = 'memory'
  readonly #clock: Clock
  readonly #leaves = new Map<TreePath, Stored>()
  readonly #folders = new Map<TreePath, Set<string>>([['' as TreePath, new Set()]])
  readonly #leases = new Map<string, Lease>()
  readonly #turns = new Queues()
  readonly #watchers = new Map<TreePath, Set<() => void>>()
  readonly #folderTimes = new Map<TreePath, number>()
  #writes = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async now(): Promise<number> {
    return this.#clock.now()
  }

  async read(path: TreePath, options?: { readonly atMost?: number }): Promise<Leaf | undefined> {
    this.#check(path)
    if (this.#folders.has(path)) throw notALeaf(path)
    const stored = this.#leaves.get(path)
    if (!stored) return undefined
    const bytes = stored.bytes.slice(0, options?.atMost ?? stored.bytes.length)
    const { modifiedAt, changedAt, revision } = stored
    return {
      bytes,
      size: stored.bytes.length,
      modifiedAt,
      changedAt,
      get revision() {
        if (bytes.length === stored.bytes.length) return revision
        throw readInPart()
      },
    }
  }

  list(folder: TreePath): Promise<Entry[]>
  list(folder: TreePath, options: { readonly times: true }): Promise<TimedEntry[]>
  async list(folder: TreePath, options?: { readonly times?: boolean }): Promise<Entry[] | TimedEntry[]> {
    if (folder !== '') this.#check(folder)
    if (this.#leaves.has(folder)) throw corrupt('NOT_A_FOLDER', `A part of ${folder} is a leaf.`)
    const names = [...(this.#folders.get(folder) ?? [])].sort((a, b) => (a < b ? -1 : 1))
    return names.map((name) => {
      const stored = this.#leaves.get(childOf(folder, name))
      const entry = { name, kind: stored ? ('leaf' as const) : ('folder' as const) }
      if (!options?.times) return entry
      return { ...entry, size: stored?.bytes.length ?? 0, ...timesOf(stored ?? { modifiedAt: 0, changedAt: 0 }) }
    })
  }

  async look(path: TreePath): Promise<TimedEntry | undefined> {
    if (path !== '') this.#check(path)
    const name = nameOf(path)
    const stored = this.#leaves.get(path)
    if (stored) return { name, kind: 'leaf', size: stored.bytes.length, ...timesOf(stored) }
    if (!this.#folders.has(path)) return undefined
    const at = this.#folderTimes.get(path) ?? 0
    return { name, kind: 'folder', size: 0, modifiedAt: at, changedAt: at }
  }

  async create(path: TreePath, content: Uint8Array | string, guard?: Guard): Promise<Created> {
    this.#check(path)
    if (this.#isFenced(guard)) return { outcome: 'fenced' }
    if (this.#leaves.has(path) || this.#folders.has(path)) return { outcome: 'taken' }
    return { outcome: 'created', durability, revision: this.#put(path, Buffer.from(content)).revision }
  }

  async replace(path: TreePath, bytes: Uint8Array, revision: Revision, guard?: Guard): Promise<Replaced> {
    this.#check(path)
    if (this.#isFenced(guard)) return { outcome: 'fenced' }
    const stored = this.#leaves.get(path)
    if (!stored) return { outcome: 'gone' }
    if (stored.revision !== revision) return { outcome: 'stale' }
    return { outcome: 'replaced', durability, revision: this.#put(path, bytes).revision }
  }

  async touch(path: TreePath): Promise<Touched> {
    this.#check(path)
    const stored = this.#leaves.get(path)
    if (!stored) return { outcome: 'gone' }
    const now = this.#clock.now()
    this.#leaves.set(path, { ...stored, modifiedAt: now, changedAt: now })
    this.#wake(parentOf(path))
    return { outcome: 'touched', durability }
  }

  async append(path: TreePath, line: string, guard?: Guard): Promise<Appended> {
    this.#check(path)
    expectOneLine(line)
    if (this.#isFenced(guard)) return { outcome: 'fenced' }
    const before = this.#leaves.get(path)?.bytes ?? new Uint8Array()
    const isCut = before.length > 0 && before.at(-1) !== 10
    this.#put(path, Buffer.concat([before, Buffer.from(`${isCut ? '\n' : ''}${line}\n`)]))
    return { outcome: 'appended', durability }
  }

  async move(from: TreePath, to: TreePath, options: MoveOptions = {}): Promise<Moved> {
    this.#check(from)
    this.#check(to)
    for (;;) {
      const stored = this.#leaves.get(from)
      const shown = stored?.bytes.slice(0, options.atMost)
      const answer = stored && options.change?.(shown!, timesOf(stored))
      const answered = answer instanceof Promise ? await answer : answer
      const given = answered === shown ? stored?.bytes : answered
      // The leaf may have been changed while `change` was working. Then ask it again.
      if (this.#leaves.get(from) === stored) return this.#moveNow(from, to, stored, given, options)
    }
  }

  #moveNow(from: TreePath, to: TreePath, stored: Stored | undefined, given: Changed, options: MoveOptions): Moved {
    if (this.#isFenced(options)) return { outcome: 'fenced' }
    if (!stored) return { outcome: 'gone' }
    const bytes = options.change ? bytesAfter(stored.bytes, given) : stored.bytes
    if (bytes === undefined) return { outcome: 'kept' }
    const isEdit = from === to && options.change !== undefined
    if (!isEdit && (this.#leaves.has(to) || this.#folders.has(to))) return { outcome: 'taken' }
    this.#drop(from)
    const now = this.#clock.now()
    const isSame = Buffer.compare(bytes, stored.bytes) === 0
    if (isSame) this.#set(to, { ...stored, changedAt: now, ...(options.touched ? { modifiedAt: now } : {}) })
    else this.#put(to, bytes)
    return given instanceof Uint8Array ? { outcome: 'moved', durability, bytes } : { outcome: 'moved', durability }
  }

  async remove(path: TreePath, options: RemoveOptions = {}): Promise<Removed> {
    this.#check(path)
    if (this.#isFenced(options)) return { outcome: 'fenced' }
    if (this.#folders.has(path)) throw notALeaf(path)
    const stored = this.#leaves.get(path)
    if (!stored) return { outcome: 'gone' }
    if (options.onlyIf && !options.onlyIf(stored.bytes.slice(0, options.atMost), timesOf(stored)))
      return { outcome: 'kept' }
    this.#drop(path)
    return { outcome: 'removed', durability }
  }

  async makeFolder(path: TreePath): Promise<void> {
    this.#check(path)
    this.#folderAt(path)
  }

  async lease(resource: string, owner: string, ttl: number): Promise<Leased> {
    expectLease(resource, owner, ttl)
    const now = this.#clock.now()
    const current = this.#leases.get(resource)
    const stands = current !== undefined && current.until > now
    if (stands && current.owner !== owner) return { outcome: 'busy', lease: current }
    const lease = { resource, owner, until: now + ttl, fence: (current?.fence ?? 0) + (stands ? 0 : 1) }
    this.#leases.set(resource, lease)
    return { outcome: 'held', lease }
  }

  async release(resource: string, owner: string): Promise<Outcome<'released' | 'gone'>> {
    const current = this.#leases.get(resource)
    if (!current || current.owner !== owner || current.until <= this.#clock.now()) return { outcome: 'gone' }
    this.#leases.set(resource, { ...current, until: 0 })
    return { outcome: 'released' }
  }

  async leases(): Promise<Lease[]> {
    const now = this.#clock.now()
    const standing = [...this.#leases.values()].filter(({ until }) => until > now)
    return standing.sort((a, b) => (a.resource < b.resource ? -1 : 1))
  }

  async exclusively<T>(name: string, work: () => Promise<T>, { waitMs }: { waitMs?: number } = {}): Promise<T> {
    return this.#turns.run(name, work, waitMs)
  }

  watch(folder: TreePath, onChange: () => void): Watching {
    const listeners = this.#watchers.get(folder) ?? new Set()
    this.#watchers.set(folder, listeners.add(onChange))
    return { by: 'events', close: () => listeners.delete(onChange) }
  }

  async inspect(): Promise<[]> {
    return []
  }

  async close(): Promise<void> {
    this.#watchers.clear()
  }

  #check(path: TreePath): void {
    treePath(path)
    if (path !== '' && !isReserved(path)) return
    throw reservedPath(path)
  }

  #isFenced(guard: Guard | undefined): boolean {
    if (!guard?.under) return false
    const current = this.#leases.get(guard.under.resource)
    return current?.fence !== guard.under.fence || current.until <= this.#clock.now()
  }

  #put(path: TreePath, bytes: Uint8Array): Stored {
    const now = this.#clock.now()
    const before = this.#leaves.get(path)
    const isSame = before !== undefined && Buffer.compare(before.bytes, bytes) === 0
    const revision = isSame ? before.revision : `${++this.#writes}`
    const stored = { bytes: Uint8Array.from(bytes), revision, modifiedAt: now, changedAt: now }
    this.#set(path, stored)
    return stored
  }

  #set(path: TreePath, stored: Stored): void {
    this.#folderAt(parentOf(path)).add(nameOf(path))
    this.#leaves.set(path, stored)
    this.#hint(parentOf(path))
  }

  #drop(path: TreePath): void {
    this.#leaves.delete(path)
    this.#folders.get(parentOf(path))?.delete(nameOf(path))
    this.#hint(parentOf(path))
  }

  #folderAt(path: TreePath): Set<string> {
    const known = this.#folders.get(path)
    if (known) return known
    if (this.#leaves.has(path)) throw corrupt('NOT_A_FOLDER', `A part of ${path} is a leaf.`, { hint: 'Move it away.' })
    this.#folderAt(parentOf(path)).add(nameOf(path))
    const made = new Set<string>()
    this.#folders.set(path, made)
    this.#hint(parentOf(path))
    return made
  }

  #hint(folder: TreePath): void {
    // Every change must give a new time, even while a test stops the clock.
    const before = this.#folderTimes.get(folder) ?? 0
    this.#folderTimes.set(folder, Math.max(before + 0.001, this.#clock.now()))
    this.#wake(folder)
  }

  #wake(folder: TreePath): void {
    for (const listener of this.#watchers.get(folder) ?? []) setImmediate(listener)
  }
}

const timesOf = ({ modifiedAt, changedAt }: Pick<Stored, 'modifiedAt' | 'changedAt'>) => ({ modifiedAt, changedAt })
