/**
 * Flushing folders together: while one flush of a folder is under way, everybody who needs the next waits for that
 * one flush. With many writers in flight this shares the cost; a single one pays what it always did.
 */
import type { TreePath } from '../../kernel/tree-path.ts'
import type { Disk } from './disk.ts'
import type { Folders } from './folders.ts'

interface Flushing {
  running: Promise<void>
  next: Promise<void> | undefined
}

export class GroupCommit {
  readonly #disk: Disk
  readonly #folders: Folders
  readonly #underWay = new Map<TreePath, Flushing>()

  constructor(disk: Disk, folders: Folders) {
    this.#disk = disk
    this.#folders = folders
  }

  /** Resolves when everything that was in the folder at this moment is on the disk. */
  flushed(folder: TreePath): Promise<void> {
    const current = this.#underWay.get(folder)
    if (!current) {
      const flushing: Flushing = { running: this.#flush(folder), next: undefined }
      this.#underWay.set(folder, flushing)
      const done = () => {
        if (!flushing.next) this.#underWay.delete(folder)
      }
      flushing.running.then(done, done)
      return flushing.running
    }
    // The one under way may have begun before our change: it does not count for us.
    current.next ??= current.running
      .catch(() => undefined)
      .then(() => {
        current.running = this.#flush(folder)
        current.next = undefined
        const done = () => {
          if (!current.next) this.#underWay.delete(folder)
        }
        current.running.then(done, done)
        return current.running
      })
    return current.next
  }

  async #flush(folder: TreePath): Promise<void> {
    const fd = this.#folders.descriptor(folder)
    // A folder that is gone took its entries with it: there is nothing left to make safe.
    if (fd !== undefined) await this.#disk.flushLater(fd)
  }
}
