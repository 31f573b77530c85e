/**
 * Flushing folders together: one flush of a folder is under way at a time, and everybody who changed the folder before
 * the next one begins shares that one. With many writers in flight this shares the cost; a single one pays what it
 * always did.
 */
import type { TreePath } from '../../kernel/tree-path.ts'
import { renamesAreAtomic } from './atomic-renames.ts'
import type { Disk } from './disk.ts'
import type { Folders } from './folders.ts'

interface Flushing {
  /** Ends with the flush under way, however it ends. */
  idle: Promise<void>
  /** The flush that has not begun yet: whoever comes now shares it. */
  next: Promise<void> | undefined
}

export class GroupCommit {
  readonly #disk: Disk
  readonly #folders: Folders
  readonly #flushings = new Map<TreePath, Flushing>()
  /** By device. */
  readonly #areAtomic = new Map<number, boolean>()

  constructor(disk: Disk, folders: Folders) {
    this.#disk = disk
    this.#folders = folders
  }

  /** Resolves when everything that was in the folder at this moment is on the disk. */
  flushed(folder: TreePath): Promise<void> {
    const flushing = this.#flushings.get(folder) ?? this.#begin(folder)
    // The one under way may have begun before our change: it does not count for us.
    flushing.next ??= flushing.idle.then(() => this.#start(folder, flushing))
    return flushing.next
  }

  /** Not at once, but when this turn of the loop is over: others who were woken with us have changes, too. */
  #begin(folder: TreePath): Flushing {
    const idle = new Promise<void>((resolve) => setImmediate(resolve))
    const flushing = { idle, next: undefined }
    this.#flushings.set(folder, flushing)
    return flushing
  }

  #start(folder: TreePath, flushing: Flushing): Promise<void> {
    flushing.next = undefined
    const running = this.#flush(folder)
    const done = () => {
      if (!flushing.next) this.#flushings.delete(folder)
    }
    flushing.idle = running.then(done, done)
    return running
  }

  /**
   * Resolves when a move that was just made is on the disk. It changed two folders, and no standard says that flushing
   * one of them makes the other safe. Where a rename could reach the disk by halves, the half that must not be missing goes
   * first: a file under both names is found again, one under none is not.
   */
  async moved(from: TreePath, to: TreePath): Promise<void> {
    if (from === to) return this.flushed(to)
    if (this.#isAtomicIn(to)) {
      await both(this.flushed(to), this.flushed(from))
      return
    }
    await this.flushed(to)
    await this.flushed(from)
  }

  #isAtomicIn(folder: TreePath): boolean {
    const fd = this.#folders.descriptor(folder)
    if (fd === undefined) return false
    const { dev } = this.#disk.statOpen(fd)
    let isAtomic = this.#areAtomic.get(dev)
    if (isAtomic === undefined) {
      isAtomic = renamesAreAtomic(fd)
      this.#areAtomic.set(dev, isAtomic)
    }
    return isAtomic
  }

  async #flush(folder: TreePath): Promise<void> {
    const fd = this.#folders.descriptor(folder)
    // A folder that is gone took its entries with it: there is nothing left to make safe.
    if (fd !== undefined) await this.#disk.flushLater(fd)
  }
}

/** Waits for both, also when one fails: nobody may close a folder that is still being flushed. */
export async function both<A, B>(first: A | Promise<A>, second: B | Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second])
  return Promise.all([first, second])
}
