/**
 * Short locks between processes, for steps that only one process may run at a time: compare-and-replace, leases,
 * recovery. A lock is a folder of files `lock.<n>`; the highest is the lock, its first byte says held or free.
 *
 * It is taken by linking the next number, which only one process can, and only when the highest is free or its holder is
 * dead. So the lock of a dead holder needs no deletion, and nothing that another process may still use is ever deleted:
 * simpler lock files are freed by deletion, and lose updates. See docs/decisions/0006-generation-locks.md.
 */
import { pause } from '../../kernel/clock.ts'
import { corrupt, denied, unavailable } from '../../kernel/errors.ts'
import { childOf, nameOf, type TreePath } from '../../kernel/tree-path.ts'
import { Queues } from '../../tree/for-engines.ts'
import { engineHome } from '../../tree/home.ts'
import { codeOf, did, FilePlace, type Folder, openFlags, unless } from './disk.ts'
import { readSmall, writeAll } from './files.ts'
import { fnv, type HolderId, type Life, pidOf } from './holder.ts'
import type { Parts } from './parts.ts'
import type { Reason } from './set-aside.ts'

export const locksFolder = childOf(engineHome, 'locks')
const stripes = 64

/** How long a process waits for a lock, in milliseconds. */
export interface LockPatience {
  /** For how long a holder whose life is unknown (in another container) keeps a lock, by the file system's time. */
  readonly unknownHolderMs: number
  /** How long to wait for a living holder. For an unknown one, a little longer than it may keep the lock. */
  readonly giveUpMs: number
}
const lockPatience: LockPatience = { unknownHolderMs: 30_000, giveUpMs: 30_000 }
const grace = 2000

/** In bytes; ours have about a hundred. */
const largestLock = 4096
/**
 * A thousand locks a second would take thirty years to get here, so a higher number is a stranger's. Counting on from it
 * could leave the range of exact integers.
 */
const highestNumber = 1e12

const free = Buffer.from('F')
/** The second byte of a lock file: whether another process waits for it. */
const [unwanted, wanted] = ['-', Buffer.from('W')] as const
/** Milliseconds, longer than a waiter sleeps. A process that releases a lock lets the waiting processes go first. */
const politeness = 15

/** A process that needs several locks takes them in this order, so that no two wait for each other. */
export type LockFamily = 'turn' | 'lease' | 'path' | 'recovery'

/** Callers in this process queue here, so that only one of them at a time goes to the files. By root and stripe. */
const queues = new Queues()

/** Until when this process leaves a lock to other processes that waited for it. By root and stripe. */
const politeUntil = new Map<string, number>()

/** Who holds a lock according to its file, and whether that process lives. */
interface Holding {
  readonly id: HolderId
  readonly life: Life
  readonly isWanted: boolean
  /** When the file was last changed, by the file system's time. A number inside the file could be a stranger's. */
  readonly changedAt: number
}

/** An entry among the locks that is no lock. */
interface StrangeLock {
  readonly folder: TreePath
  readonly name: string
  readonly reason: Reason
}

/** The lock files of a folder, and what else lies there. */
interface Inside {
  /** 0 when there is none. */
  readonly highest: number
  readonly numbers: readonly number[]
  readonly strange: readonly { readonly name: string; readonly reason: Reason }[]
}

type LocksParts = Pick<Parts, 'disk' | 'folders' | 'holders' | 'scratch' | 'setAside' | 'time'>

export class Locks {
  readonly #parts: LocksParts
  readonly #patience: LockPatience
  #asked = ''

  /** `patience`: for tests. */
  constructor(parts: LocksParts, patience = lockPatience) {
    this.#parts = parts
    this.#patience = patience
  }

  /** Runs `work` while no other process runs any under the same family and key. */
  async within<T>(
    family: LockFamily,
    key: string,
    work: () => T | Promise<T>,
    { waitMs }: { readonly waitMs?: number } = {},
  ): Promise<T> {
    const stripe = `${family}-${(fnv(key) % stripes).toString(36)}`
    const startedAt = performance.now()
    const locked = () => {
      const left = waitMs === undefined ? undefined : Math.max(0, waitMs - (performance.now() - startedAt))
      return this.#locked(stripe, work, left)
    }
    return queues.run(`${this.#parts.folders.root}\0${stripe}`, locked, waitMs)
  }

