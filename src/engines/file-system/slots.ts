/**
 * What this process is in the middle of. A move that takes several steps writes down first what it is about to
 * do; steps are synchronous, so one note a process is enough, and it is overwritten in place by the next. After a
 * crash the note tells the next process how to finish.
 */
import { childOf, type TreePath } from '../../kernel/tree-path.ts'
import { engineHome } from '../../tree/home.ts'
import { type Disk, openFlags, Place, unless } from './disk.ts'
import { readWhole, writeAll } from './files.ts'
import type { Folders } from './folders.ts'
import type { HolderId, Holders } from './holder.ts'

export const slotsFolder = childOf(engineHome, 'moves')

export interface Intent {
  /** Names the private file beside `from`, and the draft with the new bytes. */
  readonly operation: string
  readonly from: TreePath
  readonly to: TreePath
  /** Where the draft is; absent when the leaf moves unchanged. */
  readonly draft?: TreePath
  /** The file that was to be moved, and how many names it had before: both tell how far the move came. */
  readonly file: number
  readonly links: number
}

export interface Slot {
  readonly holder: HolderId
  readonly intent: Intent | undefined
  readonly writtenAt: number
}

const idle = Buffer.from('-')
let trees = 0

export class Slots {
  readonly #disk: Disk
  readonly #folders: Folders
  readonly #holders: Holders
  readonly #mode: number
  /** One a tree, also where a process has several. */
  readonly #number = trees++
  #fd: number | undefined

  constructor(disk: Disk, folders: Folders, holders: Holders, mode: number) {
    this.#disk = disk
    this.#folders = folders
    this.#holders = holders
    this.#mode = mode
  }

  begin(intent: Intent, flush: boolean): void {
    this.#fd ??= this.#open()
    // The line end is what makes the note valid: without it the move had not begun.
    writeAll(this.#disk, this.#fd, Buffer.from(`${JSON.stringify(intent)}\n`), 0)
    if (flush) this.#disk.flushData(this.#fd)
  }

  #open(): number {
    const place = new Place(this.#folders.at(slotsFolder, true), this.#name)
    // The name is ours alone: whatever has it is a stranger's, and could be a pipe or have a second name elsewhere.
    const open = () => this.#disk.open(place, openFlags.create, this.#mode)
    const fd = unless(['EEXIST'], open)
    if (fd !== undefined) return fd
    this.#disk.unlink(place)
    return open()
  }

  end(): void {
    if (this.#fd !== undefined) writeAll(this.#disk, this.#fd, idle, 0)
  }

  /** The notes of all processes, living and dead. */
  all(): Slot[] {
    const folder = this.#folders.at(slotsFolder, false)
    if (folder === undefined) return []
    return this.#disk.list(folder).flatMap(({ name }) => {
      const file = readWhole(this.#disk, new Place(folder, name))
      if (!file) return []
      return [{ holder: name, intent: intentIn(file.bytes.toString('utf8')), writtenAt: file.stats.mtimeMs }]
    })
  }

  get #name(): HolderId {
    return `${this.#holders.self}-${this.#number}`
  }

  drop(holder: HolderId): void {
    const folder = this.#folders.at(slotsFolder, false)
    if (folder) unless(['ENOENT'], () => this.#disk.unlink(new Place(folder, holder)))
  }

  close(): void {
    if (this.#fd === undefined) return
    this.#disk.close(this.#fd)
    this.#fd = undefined
    this.drop(this.#name)
  }
}

function intentIn(text: string): Intent | undefined {
  const end = text.indexOf('\n')
  if (!text.startsWith('{') || end < 0) return undefined
  try {
    return JSON.parse(text.slice(0, end)) as Intent
  } catch {
    // Overwritten half-way by a crash: the move it was about to note had not begun.
    return undefined
  }
}
