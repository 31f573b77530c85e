/**
 * Moves whose caller looks at the file and may change it. The file is renamed to a private name, which only one mover can;
 * then it is read and shown to the caller, who says what it becomes; then it is put at its target by a step that replaces
 * nothing. However long the process is paused in between, no other process can move, change or exchange the file. A file
 * that the caller does not want is put back. See docs/decisions/0003-moving-with-one-winner.md.
 *
 * A few bytes that only repeat what the folder says are overwritten; any other change is a new file in place of the old.
 */
import { parentOf, type TreePath } from '../../kernel/tree-path.ts'
import { bytesAfter } from '../../tree/for-engines.ts'
import type { Changed, Moved, MoveOptions, Overwrite, Removed, RemoveOptions } from '../../tree/tree.ts'
import { codeOf, did, openFlags } from './disk.ts'
import { notALeaf, onAnotherDevice } from './failures.ts'
import { readShared, unshared, writeAll } from './files.ts'
import type { Later } from './later.ts'
import { timesOf } from './leaf.ts'
import type { Won, WonFile } from './moves.ts'
import type { Parts } from './parts.ts'
import type { Recovery } from './recovery.ts'

/** `again`: the file was exchanged after we looked at it, so start over. */
type MoveTry = Moved | 'again'

/** One call of `move`, always with a change. */
interface Asked extends MoveOptions {
  readonly from: TreePath
  readonly to: TreePath
  readonly change: NonNullable<MoveOptions['change']>
}

/** A leaf that was won, and opened under its private name. */
interface Opened extends WonFile {
  readonly fd: number
  readonly writable: boolean
}

/** Expected while cleaning up after a failure. Only the first failure is reported. */
const cleanUpCodes = ['EBADF', 'EIO', 'ENOSPC', 'EACCES', 'EMFILE']

export interface ChangingParts extends Pick<Parts, 'disk' | 'folders' | 'moves' | 'scratch' | 'flushes'> {
  readonly recovery: Later<Recovery>
  /** The time for a leaf that is touched. */
  readonly now: () => number
}

export class ChangingMoves {
  readonly #parts: ChangingParts

  constructor(parts: ChangingParts) {
    this.#parts = parts
  }