  /** For `doctor`: locks whose holder is dead, or unknown and silent for too long, and files that are no locks. */
  inspect(): { readonly abandoned: TreePath[]; readonly strange: StrangeLock[] } {
    const [abandoned, strange]: [TreePath[], StrangeLock[]] = [[], []]
    const all = this.#parts.setAside.openIfThere(locksFolder)
    for (const entry of all ? this.#parts.disk.list(all) : []) {
      if (!stripeName.test(entry.name) || !entry.isDirectory()) {
        strange.push({ folder: locksFolder, name: entry.name, reason: entry.isDirectory() ? 'bad-name' : 'bad-folder' })
        continue
      }
      const folder = childOf(locksFolder, entry.name)
      const open = this.#parts.setAside.openIfThere(folder)
      const inside = open && this.#inside(open)
      if (!inside) continue
      for (const { name, reason } of inside.strange) strange.push({ folder, name, reason })
      const holding = inside.highest === 0 ? 'free' : this.#holding(open, inside.highest)
      if (typeof holding === 'string') {
        if (holding !== 'free') strange.push({ folder, name: lockName(inside.highest), reason: holding })
      } else if (!this.#counts(holding)) abandoned.push(folder)
    }
    return { abandoned, strange }
  }

  /** Moves away what is no lock. */
  clear({ folder, name, reason }: StrangeLock): boolean {
    const open = this.#parts.setAside.openIfThere(folder)
    return open !== undefined && this.#parts.setAside.move(new FilePlace(open, name), reason)
  }

  /** Frees an abandoned lock by taking it once. */
  async free(folder: TreePath): Promise<void> {
    await this.#locked(nameOf(folder), () => undefined)
  }

  async #locked<T>(stripe: string, work: () => T | Promise<T>, waitMs?: number): Promise<T> {
    const folder = childOf(locksFolder, stripe)
    const queue = `${this.#parts.folders.root}\0${stripe}`
    const polite = (politeUntil.get(queue) ?? 0) - performance.now()
    politeUntil.delete(queue)
    if (polite > 0) await pause(Math.min(polite, waitMs ?? polite))
    const startedAt = performance.now()
    for (let attempt = 0; ; attempt++) {
      const taken = this.#tryTake(folder)
      if ('fd' in taken) {
        try {
          return await work()
        } finally {
          if (this.#release(taken.fd)) politeUntil.set(queue, performance.now() + politeness)
        }
      }
      const patience =
        waitMs ??
        (taken.life === 'unknown'
          ? Math.max(this.#patience.unknownHolderMs + grace, this.#patience.giveUpMs)
          : this.#patience.giveUpMs)
      if (performance.now() - startedAt >= patience) throw busy(taken.holder, patience)
      // Short waits first: a lock is held for a fraction of a millisecond. Jitter keeps waiters apart.
      await pause(Math.min(0.2 * 2 ** Math.min(attempt, 6), 8) * (0.5 + Math.random()))
    }
  }

  #tryTake(folder: TreePath): { fd: number } | { holder: HolderId; life: Life } {
    const inside = this.#parts.setAside.folder(folder)
    const { highest, strange } = this.#inside(inside)
    // Move away what would be in the way of the next number.
    for (const { name, reason } of strange)
      if (reason !== 'bad-name') this.#mustClear(folder, new FilePlace(inside, name), reason)
    if (highest > 0) {
      const holding = this.#holding(inside, highest)
      if (typeof holding === 'object' && this.#counts(holding)) {
        // Writing changes the time of the file. An unknown holder would then keep the lock for longer.
        if (holding.life === 'alive' && !holding.isWanted) this.#ask(folder, new FilePlace(inside, lockName(highest)))
        return { holder: holding.id, life: holding.life }
      }
    }
    const next = highest + 1
    if (next >= highestNumber) {
      // A stranger's number, and free: move it away and count from the start.
      this.#mustClear(folder, new FilePlace(inside, lockName(highest)), 'bad-number')
      return { holder: this.#parts.holders.self, life: 'alive' }
    }
    const { fd, draft } = this.#parts.scratch.open(this.#parts.scratch.newName(), undefined)
    let mine = false
    try {
      writeAll(this.#parts.disk, fd, Buffer.from(`H${unwanted}${this.#parts.holders.self} ${Date.now()}\n`), null)
      mine = did(['EEXIST', 'ENOENT'], () => this.#parts.disk.link(draft.place, new FilePlace(inside, lockName(next))))
      if (mine && this.#inside(inside).highest !== next) {
        // Our listing was old, and the number we linked had been used and removed before. Give it back.
        writeAll(this.#parts.disk, fd, free, 0)
        mine = false
      }
    } finally {
      this.#parts.scratch.discard(draft)
      if (!mine) unless(['EBADF'], () => this.#parts.disk.close(fd))
    }
    if (!mine) return { holder: this.#parts.holders.self, life: 'alive' }
    this.#clearBelow(inside, next)
    return { fd }
  }

  #mustClear(folder: TreePath, place: FilePlace, reason: Reason): void {
    if (this.#parts.setAside.move(place, reason) || !this.#parts.disk.stat(place)) return
    const shown = `${this.#parts.folders.shown(folder)}/${place.name}`
    throw corrupt('STRANGE_LOCK', `${shown} is no lock, and cannot be moved away.`, {
      hint: 'Remove it, then repeat the command.',
    })
  }

  /** Tells the holder that this process waits; once is enough. */
  #ask(folder: TreePath, lock: FilePlace): void {
    const asked = `${folder}/${lock.name}`
    if (asked === this.#asked) return
    const fd = unless(['ENOENT', 'EACCES'], () => this.#parts.disk.open(lock, openFlags.change))
    if (fd === undefined) return
    try {
      const stats = this.#parts.disk.statOpen(fd)
      // A second name: the lock is being made right now, or the file is a stranger's hard link to a file elsewhere.
      if (!stats.isFile() || stats.nlink > 1) return
      writeAll(this.#parts.disk, fd, wanted, 1)
      this.#asked = asked
    } finally {
      this.#parts.disk.close(fd)
    }
  }

  /** True when another process waits for it. */
  #release(fd: number): boolean {
    const second = Buffer.alloc(1)
    try {
      writeAll(this.#parts.disk, fd, free, 0)
      return this.#parts.disk.read(fd, second, 0, 1, 1) === 1 && second[0] === wanted[0]
    } catch (error) {
      // The work is done, so a failure to free the lock is not reported. `#counts` lets this process take it again.
      if (codeOf(error) === undefined) throw error
      return false
    } finally {
      this.#parts.disk.close(fd)
    }
  }

  #inside(folder: Folder): Inside {
    const numbers: number[] = []
    const strange: { name: string; reason: Reason }[] = []
    for (const entry of this.#parts.disk.list(folder)) {
      const number = Number(lockPattern.exec(entry.name)?.[1] ?? Number.NaN)
      // A file without the name of a lock is not in the way. `doctor` reports it.
      if (Number.isNaN(number)) strange.push({ name: entry.name, reason: 'bad-name' })
      else if (number >= highestNumber) strange.push({ name: entry.name, reason: 'bad-number' })
      else if (!entry.isFile()) strange.push({ name: entry.name, reason: 'bad-kind' })
      else numbers.push(number)
    }
    return { highest: numbers.reduce((a, b) => Math.max(a, b), 0), numbers, strange }
  }

  #clearBelow(folder: Folder, current: number): void {
    for (const number of this.#inside(folder).numbers) {
      if (number < current) unless(['ENOENT'], () => this.#parts.disk.unlink(new FilePlace(folder, lockName(number))))
    }
  }

  /**
   * `free` also when there is a higher number by now. Our files are complete before they get their number, so an empty or cut
   * one, or one that says something else, was never a lock: no process waits for it, and `doctor` reports the reason.
   */
  #holding(folder: Folder, number: number): Holding | 'free' | Reason {
    const file = readSmall(this.#parts.disk, new FilePlace(folder, lockName(number)), largestLock)
    if (file === undefined) return 'free'
    if (file === 'unreadable') throw notOurs(lockName(number))
    if (typeof file === 'string') return file
    const text = file.bytes.toString('latin1')
    if (/^F[-W]\S+ \d+\n$/.test(text)) return 'free'
    const [, second = '', id = ''] = /^H([-W])(\w+-\w+-\w+-\w+) \d+\n$/.exec(text) ?? []
    if (id === '') return 'bad-lock'
    return { id, life: this.#parts.holders.lifeOf(id), isWanted: second !== unwanted, changedAt: file.stats.ctimeMs }
  }

  #counts({ id, life, changedAt }: Holding): boolean {
    // Our own process: `queues` lets in one at a time, so this lock is left from a release that failed.
    if (id === this.#parts.holders.self) return false
    if (life !== 'unknown') return life === 'alive'
    // The difference is absolute, for the case that the file system's time was set back.
    return Math.abs(this.#parts.time.now() - changedAt) < this.#patience.unknownHolderMs
  }
}

const stripeName = /^(turn|lease|path|recovery)-[0-9a-z]{1,2}$/
const lockPattern = /^lock\.([1-9]\d{0,15})$/
const lockName = (number: number): string => `lock.${number}`

const busy = (holder: HolderId, waited: number) =>
  unavailable('LOCK_BUSY', `Waited ${seconds(waited)} s for a lock that process ${pidOf(holder)} holds.`, {
    hint: 'See whether that process is stopped or stuck; ending it frees the lock.',
    details: { holder },
  })

const seconds = (ms: number): number => Math.ceil(ms / 100) / 10

const notOurs = (name: string) =>
  denied('PERMISSION_DENIED', `No permission for ${locksFolder}/…/${name}.`, {
    hint: 'Run as the user who owns the root, or change the permissions there.',
  })
