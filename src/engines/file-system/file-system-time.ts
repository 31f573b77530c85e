/**
 * What time it is for the file system: the time it gives a file that is made now. The times of its files can be compared
 * with that whatever the clocks of the machines say that work on them.
 */
import type { Disk } from './disk.ts'
import type { Scratch } from './scratch.ts'

/** Between two looks a clock that nobody can set goes on. */
const believedFor = 1000

export class FileSystemTime {
  readonly #disk: Disk
  readonly #scratch: Scratch
  #looked: { readonly at: number; readonly time: number } | undefined

  constructor(disk: Disk, scratch: Scratch) {
    this.#disk = disk
    this.#scratch = scratch
  }

  /** In milliseconds. Makes and removes a file, about once a second at most. */
  now(): number {
    const at = performance.now()
    if (!this.#looked || at - this.#looked.at > believedFor) this.#looked = { at, time: this.#look() }
    return this.#looked.time + (at - this.#looked.at)
  }

  #look(): number {
    const { fd, draft } = this.#scratch.open(this.#scratch.newName(), undefined)
    try {
      return this.#disk.statOpen(fd).ctimeMs
    } finally {
      this.#disk.close(fd)
      this.#scratch.discard(draft)
    }
  }
}
