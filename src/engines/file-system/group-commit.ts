/**
 * Flushes folders for many writers at once: one flush of a folder runs at a time, and all callers that change the
 * folder meanwhile share the next one. A single writer pays for a whole flush, as without this.
 */
import type { TreePath } from '../../kernel/tree-path.ts'
import { renamesAreAtomic } from './atomic-renames.ts'
import type { Disk } from './disk.ts'
import { both } from './flushes.ts'
import type { Folders } from './folders.ts'

interface Flushing {
  /** Resolves when the flush under way ends, also when it fails. */
  idle: Promise<void>
  /** The flush that has not begun yet. Callers that come now share it. */
  next: Promise<void> | undefined
}

export class GroupCommit {
  readonly #disk: Disk
  readonly #folders: Folders
  readonly #flushings = new Map<TreePath, Flushing>()
  /** Whether renames are atomic, by device. */
  readonly #areAtomic = new Map<number, boolean>()

  constructor(disk: Disk, folders: Folders) {
    this.#disk = disk
    this.#folders = folders
  }

  /** Resolves when everything that was in the folder at this moment is on the disk. */
  flushed(folder: TreePath): Promise<void> {
    const flushing = this.#flushings.get(folder) ?? this.#begin(folder)
    // The flush under way may have begun before our change, so wait for the next.
    flushing.next ??= flushing.idle.then(() => this.#start(folder, flushing))
    return flushing.next
  }

  /** Begins after this pass of the event loop, so that changes which other callers make in it are flushed together with ours. */
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
   * one of them makes the other safe. Where half a rename could reach the disk, the target is flushed first: a file
   * under both names is found again, one under neither is lost.
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
    const fd = this.#folders.at(folder, false)?.fd
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
    const fd = this.#folders.at(folder, false)?.fd
    // The folder is gone and its entries with it: nothing is left to flush.
    if (fd !== undefined) await this.#disk.flushLater(fd)
  }
}
