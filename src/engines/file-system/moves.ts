/**
 * Moves that have one winner and replace nothing.
 *
 * Where the system has a rename that never replaces, a plain move is that one call. Otherwise, and whenever the leaf is judged
 * or changed on the way, the mover first renames it to a private name beside it (`.own-…`). Only one mover can, and from then
 * on no other process touches it. Then it puts the result at the target by a step that fails if something is there, or puts
 * the leaf back. After a crash in between, `Recovery` does the rest. See docs/decisions/0003-moving-with-one-winner.md.
 */
import { call } from '../../kernel/call.ts'
import { conflict } from '../../kernel/errors.ts'
import { nameOf, parentOf, type TreePath } from '../../kernel/tree-path.ts'
import { codeOf, did, FilePlace, type Stats } from './disk.ts'
import { notALeaf } from './failures.ts'
import type { Intent } from './note.ts'
import { ownName } from './own-paths.ts'
import type { Parts } from './parts.ts'
import { type Publishing, publish } from './publishing.ts'
import type { Draft } from './scratch.ts'

type MovesParts = Pick<Parts, 'disk' | 'folders' | 'holders' | 'flushes' | 'slots' | 'finishing'>

const nameTaken = (from: TreePath, own: string) =>
  conflict('NAME_TAKEN', `While ${from} was being moved, other leaves took its name at both ends.`, {
    hint: `Nothing is lost: run ${call('doctor', { fix: true })}, which gives it a name of its own.`,
    details: { from, keptAs: own },
  })

/** A leaf that a move has won: it has a private name, so no other process can reach it. */
export interface Won {
  /** The first part of the private name, and the name of the draft with the new bytes. */
  readonly operation: string
  readonly from: TreePath
  readonly own: FilePlace
  /** Its `stat` from just before, if that was asked for. */
  readonly seen: Stats | undefined
}

/** A leaf that was won, with what is known of its file now. */
export interface WonFile extends Won {
  readonly stats: Stats
}

const intentOf = ({ operation, from, stats }: WonFile, to: TreePath): Intent => ({
  operation,
  from,
  to,
  file: stats.ino,
  links: stats.nlink,
})

/** The operations of this process that have a leaf in hand right now, in any of its trees. */
const inFlight = new Set<string>()

/** One count for all trees of this process: they share its holder name, and private names must differ. */
let operations = 0

export class Moves {
  readonly #parts: MovesParts
  #unfinished: Intent | undefined

  constructor(parts: MovesParts) {
    this.#parts = parts
  }

  /** A new name for a rewrite: of its draft, and in the private name of its file. */
  nextOperation(): string {
    return `${this.#parts.holders.self}-${(operations++).toString(36)}`
  }

  /** The system has a rename that never replaces. */
  get isOneStep(): boolean {
    return this.#parts.disk.renameNew !== undefined
  }

  /** True while this process has a leaf in hand under the private name of this operation. */
  isInFlight(operation: string): boolean {
    return inFlight.has(operation)
  }

  /** Moves a leaf as it is. `shared`: that takes several steps, and the file has a second name. */
  plain(from: TreePath, to: TreePath): Publishing | 'shared' {
    const { disk, folders } = this.#parts
    for (let attempt = 0; ; attempt++) {
      const source = folders.place(from, false)
      if (source === undefined) return 'gone'
      let outcome = disk.renameNew?.(source, folders.place(to, true)) ?? 'strange'
      if (outcome === 'strange') {
        const stats = disk.stat(source)
        if (stats && stats.nlink > 1 && stats.isFile()) return 'shared'
        const intent = stats && { operation: this.nextOperation(), from, to, file: stats.ino, links: stats.nlink }
        const moved = intent ? this.#noted(intent, () => this.#viaPrivateName(intent)) : 'gone'
        if (moved === 'again') continue
        outcome = moved
      }
      if (outcome !== 'gone') return outcome
      const stale = [folders.forget(parentOf(from)), folders.forget(parentOf(to))]
      if (attempt > 2 || !stale.includes(true)) return 'gone'
    }
  }

  /**
   * Gives a leaf a private name, which only one mover can. `again`: its folder was exchanged, so start over. The leaf is
   * looked at before if its times are asked for, and where putting it back takes two steps, so that only a file is won.
   */
  win(from: TreePath, timed = false): Won | 'gone' | 'again' {
    const { disk, folders } = this.#parts
    const source = folders.place(from, false)
    if (!source) return 'gone'
    const mustLook = timed || !this.isOneStep
    const seen = mustLook ? disk.stat(source) : undefined
    if (mustLook && !seen) return folders.forget(parentOf(from)) ? 'again' : 'gone'
    if (seen && !seen.isFile()) throw notALeaf(folders.shown(from))
    const operation = this.nextOperation()
    const own = new FilePlace(source.folder, ownName(operation, nameOf(from)))
    this.#parts.slots.use(parentOf(from))
    inFlight.add(operation)
    try {
      if (this.#hide(source, own)) return { operation, from, own, seen }
    } catch (error) {
      inFlight.delete(operation)
      throw error
    }
    inFlight.delete(operation)
    return folders.forget(parentOf(from)) ? 'again' : 'gone'
  }

  #hide(source: FilePlace, own: FilePlace): boolean {
    const { disk } = this.#parts
    const native = disk.renameNew?.(source, own) ?? 'strange'
    return native === 'strange' ? did(['ENOENT'], () => disk.rename(source, own)) : native === 'done'
  }

