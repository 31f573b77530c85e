/**
 * Short locks between processes, for the few steps that must see nobody else: compare-and-replace, leases,
 * recovery. A lock is a folder of files `lock.<n>`; the highest is the lock, its first byte says held or free.
 *
 * It is taken by linking the next number, which only one can, and only when the highest is free or its holder is
 * dead. A holder that dies therefore never has to be cleaned up after, and nothing that another process could
 * still be using is ever deleted: breaking a lock by deletion is what makes simpler lock files lose updates.
 */
import { unavailable } from '../../kernel/errors.ts'
import { childOf, nameOf, type TreePath } from '../../kernel/tree-path.ts'
import { engineHome } from '../../tree/home.ts'
import { type Disk, did, type Folder, openFlags, Place, unless } from './disk.ts'
import { readWhole, writeAll } from './files.ts'
import type { Folders } from './folders.ts'
import { fnv, type HolderId, type Holders } from './holder.ts'
import type { Scratch } from './scratch.ts'

export const locksFolder = childOf(engineHome, 'locks')
const stripes = 64
/** A holder whose life cannot be known (another container) keeps the lock for at most this long. */
export const unknownHolderKeeps = 30_000
const giveUpAfter = 30_000

const held = Buffer.from('H')
const free = Buffer.from('F')
/** The second byte: nobody waits, or somebody does and would like to be next. */
const [unwanted, wanted] = ['-', Buffer.from('W')] as const
/** Longer than a waiter sleeps: whoever held a lock that others want comes after them, so that none of them starves. */
const politeness = 15

/** Families are taken in this order when more than one is needed, so that no two processes wait for each other. */
export type LockFamily = 'turn' | 'lease' | 'path' | 'recovery'

/** Callers in this process queue here, so that only one of them at a time goes to the files. By root and stripe. */
const queues = new Map<string, Promise<unknown>>()

/** When this process may take a lock again that others waited for. By root and stripe. */
const politeUntil = new Map<string, number>()

interface Held {
  readonly fd: number
}

export class Locks {
  readonly #disk: Disk
  readonly #folders: Folders
  readonly #holders: Holders
  readonly #scratch: Scratch
  #asked = ''

  constructor(disk: Disk, folders: Folders, holders: Holders, scratch: Scratch) {
    this.#disk = disk
    this.#folders = folders
    this.#holders = holders
    this.#scratch = scratch
  }