  move(asked: Asked): Moved | Promise<Moved> {
    for (let attempt = 0; attempt < 100; attempt++) {
      // Where putting the file back takes two steps, check the target first: in between another file could get the old name.
      if (!this.#parts.moves.isOneStep && this.#isTaken(asked)) return { outcome: 'taken' }
      const won = this.#parts.moves.win(asked.from, asked.timed)
      if (won === 'again') continue
      if (won === 'gone') return { outcome: 'gone' }
      const outcome = this.#settled(won, asked)
      if (outcome instanceof Promise) return outcome.then((moved) => (moved === 'again' ? this.move(asked) : moved))
      if (outcome !== 'again') return outcome
    }
    return { outcome: 'gone' }
  }

  #isTaken({ from, to }: Asked): boolean {
    if (from === to) return false
    const [source, target] = [this.#parts.folders.place(from, false), this.#parts.folders.place(to, true)]
    if (!source || !this.#parts.disk.stat(target)) return false
    return this.#parts.disk.stat(source) !== undefined
  }

  /** Removes a leaf if `onlyIf` agrees. It is won first, as for a move. */
  async remove(path: TreePath, onlyIf: NonNullable<RemoveOptions['onlyIf']>, atMost?: number): Promise<Removed> {
    for (let attempt = 0; attempt < 100; attempt++) {
      const won = this.#parts.moves.win(path, true)
      if (won === 'gone') return { outcome: 'gone' }
      if (won === 'again') continue
      let opened = this.#open(won)
      try {
        if (this.#wasExchanged(opened)) {
          this.#putBack(opened, 'again')
          continue
        }
        if (opened.stats.nlink > 1) opened = await this.#withItsOwnNames(opened)
        const shown = readShared(this.#parts.disk, opened.fd, opened.stats.size, atMost)
        if (!onlyIf(shown, timesOf(opened.seen ?? opened.stats))) {
          this.#putBack(opened, 'again')
          return { outcome: 'kept' }
        }
        this.#parts.disk.close(opened.fd)
        this.#parts.moves.drop(opened)
      } catch (error) {
        throw this.#undone(opened, error)
      }
      await this.#parts.flushes.flushed(parentOf(path))
      return { outcome: 'removed', durability: this.#parts.flushes.durability }
    }
    return { outcome: 'gone' }
  }

  #settled(won: Won, asked: Asked): MoveTry | Promise<MoveTry> {
    const opened = this.#open(won)
    const isPutBack = this.#orUndone(opened, () => this.#wasExchanged(opened) && this.#putBack(opened, true))
    if (isPutBack) return 'again'
    if (opened.stats.nlink < 2) return this.#judged(opened, asked)
    const ready = this.#withItsOwnNames(opened).catch((error) => Promise.reject(this.#undone(opened, error)))
    return ready.then((own) => this.#judged(own, asked))
  }

  /**
   * For a file with a second name. A name that comes from an unfinished move or from making the leaf is gone afterwards; one that
   * is left is a user's hard link. Called while the file has its private name, so that no other process can begin to move it.
   */
  async #withItsOwnNames(opened: Opened): Promise<Opened> {
    const recovery = await this.#parts.recovery.load()
    await recovery.recoverNamesOf(opened.stats.ino)
    return { ...opened, stats: this.#parts.disk.statOpen(opened.fd) }
  }

  #judged(opened: Opened, asked: Asked): MoveTry | Promise<MoveTry> {
    return this.#orUndone(opened, () => {
      const seen = readShared(this.#parts.disk, opened.fd, opened.stats.size, asked.atMost)
      const changed = asked.change(seen, timesOf(opened.seen ?? opened.stats))
      if (changed instanceof Promise) return this.#judgedLater(opened, asked, changed)
      return this.#carryOut(opened, asked, seen, changed)
    })
  }

  /**
   * Whether a leaf that was won must not be judged: it was exchanged, written to or touched between `stat` and rename, so
   * those times are not its own. (A rename itself changes only `ctime`.)
   */
  #wasExchanged({ stats, seen, from }: Opened): boolean {
    if (!stats.isFile()) throw notALeaf(this.#parts.folders.shown(from))
    return seen !== undefined && (seen.ino !== stats.ino || seen.mtimeMs !== stats.mtimeMs)
  }

  async #judgedLater(opened: Opened, asked: Asked, later: Promise<Changed>): Promise<MoveTry> {
    const changed = await later.catch((error) => Promise.reject(this.#undone(opened, error)))
    return this.#orUndone(opened, () => {
      // Read again: the buffer is shared and overwritten by now. The file itself cannot have changed under its private name.
      const seen = readShared(this.#parts.disk, opened.fd, opened.stats.size, asked.atMost)
      return this.#carryOut(opened, asked, seen, changed)
    })
  }

  /** Not for the flush of a move that took place, which `step` may answer as a promise: the leaf has arrived by then. */
  #orUndone<T>(opened: Opened, step: () => T): T {
    try {
      return step()
    } catch (error) {
      throw this.#undone(opened, error)
    }
  }

  #carryOut(opened: Opened, asked: Asked, seen: Buffer, changed: Changed): MoveTry | Promise<MoveTry> {
    if (changed === undefined) return this.#putBack(opened, { outcome: 'kept' })
    // A second name may lie outside the root, and a write would change the file there too.
    const isOwn = opened.stats.nlink === 1
    if (!(changed instanceof Uint8Array)) {
      const canOverwrite = isOwn && opened.writable && changed.restates === true && isSeenWhole(changed, seen.length)
      return canOverwrite
        ? this.#arriveOverwritten(opened, asked, seen, changed)
        : this.#arriveRewritten(opened, asked, bytesAfter(seen, changed)!, undefined)
    }
    // The rest of the file was not read and may be huge, so it stays as it is.
    const isCut = asked.atMost !== undefined && seen.length >= asked.atMost
    if (isCut) return this.#arriveAsItIs(opened, asked, undefined)
    const after = unshared(changed)
    const isSame = changed === seen || seen.equals(changed)
    if (isSame && (isOwn || !asked.touched)) return this.#arriveAsItIs(opened, asked, after)
    return this.#arriveRewritten(opened, asked, after, after)
  }

  /** `after`: its bytes, if all of them were read. */
  #arriveAsItIs(opened: Opened, asked: Asked, after: Uint8Array | undefined): MoveTry | Promise<MoveTry> {
    if (asked.touched) this.#parts.disk.setTimes(opened.own, this.#parts.now())
    const outcome = this.#publish(opened, asked.to)
    if (outcome === 'elsewhere') {
      const bytes = after ?? readShared(this.#parts.disk, opened.fd, opened.stats.size)
      return this.#arriveRewritten(opened, asked, bytes, after)
    }
    if (outcome !== 'done') return this.#putBack(opened, { outcome })
    return this.#arrived(opened, asked, after, asked.touched === true && this.#parts.flushes.durability !== 'process')
  }