  /** Puts a leaf that was won at its target, as it is. `elsewhere`: the target is on another file system; it is still won. */
  publishWon(won: WonFile, to: TreePath): Publishing | 'elsewhere' {
    const { disk, folders } = this.#parts
    let outcome: Publishing | 'elsewhere' | 'strange' = 'strange'
    for (let attempt = 0; disk.renameNew && attempt < 4; attempt++) {
      outcome = disk.renameNew(won.own, folders.place(to, true))
      if (outcome !== 'gone' || !folders.forget(parentOf(to))) break
    }
    // Two steps. The note tells the process that has to finish the move how far it came.
    if (outcome === 'strange') outcome = this.#noted(intentOf(won, to), () => this.#unlessElsewhere(won.own, to))
    if (outcome === 'done') inFlight.delete(won.operation)
    return outcome
  }

  /** Puts a draft at the target instead of the leaf that was won. `elsewhere`: the target is on another file system. */
  publishRewritten(won: WonFile, draft: Draft, to: TreePath): Publishing | 'elsewhere' {
    const { disk } = this.#parts
    const outcome = this.#noted({ ...intentOf(won, to), draft: draft.folder }, () => {
      const published = this.#unlessElsewhere(draft.place, to)
      if (published === 'done') did(['ENOENT'], () => disk.unlink(won.own))
      return published
    })
    if (outcome === 'done') inFlight.delete(won.operation)
    return outcome
  }

  /**
   * A step that another file system refuses has changed nothing. It must not end the steps of a note by an error: that would
   * put the leaf back under its old name, where other movers find it, while this one goes on to write it at the target.
   */
  #unlessElsewhere(from: FilePlace, to: TreePath): Publishing | 'elsewhere' {
    try {
      return publish(this.#parts.disk, this.#parts.folders, from, to)
    } catch (error) {
      if (codeOf(error) !== 'EXDEV') throw error
      return 'elsewhere'
    }
  }

  drop(won: Won): void {
    did(['ENOENT'], () => this.#parts.disk.unlink(won.own))
    inFlight.delete(won.operation)
  }

  /** Puts back a leaf that could not be opened. If that fails, the next process that lists the folder does it. */
  giveBackUnread(won: Won): void {
    const stats = won.seen ?? this.#parts.disk.stat(won.own)
    try {
      if (stats) this.giveBack({ ...won, stats })
    } catch (error) {
      if (codeOf(error) === undefined) throw error
    } finally {
      inFlight.delete(won.operation)
    }
  }

  giveBack(won: WonFile): void {
    try {
      if (this.publishWon(won, won.from) === 'taken') throw nameTaken(won.from, won.own.name)
    } finally {
      // Even if that failed: the next process that lists the folder puts it back.
      inFlight.delete(won.operation)
    }
  }

  /**
   * Finishes or undoes a move that failed half-way in this process; false when there was none. Throws while the disk still
   * refuses.
   */
  finishOwn(): boolean {
    if (!this.#unfinished) return false
    this.#parts.finishing.finish(this.#unfinished, 'back')
    this.#unfinished = undefined
    this.#parts.slots.end()
    return true
  }

  /** Runs the steps of a move between writing its note and crossing it out. */
  #noted<T>(intent: Intent, steps: () => T): T {
    this.finishOwn()
    this.#parts.slots.begin(intent, this.#parts.flushes.durability !== 'process')
    this.#unfinished = intent
    try {
      const outcome = steps()
      // The note counts until it is crossed out. Before that, the files it names must not be touched again.
      this.#crossOut(outcome === 'done')
      return outcome
    } catch (error) {
      try {
        this.finishOwn()
      } catch {
        // The first failure is reported. The note stays, and the next operation or process finishes the move.
      }
      throw error
    }
  }

  /**
   * A move that took place is reported as moved, even if a full disk refuses to cross out its note: after an error the caller
   * would look for the leaf at its old place. The files that the note names are gone by then, and the next move overwrites it.
   */
  #crossOut(isDone: boolean): void {
    try {
      this.#parts.slots.end()
      this.#unfinished = undefined
    } catch (error) {
      if (!isDone || codeOf(error) === undefined) throw error
    }
  }

  /** `again`: another file had got the name. It was put back. */
  #viaPrivateName(intent: Intent): Publishing | 'again' {
    const { disk, folders } = this.#parts
    const source = folders.place(intent.from, false)
    if (source === undefined) return 'gone'
    // Check the target first: once the leaf has its private name, another file could get its old name.
    if (disk.stat(folders.place(intent.to, true))) return disk.stat(source) ? 'taken' : 'gone'
    const own = new FilePlace(source.folder, ownName(intent.operation, nameOf(intent.from)))
    const won = did(['ENOENT'], () => disk.rename(source, own))
    if (!won) return 'gone'
    // From here on a second name can only be the one at the target, so recovery can tell by the number of names.
    const stats = disk.stat(own)
    const isIt = stats?.ino === intent.file && stats.nlink === intent.links
    const outcome = isIt ? publish(disk, folders, own, intent.to) : 'again'
    if (outcome === 'done') return 'done'
    if (publish(disk, folders, own, intent.from) === 'taken') throw nameTaken(intent.from, own.name)
    return outcome
  }
}