  /** Runs `work` while no other process runs any under the same family and key. */
  async within<T>(family: LockFamily, key: string, work: () => T | Promise<T>): Promise<T> {
    const stripe = `${family}-${(fnv(key) % stripes).toString(36)}`
    const queue = `${this.#folders.root}\0${stripe}`
    const before = queues.get(queue)
    const mine = before ? before.then(() => this.#locked(stripe, work)) : this.#locked(stripe, work)
    const settled = mine.catch(() => undefined)
    queues.set(queue, settled)
    try {
      return await mine
    } finally {
      if (queues.get(queue) === settled) queues.delete(queue)
    }
  }

  /** Locks whose holder died while holding them, for `doctor`. */
  abandoned(): { folder: TreePath; holder: HolderId }[] {
    const found: { folder: TreePath; holder: HolderId }[] = []
    const all = this.#folders.at(locksFolder, false)
    if (all === undefined) return found
    for (const entry of this.#disk.list(all)) {
      const folder = childOf(locksFolder, entry.name)
      const inside = this.#folders.at(folder, false)
      const highest = inside === undefined ? 0 : this.#highest(inside)
      const holder = highest === 0 ? undefined : this.#holderOf(inside!, highest)
      if (holder && !this.#isHeld(holder)) found.push({ folder, holder: holder.id })
    }
    return found
  }

  /** Frees abandoned locks by taking them once. */
  async free(folder: TreePath): Promise<void> {
    await this.#locked(nameOf(folder), () => undefined)
  }

  async #locked<T>(stripe: string, work: () => T | Promise<T>): Promise<T> {
    const folder = childOf(locksFolder, stripe)
    const queue = `${this.#folders.root}\0${stripe}`
    const polite = (politeUntil.get(queue) ?? 0) - performance.now()
    politeUntil.delete(queue)
    if (polite > 0) await pause(polite)
    const startedAt = performance.now()
    for (let attempt = 0; ; attempt++) {
      const taken = this.#tryTake(folder)
      if ('fd' in taken) {
        try {
          return await work()
        } finally {
          if (this.#release(taken)) politeUntil.set(queue, performance.now() + politeness)
        }
      }
      if (performance.now() - startedAt > giveUpAfter) throw busy(taken.holder)
      // Short waits first: a lock is held for a fraction of a millisecond. Jitter keeps waiters apart.
      await pause(Math.min(0.2 * 2 ** Math.min(attempt, 6), 8) * (0.5 + Math.random()))
    }
  }

  #tryTake(folder: TreePath): Held | { holder: HolderId } {
    const inside = this.#folders.at(folder, true)
    const highest = this.#highest(inside)
    if (highest > 0) {
      const holder = this.#holderOf(inside, highest)
      if (holder && this.#isHeld(holder)) {
        this.#ask(folder, new Place(inside, `lock.${highest}`))
        return { holder: holder.id }
      }
    }
    const next = highest + 1
    const { fd, draft } = this.#scratch.open(this.#scratch.newName(), undefined)
    let mine = false
    try {
      writeAll(this.#disk, fd, Buffer.from(`H${unwanted}${this.#holders.self} ${Date.now()}\n`), null)
      mine = did(['EEXIST', 'ENOENT'], () => this.#disk.link(draft.place, new Place(inside, `lock.${next}`)))
      if (mine && this.#highest(inside) !== next) {
        // A slow lister linked a number that had been cleared away: step back from it.
        writeAll(this.#disk, fd, free, 0)
        mine = false
      }
    } finally {
      this.#scratch.discard(draft)
      if (!mine) unless(['EBADF'], () => this.#disk.close(fd))
    }
    if (!mine) return { holder: this.#holders.self }
    this.#clearBelow(inside, next)
    return { fd }
  }

  /** Lets the holder know that somebody waits; once is enough. */
  #ask(folder: TreePath, lock: Place): void {
    const asked = `${folder}/${lock.name}`
    if (asked === this.#asked) return
    const fd = unless(['ENOENT', 'EACCES'], () => this.#disk.open(lock, openFlags.change))
    if (fd === undefined) return
    try {
      const stats = this.#disk.statOpen(fd)
      // With a second name it is being made in this instant, or a stranger's file that lies elsewhere too.
      if (!stats.isFile() || stats.nlink > 1) return
      writeAll(this.#disk, fd, wanted, 1)
      this.#asked = asked
    } finally {
      this.#disk.close(fd)
    }
  }

  /** True when somebody waits for it. */
  #release({ fd }: Held): boolean {
    const second = Buffer.alloc(1)
    try {
      writeAll(this.#disk, fd, free, 0)
      return this.#disk.read(fd, second, 0, 1, 1) === 1 && second[0] === wanted[0]
    } finally {
      // If the release could not be written, `#isHeld` recognises our own leftover by its holder.
      this.#disk.close(fd)
    }
  }

  #highest(folder: Folder): number {
    let highest = 0
    for (const { name } of this.#disk.list(folder)) {
      const number = name.startsWith('lock.') ? Number(name.slice(5)) : 0
      if (number > highest) highest = number
    }
    return highest
  }

  #clearBelow(folder: Folder, current: number): void {
    for (const { name } of this.#disk.list(folder)) {
      const number = name.startsWith('lock.') ? Number(name.slice(5)) : current
      if (number < current) unless(['ENOENT'], () => this.#disk.unlink(new Place(folder, name)))
    }
  }

  /** `undefined` when the lock is free, or already superseded by a higher one. */
  #holderOf(folder: Folder, number: number): { id: HolderId; since: number } | undefined {
    const file = readWhole(this.#disk, new Place(folder, `lock.${number}`))
    if (!file || file.bytes[0] !== held[0]) return undefined
    const [id = '', since = '0'] = file.bytes.toString('latin1', 2).trim().split(' ')
    return { id, since: Number(since) }
  }

  #isHeld(holder: { id: HolderId; since: number }): boolean {
    // Our own: within one process the queue decides, so what the file says is the leftover of a failed release.
    if (holder.id === this.#holders.self) return false
    const life = this.#holders.lifeOf(holder.id)
    return life === 'alive' || (life === 'unknown' && Date.now() - holder.since < unknownHolderKeeps)
  }
}

const busy = (holder: HolderId) =>
  unavailable('LOCK_BUSY', `Waited ${giveUpAfter / 1000} s for a lock that process ${pidOf(holder)} holds.`, {
    hint: 'See whether that process is stopped or stuck; ending it frees the lock.',
    details: { holder },
  })

const pidOf = (holder: HolderId) => Number.parseInt(holder.split('-')[0] ?? '', 36)

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))
