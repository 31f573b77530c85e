/**
 * Moves on which the bytes change: the file is opened, read and told to the caller, who says what it becomes. A few bytes
 * are written in place where that is safe, anything else as a new file that takes the place of the old one.
 */
import { parentOf, type TreePath } from '../../kernel/tree-path.ts'
import { bytesAfter } from '../../tree/overwrite.ts'
import type { Moved, MoveOptions, Overwrite } from '../../tree/tree.ts'
import { codeOf, type Disk, did, openFlags, type Place, type Stats } from './disk.ts'
import { notALeaf } from './failures.ts'
import { keepable, readFleeting, readWhole, writeAll } from './files.ts'
import type { Flushes } from './flushes.ts'
import type { Folders } from './folders.ts'
import { spanInPlace } from './in-place.ts'
import type { Moves } from './moves.ts'
import type { Scratch } from './scratch.ts'

type Change = NonNullable<MoveOptions['change']>
/** `again`: something changed in between, so that it must be looked at anew. */
type MoveTry = Moved | 'again'
/** How far a move has come with the file open: settled, arrived with these bytes, or to be gone on with. */
type MoveStep = MoveTry | Arrived | (() => MoveTry | Promise<MoveTry>)
interface Arrived {
  readonly arrived: true
  readonly bytes?: Uint8Array
  /** The bytes were written in place and are not safe yet. */
  readonly flush?: boolean
}
interface Opened {
  readonly fd: number
  readonly place: Place
  readonly writable: boolean
}

/** After a first failure, which is the one to report, a second one on the way out is expected. */
const cleanUpCodes = ['EBADF', 'EIO', 'ENOSPC', 'EACCES', 'EMFILE']

export interface ChangingParts {
  readonly disk: Disk
  readonly folders: Folders
  readonly moves: Moves
  readonly scratch: Scratch
  readonly flushes: Flushes
}

export class ChangingMoves {
  readonly #disk: Disk
  readonly #folders: Folders
  readonly #moves: Moves
  readonly #scratch: Scratch
  readonly #flushes: Flushes

  constructor({ disk, folders, moves, scratch, flushes }: ChangingParts) {
    this.#disk = disk
    this.#folders = folders
    this.#moves = moves
    this.#scratch = scratch
    this.#flushes = flushes
  }

  move(from: TreePath, to: TreePath, change: Change, unique: boolean): Moved | Promise<Moved> {
    for (let attempt = 0; attempt < 100; attempt++) {
      const outcome = this.#moveOnce(from, to, change, unique)
      if (outcome instanceof Promise) {
        return outcome.then((moved) => (moved === 'again' ? this.move(from, to, change, unique) : moved))
      }
      if (outcome !== 'again') return outcome
    }
    return { outcome: 'gone' }
  }

  #moveOnce(from: TreePath, to: TreePath, change: Change, unique: boolean): MoveTry | Promise<MoveTry> {
    const place = this.#folders.place(from, false)
    if (place === undefined) return { outcome: 'gone' }
    const opened = this.#openToChange(place, from)
    if (opened === undefined) return this.#folders.forget(parentOf(from)) ? 'again' : { outcome: 'gone' }
    let step: MoveStep
    try {
      step = this.#moveOpened(opened, from, to, change, unique)
      if (hasArrived(step) && step.flush) return this.#flushes.movedAndWritten(opened.fd, from, to, step.bytes)
    } catch (error) {
      did(cleanUpCodes, () => this.#disk.close(opened.fd))
      throw error
    }
    this.#disk.close(opened.fd)
    // Only now, with nothing left that could fail in between: what follows may take its time.
    if (typeof step === 'function') return step()
    return hasArrived(step) ? this.#flushes.moved(from, to, step.bytes) : step
  }

  #moveOpened(opened: Opened, from: TreePath, to: TreePath, change: Change, unique: boolean): MoveStep {
    const { fd, place, writable } = opened
    const seen = readFleeting(this.#disk, fd)
    if (seen.length === 0 && !this.#disk.statOpen(fd).isFile()) throw notALeaf(this.#folders.shown(from))
    const changed = change(seen)
    if (changed === undefined) return { outcome: 'kept' }
    // In place only where the name cannot mean another leaf by the time it moves.
    const span = writable && unique && from !== to ? spanInPlace(seen, changed) : undefined
    if (!span) {
      const [before, after] = [Buffer.from(seen), keepable(bytesAfter(seen, changed)!)]
      const stats = this.#disk.statOpen(fd)
      if (!stats.isFile()) throw notALeaf(this.#folders.shown(from))
      const told = changed instanceof Uint8Array ? after : undefined
      const rewrite = () => this.#moveRewriting(from, to, stats, before, after, told)
      return stats.nlink > 1 ? () => this.#moves.settleNamesOf(stats.ino).then(rewrite) : rewrite
    }
    const outcome = this.#moves.plain(from, to, unique, place)
    if (outcome !== 'done') return { outcome }
    const arrived = changed instanceof Uint8Array ? { bytes: keepable(changed) } : {}
    if (span.bytes.length === 0) return { ...arrived, arrived: true }
    this.#overwrite(fd, span, seen)
    return { ...arrived, arrived: true, flush: this.#flushes.mustFlush(span) }
  }

  /** A few bytes in one call. A failure half-way must not leave a mixture: then the old ones are put back. */
  #overwrite(fd: number, { at, bytes }: Overwrite, before: Uint8Array): void {
    try {
      writeAll(this.#disk, fd, bytes, at)
    } catch (error) {
      did([codeOf(error) ?? ''], () => writeAll(this.#disk, fd, before.slice(at, at + bytes.length), at))
      throw error
    }
  }

  #moveRewriting(
    from: TreePath,
    to: TreePath,
    stats: Stats,
    before: Buffer,
    after: Uint8Array,
    told: Uint8Array | undefined,
  ): MoveTry | Promise<MoveTry> {
    const operation = this.#moves.nextOperation()
    const draft = this.#scratch.write(after, {
      name: operation,
      near: parentOf(to),
      mode: stats.mode & 0o777,
      ...this.#flushes.ofDraft,
    })
    const intent = { operation, from, to, draft: draft.folder, file: stats.ino, links: stats.nlink }
    try {
      // The private file must be the very one that was read, not changed since: nobody else's edit may be lost.
      const outcome = this.#moves.rewriting(intent, draft, (own) => {
        const now = readWhole(this.#disk, own)
        return now?.stats.ino === stats.ino && now.bytes.equals(before)
      })
      if (outcome === 'done') return this.#flushes.moved(from, to, told)
      this.#scratch.discard(draft)
      return outcome === 'changed' ? 'again' : { outcome }
    } catch (error) {
      if (codeOf(error) !== 'EXDEV') throw error
      this.#scratch.useDeviceOf(parentOf(to))
      return 'again'
    }
  }

  /** A file that is ours to read but not to write can still be moved, with a rewrite. */
  #openToChange(place: Place, path: TreePath): Opened | undefined {
    try {
      const fd = this.#folders.openLeaf(path, place, openFlags.change)
      return fd === undefined ? undefined : { fd, place, writable: true }
    } catch (error) {
      if (codeOf(error) !== 'EACCES') throw error
      const fd = this.#folders.openLeaf(path, place, openFlags.read)
      return fd === undefined ? undefined : { fd, place, writable: false }
    }
  }
}

const hasArrived = (step: MoveStep): step is Arrived => typeof step === 'object' && 'arrived' in step
