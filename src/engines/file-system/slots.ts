/**
 * The slot of this process: a file that says which move is under way. A move of several steps first writes a note of what
 * it is about to do; after a crash the note tells the next process how to finish. The steps are synchronous, so there is
 * one note at a time, overwritten in place by the next.
 */
import type { TreePath } from '../../kernel/tree-path.ts'
import { FilePlace, openFlags, unless } from './disk.ts'
import { readSmall, writeAll } from './files.ts'
import { type HolderId, holderOf } from './holder.ts'
import {
  crossedOut,
  foldersAt,
  type Intent,
  largestNote,
  mostFolders,
  parseFolders,
  parseNote,
  printFolders,
  printNote,
} from './note.ts'
import { slotsFolder } from './own-paths.ts'
import type { Parts } from './parts.ts'
import type { Reason } from './set-aside.ts'

export interface Slot {
  readonly name: string
  readonly holder: HolderId
  readonly intent: Intent | undefined
  /** Where this process has given leaves private names. */
  readonly folders: readonly TreePath[]
  /** False for a slot of another user. It is reported, but no process acts on it. */
  readonly isTrusted: boolean
}

/** A file among the slots that is no slot. */
interface StrangeSlot {
  readonly name: string
  readonly reason: Reason
  /** The holder in its name, if it is named like a slot. */
  readonly holder?: HolderId
}

interface Found {
  readonly intent: Intent | undefined
  readonly folders: readonly TreePath[]
  readonly owner: number
}

const idle = Buffer.from(crossedOut)
/** How often to read a note that makes no sense: another process may be overwriting it right now. */
const attempts = 3
let trees = 0

interface SlotsParts extends Pick<Parts, 'disk' | 'setAside' | 'holders'> {
  readonly fileMode: number
}

export class Slots {
  readonly #parts: SlotsParts
  /** Each tree of a process has a slot of its own. */
  readonly #number = trees++
  #fd: number | undefined
  readonly #used = new Set<TreePath>()

  constructor(parts: SlotsParts) {
    this.#parts = parts
  }

  begin(intent: Intent, flush: boolean): void {
    this.#fd ??= this.#open()
    // The first byte makes the note valid, so it is written last. If the disk fills up in between, no mixture with the note
    // before is taken for a note.
    const note = Buffer.from(printNote(intent))
    writeAll(this.#parts.disk, this.#fd, note.subarray(1), 1)
    writeAll(this.#parts.disk, this.#fd, note.subarray(0, 1), 0)
    if (flush) this.#parts.disk.flushData(this.#fd)
  }

  /**
   * Records that leaves of this folder get private names: if this process dies, the next one looks for them there. Written
   * once for each folder, so that a move that only renames needs no note.
   */
  use(folder: TreePath): void {
    if (this.#used.has(folder)) return
    this.#fd ??= this.#open()
    // No move of this process is under way in the older folders. Files left there are found when the folders are listed.
    if (this.#used.size >= mostFolders) this.#used.clear()
    this.#used.add(folder)
    writeAll(this.#parts.disk, this.#fd, Buffer.from(printFolders([...this.#used])), foldersAt)
  }

  #open(): number {
    const place = new FilePlace(this.#parts.setAside.folder(slotsFolder), this.#name)
    // Only this tree uses the name. A file that has it already is a stranger's: a pipe, or a hard link to a file elsewhere.
    const open = () => this.#parts.disk.open(place, openFlags.create, this.#parts.fileMode)
    let fd = unless(['EEXIST'], open)
    if (fd === undefined) {
      this.#parts.disk.unlink(place)
      fd = open()
    }
    writeAll(this.#parts.disk, fd, idle, 0)
    return fd
  }

  end(): void {
    if (this.#fd !== undefined) writeAll(this.#parts.disk, this.#fd, idle, 0)
  }

  /** The notes of all processes, living and dead. */
  all(): Slot[] {
    return this.read().slots
  }

  /** The same, and other files that lie there. */
  read(): { readonly slots: Slot[]; readonly strange: StrangeSlot[] } {
    const [slots, strange]: [Slot[], StrangeSlot[]] = [[], []]
    const folder = this.#parts.setAside.openIfThere(slotsFolder)
    if (folder === undefined) return { slots, strange }
    const isOurs = isOwnedByUs(this.#parts.disk.statOpen(folder.fd).uid)
    for (const { name } of this.#parts.disk.list(folder)) {
      const holder = holderOf(name)?.holder
      const found = holder === undefined ? 'bad-name' : this.#note(new FilePlace(folder, name), holder)
      if (found === undefined) continue
      if (typeof found === 'string') strange.push({ name, reason: found, ...(holder === undefined ? {} : { holder }) })
      else slots.push({ ...found, name, holder: holder!, isTrusted: isOurs && isOwnedByUs(found.owner) })
    }
    return { slots, strange }
  }

  #note(place: FilePlace, holder: HolderId): Found | Reason | undefined {
    for (let attempt = 1; ; attempt++) {
      const file = readSmall(this.#parts.disk, place, largestNote)
      // Another user's, which we may not read.
      if (file === 'unreadable') return { intent: undefined, folders: [], owner: -1 }
      if (file === undefined || typeof file === 'string') return file
      const note = parseNote(file.bytes.toString('utf8', 0, foldersAt), holder)
      const folders = parseFolders(file.bytes.toString('utf8', foldersAt))
      if (note !== 'strange') return { intent: note === 'idle' ? undefined : note, folders, owner: file.stats.uid }
      if (attempt === attempts) return 'bad-note'
    }
  }

  /**
   * Moves away what is no slot. A file stays if the process in its name may live: that process may be of a newer version, and
   * would go on writing to the moved file, where no other process reads.
   */
  clear({ name, reason, holder }: StrangeSlot, isDead: (holder: HolderId) => boolean): boolean {
    if (reason === 'bad-note' && holder !== undefined && !isDead(holder)) return false
    const folder = this.#parts.setAside.openIfThere(slotsFolder)
    return folder !== undefined && this.#parts.setAside.move(new FilePlace(folder, name), reason)
  }

  get #name(): string {
    return `${this.#parts.holders.self}-${this.#number}`
  }

  drop(name: string): void {
    const folder = this.#parts.setAside.openIfThere(slotsFolder)
    if (folder) unless(['ENOENT'], () => this.#parts.disk.unlink(new FilePlace(folder, name)))
  }

  close(): void {
    if (this.#fd === undefined) return
    this.#parts.disk.close(this.#fd)
    this.#fd = undefined
    this.drop(this.#name)
  }
}

/** This user's, or root's, which can do anything anyway. */
const isOwnedByUs = (owner: number): boolean => owner === 0 || owner === (process.getuid?.() ?? owner)
