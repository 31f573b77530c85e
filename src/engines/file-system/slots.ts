/**
 * What this process is in the middle of. A move that takes several steps writes down first what it is about to
 * do; steps are synchronous, so one note a process is enough, and it is overwritten in place by the next. After a
 * crash the note tells the next process how to finish.
 */
import { childOf, type TreePath } from '../../kernel/tree-path.ts'
import { engineHome } from '../../tree/home.ts'
import { type Disk, openFlags, Place, unless } from './disk.ts'
import { readSmall, writeAll } from './files.ts'
import { type HolderId, type Holders, holderOf } from './holder.ts'
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
import type { Reason, SetAside } from './set-aside.ts'

export type { Intent } from './note.ts'

export const slotsFolder = childOf(engineHome, 'moves')

export interface Slot {
  readonly name: string
  readonly holder: HolderId
  readonly intent: Intent | undefined
  /** Where this process has given leaves private names. */
  readonly folders: readonly TreePath[]
  /** False for a note in somebody else's hand: it says what may be going on, and is never acted on. */
  readonly isTrusted: boolean
}

/** Something among the notes that is none. */
export interface StrangeNote {
  readonly name: string
  readonly reason: Reason
  /** Whose it claims to be, where its name is that of a note. */
  readonly holder?: HolderId
}

interface Found {
  readonly intent: Intent | undefined
  readonly folders: readonly TreePath[]
  readonly owner: number
}

const idle = Buffer.from(crossedOut)
/** A note is overwritten in one call, and can be seen half-way by whoever reads it in that instant. */
const looks = 3
let trees = 0

export class Slots {
  readonly #disk: Disk
  readonly #setAside: SetAside
  readonly #holders: Holders
  readonly #mode: number
  /** One a tree, also where a process has several. */
  readonly #number = trees++
  #fd: number | undefined
  readonly #used = new Set<TreePath>()

  constructor(disk: Disk, setAside: SetAside, holders: Holders, mode: number) {
    this.#disk = disk
    this.#setAside = setAside
    this.#holders = holders
    this.#mode = mode
  }

  begin(intent: Intent, flush: boolean): void {
    this.#fd ??= this.#open()
    // The first byte makes the note valid, and is written last: a disk that fills up half-way must not leave a mixture
    // with the note before, which would then be believed.
    const note = Buffer.from(printNote(intent))
    writeAll(this.#disk, this.#fd, note.subarray(1), 1)
    writeAll(this.#disk, this.#fd, note.subarray(0, 1), 0)
    if (flush) this.#disk.flushData(this.#fd)
  }

  /**
   * Says that leaves of this folder get private names: if this process dies, whoever comes next looks there. Written once
   * for a folder, so that a move costs no note of its own as long as it changes nothing but a name.
   */
  use(folder: TreePath): void {
    if (this.#used.has(folder)) return
    this.#fd ??= this.#open()
    // Older ones are done with by then; whoever lists them would find what is left there, too.
    if (this.#used.size >= mostFolders) this.#used.clear()
    this.#used.add(folder)
    writeAll(this.#disk, this.#fd, Buffer.from(printFolders([...this.#used])), foldersAt)
  }

  #open(): number {
    const place = new Place(this.#setAside.folder(slotsFolder), this.#name)
    // The name is ours alone: whatever has it is a stranger's, and could be a pipe or have a second name elsewhere.
    const open = () => this.#disk.open(place, openFlags.create, this.#mode)
    let fd = unless(['EEXIST'], open)
    if (fd === undefined) {
      this.#disk.unlink(place)
      fd = open()
    }
    writeAll(this.#disk, fd, idle, 0)
    return fd
  }

  end(): void {
    if (this.#fd !== undefined) writeAll(this.#disk, this.#fd, idle, 0)
  }

  /** The notes of all processes, living and dead. */
  all(): Slot[] {
    return this.read().slots
  }

  /** The same, and what else lies there. */
  read(): { readonly slots: Slot[]; readonly strange: StrangeNote[] } {
    const [slots, strange]: [Slot[], StrangeNote[]] = [[], []]
    const folder = this.#setAside.look(slotsFolder)
    if (folder === undefined) return { slots, strange }
    const isOurs = isOwnedByUs(this.#disk.statOpen(folder.fd).uid)
    for (const { name } of this.#disk.list(folder)) {
      const holder = holderOf(name)?.holder
      const found = holder === undefined ? 'bad-name' : this.#note(new Place(folder, name), holder)
      if (found === undefined) continue
      if (typeof found === 'string') strange.push({ name, reason: found, ...(holder === undefined ? {} : { holder }) })
      else slots.push({ ...found, name, holder: holder!, isTrusted: isOurs && isOwnedByUs(found.owner) })
    }
    return { slots, strange }
  }

  #note(place: Place, holder: HolderId): Found | Reason | undefined {
    for (let look = 1; ; look++) {
      const file = readSmall(this.#disk, place, largestNote)
      // Somebody else's, and not for us to read.
      if (file === 'unreadable') return { intent: undefined, folders: [], owner: -1 }
      if (file === undefined || typeof file === 'string') return file
      const note = parseNote(file.bytes.toString('utf8', 0, foldersAt), holder)
      const folders = parseFolders(file.bytes.toString('utf8', foldersAt))
      if (note !== 'strange') return { intent: note === 'idle' ? undefined : note, folders, owner: file.stats.uid }
      if (look === looks) return 'bad-note'
    }
  }

  /**
   * Moves away what is no note. One whose process may live stays: it would go on writing its notes where nobody looks,
   * and may be of a version that knows more than we do.
   */
  clear({ name, reason, holder }: StrangeNote, isDead: (holder: HolderId) => boolean): boolean {
    if (reason === 'bad-note' && holder !== undefined && !isDead(holder)) return false
    const folder = this.#setAside.look(slotsFolder)
    return folder !== undefined && this.#setAside.move(new Place(folder, name), reason)
  }

  get #name(): string {
    return `${this.#holders.self}-${this.#number}`
  }

  drop(name: string): void {
    const folder = this.#setAside.look(slotsFolder)
    if (folder) unless(['ENOENT'], () => this.#disk.unlink(new Place(folder, name)))
  }

  close(): void {
    if (this.#fd === undefined) return
    this.#disk.close(this.#fd)
    this.#fd = undefined
    this.drop(this.#name)
  }
}

/** Ours, or the administrator's, who can do anything anyway. */
const isOwnedByUs = (owner: number): boolean => owner === 0 || owner === (process.getuid?.() ?? owner)
