/**
 * Moves that have one winner and replace nothing.
 *
 * Where the system has a rename that never replaces, a plain move is that one call. Otherwise, and whenever the leaf is judged
 * or changed on the way, the mover first renames it to a private name beside it (`.own-…`). Only one mover can, and from then
 * on nobody else touches it. It then puts the result at the target by a step that fails if something is there, or back.
 * A crash in between is settled by `Recovery`.
 */
import { conflict } from '../../kernel/errors.ts'
import { nameOf, parentOf, type TreePath } from '../../kernel/tree-path.ts'
import { codeOf, type Disk, did, Place, type Stats } from './disk.ts'
import { notALeaf } from './failures.ts'
import type { Folders } from './folders.ts'
import type { Holders } from './holder.ts'
import { type Intent, ownName } from './note.ts'
import type { Draft } from './scratch.ts'
import type { Publishing, Settling } from './settling.ts'
import type { Slots } from './slots.ts'

export interface MovesParts {
  readonly disk: Disk
  readonly folders: Folders
  readonly holders: Holders
  readonly slots: Slots
  readonly settling: Settling
  readonly flush: boolean
}

const nameTaken = (from: TreePath, own: string) =>
  conflict('NAME_TAKEN', `While ${from} was being moved, other leaves took its name at both ends.`, {
    hint: 'Nothing is lost: run `signalbox doctor --fix`, which gives it a name of its own.',
    details: { from, keptAs: own },
  })

/** A leaf that a move has won: under its private name it is out of everybody else's reach. */
export interface Won {
  /** What the private name is made of; a draft that takes its place has the same. */
  readonly operation: string
  readonly from: TreePath
  readonly own: Place
  /** As it was looked at just before, where that was asked for. */
  readonly seen: Stats | undefined
}

/** A leaf that was won, with what is known of its file now. */
export interface Held extends Won {
  readonly stats: Stats
}

const intentOf = ({ operation, from, stats }: Held, to: TreePath): Intent => ({
  operation,
  from,
  to,
  file: stats.ino,
  links: stats.nlink,
})

/** The operations of this process that hold a leaf right now, in whichever of its trees. */
const inFlight = new Set<string>()

/** Counted over all trees of this process: they share its holder, and two private files must not share a name. */
let operations = 0

export class Moves {
  readonly #parts: MovesParts
  #unsettled: Intent | undefined

  constructor(parts: MovesParts) {
    this.#parts = parts
  }

  /** A name for the draft of the next rewrite, from which its private file is named too. */
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

  /** Moves what stands there as it is. */
  plain(from: TreePath, to: TreePath): Publishing {
    const { disk, folders } = this.#parts
    for (let attempt = 0; ; attempt++) {
      const source = folders.place(from, false)
      if (source === undefined) return 'gone'
      let outcome = disk.renameNew?.(source, folders.place(to, true)) ?? 'strange'
      if (outcome === 'strange') {
        const stats = disk.stat(source)
        const intent = stats && { operation: this.nextOperation(), from, to, file: stats.ino, links: stats.nlink }
        outcome = intent ? this.#noted(intent, () => this.#viaPrivateName(intent)) : 'gone'
      }
      if (outcome !== 'gone') return outcome
      const stale = [folders.forget(parentOf(from)), folders.forget(parentOf(to))]
      if (attempt > 2 || !stale.includes(true)) return 'gone'
    }
  }