  #arrived(
    { fd }: Opened,
    { from, to }: Asked,
    after: Uint8Array | undefined,
    mustFlush: boolean,
  ): Moved | Promise<Moved> {
    if (mustFlush) return this.#parts.flushes.movedAndWritten(fd, from, to, after)
    this.#parts.disk.close(fd)
    return this.#parts.flushes.moved(from, to, after)
  }

  /** Writes the few bytes before the file arrives, so that no reader sees it at its target without them. */
  #arriveOverwritten(opened: Opened, asked: Asked, seen: Uint8Array, change: Overwrite): MoveTry | Promise<MoveTry> {
    const { at, bytes } = change
    const { fd } = opened
    // Puts the old bytes back when the write or the move fails.
    const restore = () => writeAll(this.#parts.disk, fd, seen.subarray(at, at + bytes.length), at)
    try {
      writeAll(this.#parts.disk, fd, bytes, at)
    } catch (error) {
      did([codeOf(error) ?? ''], restore)
      throw error
    }
    const outcome = this.#publish(opened, asked.to)
    if (outcome === 'done') return this.#arrived(opened, asked, undefined, this.#parts.flushes.mustFlush(change))
    if (outcome === 'elsewhere') return this.#arriveRewritten(opened, asked, bytesAfter(seen, change)!, undefined)
    restore()
    return this.#putBack(opened, { outcome })
  }

  /** `elsewhere`: the target is on another file system, so the bytes must be written there. */
  #publish(won: WonFile, to: TreePath): 'done' | 'taken' | 'gone' | 'elsewhere' {
    const outcome = this.#parts.moves.publishWon(won, to)
    if (outcome === 'elsewhere') this.#parts.scratch.useDeviceOf(parentOf(to))
    return outcome
  }

  #arriveRewritten(
    opened: Opened,
    asked: Asked,
    after: Uint8Array,
    told: Uint8Array | undefined,
  ): MoveTry | Promise<MoveTry> {
    const { to } = asked
    const write = () =>
      this.#parts.scratch.write(after, {
        name: opened.operation,
        near: parentOf(to),
        mode: opened.stats.mode & 0o777,
        ...this.#parts.flushes.ofDraft,
      })
    let draft = write()
    // If this fails the draft stays: recovery needs it for as long as the note is there.
    let outcome = this.#parts.moves.publishRewritten(opened, draft, to)
    if (outcome === 'elsewhere') {
      this.#parts.scratch.discard(draft)
      this.#parts.scratch.useDeviceOf(parentOf(to))
      draft = write()
      outcome = this.#parts.moves.publishRewritten(opened, draft, to)
    }
    if (outcome === 'done') return this.#arrived(opened, asked, told, false)
    this.#parts.scratch.discard(draft)
    if (outcome === 'elsewhere') throw onAnotherDevice(this.#parts.folders.shown(parentOf(to)))
    return this.#putBack(opened, { outcome })
  }

  #putBack<T>(opened: Opened, outcome: T): T {
    this.#parts.disk.close(opened.fd)
    this.#parts.moves.giveBack(opened)
    return outcome
  }

  /** Reports the first failure. What cannot be put back now is put back by the next process that lists the folder. */
  #undone(opened: Opened, error: unknown): unknown {
    did(cleanUpCodes, () => this.#parts.disk.close(opened.fd))
    try {
      this.#parts.moves.giveBack(opened)
    } catch (second) {
      if (codeOf(second) === undefined) return second
    }
    return error
  }

  /** A file that this user may read but not write can still be moved, by a rewrite. A file that cannot be opened is put back. */
  #open(won: Won): Opened {
    let fd: number | undefined
    try {
      let writable = true
      try {
        fd = this.#parts.disk.open(won.own, openFlags.change)
      } catch (error) {
        if (codeOf(error) !== 'EACCES') throw error
        fd = this.#parts.disk.open(won.own, openFlags.read)
        writable = false
      }
      const { operation, from, own, seen } = won
      return { operation, from, own, seen, fd, writable, stats: this.#parts.disk.statOpen(fd) }
    } catch (error) {
      if (fd !== undefined) did(cleanUpCodes, () => this.#parts.disk.close(fd!))
      const told = this.#parts.folders.whyNotOpened(won.from, won.own, error)
      this.#parts.moves.giveBackUnread(won)
      throw told
    }
  }
}

/**
 * Whether bytes can be written over old ones without any reader seeing them half done. Ten bytes within one 64-byte line were
 * never seen torn; across two lines they were. Measured on Linux, ext4 and tmpfs.
 */
export const isSeenWhole = ({ at, bytes: { length } }: Overwrite, size: number): boolean =>
  length <= 10 && (at % 64) + length <= 64 && at + length <= size
