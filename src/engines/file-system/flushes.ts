/** Flushes what was written, as this tree's durability demands, before a verb answers. */
import { parentOf, type TreePath } from '../../kernel/tree-path.ts'
import type { Durability, Moved, Overwrite } from '../../tree/tree.ts'
import type { Disk } from './disk.ts'
import type { Folders } from './folders.ts'
import type { GroupCommit } from './group-commit.ts'

export class Flushes {
  readonly durability: Durability
  /** How the bytes of a draft are flushed before it is put in its place. */
  readonly ofDraft: { readonly flush?: (fd: number) => void }
  readonly #disk: Disk
  readonly #folders: Folders
  /** Only for `batch`. */
  readonly #commit: GroupCommit | undefined

  constructor(durability: Durability, disk: Disk, folders: Folders, commit: GroupCommit | undefined) {
    this.durability = durability
    this.#disk = disk
    this.#folders = folders
    this.#commit = commit
    this.ofDraft = durability === 'process' ? {} : { flush: (fd) => disk.flushData(fd) }
  }

  /** `full` flushes everything; `batch` leaves out bytes that only repeat what the leaf's folder says. */
  mustFlush({ restates }: Overwrite): boolean {
    return this.durability === 'full' || (this.durability === 'batch' && restates !== true)
  }

  /** Flushes the bytes and both folders at the same time, and answers when all are on the disk. */
  async movedAndWritten(fd: number, from: TreePath, to: TreePath, bytes: Uint8Array | undefined): Promise<Moved> {
    const [, moved] = await both(this.flushAndClose(fd), this.moved(from, to, bytes))
    return moved
  }

  moved(from: TreePath, to: TreePath, bytes: Uint8Array | undefined): Moved | Promise<Moved> {
    const durability = this.durability
    const moved: Moved = bytes ? { outcome: 'moved', durability, bytes } : { outcome: 'moved', durability }
    if (durability === 'process') return moved
    const [source, target] = [parentOf(from), parentOf(to)]
    const flushed = this.#commit?.moved(source, target) ?? this.#flushedBoth(source, target)
    return flushed.then(() => moved)
  }

  async #flushedBoth(from: TreePath, to: TreePath): Promise<void> {
    await this.flushed(to)
    if (from !== to) await this.flushed(from)
  }

  folder(folder: TreePath): void {
    const fd = this.#folders.at(folder, false)?.fd
    if (fd !== undefined) this.#disk.flush(fd)
  }

  /** Flushes the entries of a folder, if this tree's durability demands it. */
  async flushed(folder: TreePath): Promise<void> {
    if (this.#commit) await this.#commit.flushed(folder)
    if (this.durability === 'full') this.folder(folder)
  }

  async flushAndClose(fd: number): Promise<void> {
    try {
      if (this.durability === 'batch') await this.#disk.flushLater(fd)
      else this.#disk.flush(fd)
    } finally {
      this.#disk.close(fd)
    }
  }
}

/** Waits for both even if one fails: a folder must not be closed while it is being flushed. */
export async function both<A, B>(first: A | Promise<A>, second: B | Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second])
  return Promise.all([first, second])
}