  /**
   * Takes a leaf out of everybody's reach: it gets a private name, which only one mover can give it. `again`: its folder
   * was another one. It is looked at first where its times are asked for, and where putting it back takes two steps: then
   * nothing but a file is ever taken.
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
    const own = new Place(source.folder, ownName(operation, nameOf(from)))
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

  #hide(source: Place, own: Place): boolean {
    const { disk } = this.#parts
    const native = disk.renameNew?.(source, own) ?? 'strange'
    return native === 'strange' ? did(['ENOENT'], () => disk.rename(source, own)) : native === 'done'
  }

  /** Puts a leaf that was won at its target, as it is. */
  publishWon(won: Held, to: TreePath): Publishing {
    const { disk, folders } = this.#parts
    let outcome: Publishing | 'strange' = 'strange'
    for (let attempt = 0; disk.renameNew && attempt < 4; attempt++) {
      outcome = disk.renameNew(won.own, folders.place(to, true))
      if (outcome !== 'gone' || !folders.forget(parentOf(to))) break
    }
    // By two steps, so that whoever finds it half-way must be able to tell how far it came.
    if (outcome === 'strange') outcome = this.#noted(intentOf(won, to), () => this.#parts.settling.publish(won.own, to))
    if (outcome === 'done') inFlight.delete(won.operation)
    return outcome
  }

  /** Puts a draft at the target in place of a leaf that was won. `elsewhere`: the draft must lie on another file system. */
  publishRewritten(won: Held, draft: Draft, to: TreePath): Publishing | 'elsewhere' {
    const { disk } = this.#parts
    const outcome = this.#noted({ ...intentOf(won, to), draft: draft.folder }, () => {
      try {
        const published = this.#parts.settling.publish(draft.place, to)
        if (published === 'done') did(['ENOENT'], () => disk.unlink(won.own))
        return published
      } catch (error) {
        if (codeOf(error) !== 'EXDEV') throw error
        return 'elsewhere'
      }
    })
    if (outcome === 'done') inFlight.delete(won.operation)
    return outcome
  }

  /** Removes a leaf that was won. */
  drop(won: Won): void {
    did(['ENOENT'], () => this.#parts.disk.unlink(won.own))
    inFlight.delete(won.operation)
  }

  /** The same for one that could not even be opened; if it cannot be put back, whoever lists the folder next does. */
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

  /** Puts a leaf that was won back to where it was. */
  giveBack(won: Held): void {
    try {
      if (this.publishWon(won, won.from) === 'taken') throw nameTaken(won.from, won.own.name)
    } finally {
      // Even if that failed: whoever lists the folder next then takes it for a leftover, and puts it back.
      inFlight.delete(won.operation)
    }
  }

  /**
   * Settles what an earlier failure in this very process left half-way; false when there was nothing. Throws while
   * the disk still refuses.
   */
  settleOwn(): boolean {
    if (!this.#unsettled) return false
    this.#parts.settling.settle(this.#unsettled, 'back')
    this.#unsettled = undefined
    this.#parts.slots.end()
    return true
  }

  /** Runs the steps of a move between writing its note and crossing it out. */
  #noted<T>(intent: Intent, steps: () => T): T {
    this.settleOwn()
    this.#parts.slots.begin(intent, this.#parts.flush)
    this.#unsettled = intent
    try {
      const outcome = steps()
      // Until it is crossed out the note counts, and what it speaks of must stay as it says.
      this.#parts.slots.end()
      this.#unsettled = undefined
      return outcome
    } catch (error) {
      try {
        this.settleOwn()
      } catch {
        // The first failure is the one to report. The note stays; the next operation or process settles it.
      }
      throw error
    }
  }

  #viaPrivateName(intent: Intent): Publishing {
    const { disk, folders } = this.#parts
    const source = folders.place(intent.from, false)
    if (source === undefined) return 'gone'
    // A look first: with the leaf under its private name, its own place could be taken by another of that name.
    if (disk.stat(folders.place(intent.to, true))) return disk.stat(source) ? 'taken' : 'gone'
    const own = new Place(source.folder, this.#parts.settling.ownNameOf(intent))
    const won = did(['ENOENT'], () => disk.rename(source, own))
    if (!won) return 'gone'
    const outcome = this.#parts.settling.publish(own, intent.to)
    if (outcome === 'done') return 'done'
    if (this.#parts.settling.publish(own, intent.from) === 'taken') throw nameTaken(intent.from, own.name)
    return outcome
  }
}
