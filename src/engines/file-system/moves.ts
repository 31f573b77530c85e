/**
 * Moves that have one winner and replace nothing.
 *
 * Where the system has a rename that never replaces, a plain move is that one call. Otherwise, and whenever new
 * bytes are carried, the mover first renames the leaf to a private name beside it (`.own-…`). Only one mover can,
 * and from then on nobody else touches it. It then puts the result at the target by a step that fails if something
 * is there, and drops the private file. A crash in between is settled by `recover`, from the note in the slot.
 */
import { conflict, unavailable } from '../../kernel/errors.ts'
import { childOf, isSegment, isWithin, nameOf, parentOf, type TreePath } from '../../kernel/tree-path.ts'
import { isReserved } from '../../tree/home.ts'
import { codeOf, type Disk, did, Place, type Stats, unless } from './disk.ts'
import { notALeaf } from './failures.ts'
import type { Folders } from './folders.ts'
import type { HolderId, Holders } from './holder.ts'
import type { Locks } from './locks.ts'
import { pidOf, unknownHolderKeeps } from './locks.ts'
import type { Draft, Scratch } from './scratch.ts'
import type { Intent, Slots } from './slots.ts'

export const ownPrefix = '.own-'

export interface MovesParts {
  readonly disk: Disk
  readonly folders: Folders
  readonly holders: Holders
  readonly scratch: Scratch
  readonly slots: Slots
  readonly locks: Locks
  readonly flush: boolean
}

export type Publishing = 'done' | 'taken' | 'gone'

/** `.own-pid-start-machine-instance-series-counter-NAME` and back. */
const ownName = (operation: string, name: string) => `${ownPrefix}${operation}-${name}`

export function nameFromOwn(own: string): { holder: HolderId; operation: string; name: string } | undefined {
  const parts = /^\.own-((\w+-\w+-\w+-\w+)-\w+)-(.+)$/s.exec(own)
  return parts ? { operation: parts[1]!, holder: parts[2]!, name: parts[3]! } : undefined
}

const nameTaken = (from: TreePath, own: string) =>
  conflict('NAME_TAKEN', `While ${from} was being moved, other leaves took its name at both ends.`, {
    hint: 'Nothing is lost: run `signalbox doctor --fix`, which gives it a name of its own.',
    details: { from, keptAs: own },
  })

const mostSearched = 500_000
/** A move takes a fraction of a millisecond; whoever needs longer is stopped. */
const settlesWithin = 2000

const beingMoved = (holder: HolderId, { from }: Intent) =>
  unavailable('LEAF_BUSY', `Process ${pidOf(holder)} is in the middle of moving ${from}.`, {
    hint: 'See whether that process is stopped; when it goes on or ends, repeat the command.',
    details: { from, holder },
  })

/** The innermost folder that holds both. */
function commonFolder(a: TreePath, b: TreePath): TreePath {
  let folder = parentOf(a)
  while (!isWithin(b, folder)) folder = parentOf(folder)
  return folder
}

/** A leaf that a move has won: under its private name it is out of everybody else's reach. */
export interface Won {
  /** What the private name is made of; a draft that takes its place has the same. */
  readonly operation: string
  readonly from: TreePath
  readonly own: Place
  /** As it was looked at just before. */
  readonly stats: Stats
}

const intentOf = ({ operation, from, stats }: Won, to: TreePath): Intent => ({
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
  /** A file whose second name was found to be no trace of a move. */
  #settledNames: number | undefined

  constructor(parts: MovesParts) {
    this.#parts = parts
  }

  /** A name for the draft of the next rewrite, from which its private file is named too. */
  nextOperation(): string {
    return `${this.#parts.holders.self}-${(operations++).toString(36)}`
  }

  /** Puts a file at a path where nothing may be yet. The source is gone afterwards. */
  publish(file: Place, to: TreePath): Publishing {
    const { disk, folders } = this.#parts
    for (let attempt = 0; ; attempt++) {
      const outcome = this.#publishTo(file, folders.place(to, true))
      if (outcome !== 'gone') return outcome
      // Either the file or the folder is gone; a folder that was deleted or moved is made anew.
      if (attempt < 3 && folders.forget(parentOf(to))) continue
      if (attempt < 3 && disk.stat(file)) continue
      return 'gone'
    }
  }

  #publishTo(file: Place, target: Place): Publishing {
    const { disk } = this.#parts
    const native = disk.renameNew?.(file, target) ?? 'strange'
    if (native !== 'strange') return native
    try {
      disk.link(file, target)
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return 'taken'
      if (codeOf(error) === 'ENOENT') return 'gone'
      throw error
    }
    disk.unlink(file)
    return 'done'
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
   * was another one. A promise: a second name of the file may be the trace of a move that must be settled first.
   */
  win(from: TreePath): Won | 'gone' | 'again' | Promise<void> {
    const { disk, folders } = this.#parts
    const source = folders.place(from, false)
    const stats = source && disk.stat(source)
    if (!source || !stats) return source && folders.forget(parentOf(from)) ? 'again' : 'gone'
    if (!stats.isFile()) throw notALeaf(folders.shown(from))
    if (stats.nlink > 1 && this.#settledNames !== stats.ino) {
      return this.settleNamesOf(stats.ino).then(() => {
        this.#settledNames = stats.ino
      })
    }
    this.#settledNames = undefined
    const operation = this.nextOperation()
    const own = new Place(source.folder, ownName(operation, nameOf(from)))
    inFlight.add(operation)
    try {
      if (this.#hide(source, own)) return { operation, from, own, stats }
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
  publishWon(won: Won, to: TreePath): Publishing {
    const { disk, folders } = this.#parts
    let outcome: Publishing | 'strange' = 'strange'
    for (let attempt = 0; disk.renameNew && attempt < 4; attempt++) {
      outcome = disk.renameNew(won.own, folders.place(to, true))
      if (outcome !== 'gone' || !folders.forget(parentOf(to))) break
    }
    // By two steps, so that whoever finds it half-way must be able to tell how far it came.
    if (outcome === 'strange') outcome = this.#noted(intentOf(won, to), () => this.publish(won.own, to))
    if (outcome === 'done') inFlight.delete(won.operation)
    return outcome
  }

  /** Puts a draft at the target in place of a leaf that was won. `elsewhere`: the draft must lie on another file system. */
  publishRewritten(won: Won, draft: Draft, to: TreePath): Publishing | 'elsewhere' {
    const { disk } = this.#parts
    const outcome = this.#noted({ ...intentOf(won, to), draft: draft.folder }, () => {
      try {
        const published = this.publish(draft.place, to)
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

  /** Puts a leaf that was won back to where it was. */
  giveBack(won: Won): void {
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
    this.#settle(this.#unsettled, 'back')
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
    const own = new Place(source.folder, this.ownNameOf(intent))
    const won = did(['ENOENT'], () => disk.rename(source, own))
    if (!won) return 'gone'
    const outcome = this.publish(own, intent.to)
    if (outcome === 'done') return 'done'
    if (this.publish(own, intent.from) === 'taken') throw nameTaken(intent.from, own.name)
    return outcome
  }

  /**
   * Settles the moves that dead processes left unfinished. `stranded`: other leaves have taken the names at both ends
   * meanwhile; it waits for one of them to be free.
   */
  async recover(): Promise<{ settled: Intent[]; stranded: Intent[] }> {
    const { slots, holders, locks } = this.#parts
    const result: { settled: Intent[]; stranded: Intent[] } = { settled: [], stranded: [] }
    if (this.abandoned().length === 0) return result
    await locks.within('recovery', 'moves', () => {
      for (const slot of slots.all()) {
        if (!this.#isDead(slot.holder, slot.writtenAt)) continue
        if (slot.intent) {
          const outcome = this.#settle(slot.intent, 'forward')
          if (outcome === 'settled') result.settled.push(slot.intent)
          if (outcome === 'stranded') {
            result.stranded.push(slot.intent)
            continue
          }
        }
        if (slot.holder !== holders.self) slots.drop(slot.holder)
      }
    })
    return result
  }

  /** The notes of dead processes. */
  abandoned(): { holder: HolderId; intent: Intent | undefined }[] {
    return this.#parts.slots.all().filter((slot) => this.#isDead(slot.holder, slot.writtenAt))
  }

  /** A private name seen in a listing: is nobody in the middle of anything with it, so that it must be settled? */
  isAbandoned({ holder, operation }: { holder: HolderId; operation: string }, place: Place): boolean {
    if (holder === this.#parts.holders.self) return !inFlight.has(operation)
    const life = this.#parts.holders.lifeOf(holder)
    if (life !== 'unknown') return life === 'dead'
    const stats = this.#parts.disk.stat(place)
    return stats !== undefined && Date.now() - stats.ctimeMs > unknownHolderKeeps
  }

  /**
   * A private file without a note: somebody deleted the engine's folder. Nothing tells whether its move was
   * finished, so it goes back to where it was: twice is better than lost.
   */
  async restoreOrphan(folder: TreePath, own: string): Promise<boolean> {
    const parsed = nameFromOwn(own)
    if (!parsed) return false
    return this.#parts.locks.within('recovery', 'moves', () => {
      const { disk, folders, slots } = this.#parts
      const noted = slots.all().some((slot) => slot.intent?.operation === parsed.operation)
      const open = folders.at(folder, false)
      const orphan = open && new Place(open, own)
      const stats = orphan && disk.stat(orphan)
      if (noted || !orphan || !stats) return false
      const from = childOf(folder, parsed.name)
      if (disk.stat(new Place(orphan.folder, parsed.name))?.ino !== stats.ino) return this.#adopt(orphan, from, stats)
      // Somebody died between the two steps of putting it back.
      return did(['ENOENT'], () => disk.unlink(orphan))
    })
  }

  /** Makes an orphan our own and puts it back, so that if we die half-way our note tells how far we came. */
  #adopt(orphan: Place, from: TreePath, stats: Stats): boolean {
    const operation = this.nextOperation()
    const own = new Place(orphan.folder, ownName(operation, nameOf(from)))
    if (!did(['ENOENT'], () => this.#parts.disk.rename(orphan, own))) return false
    return this.publishWon({ operation, from, own, stats }, from) === 'done'
  }

  /** Gives a stranded leaf a name of its own beside the one that was taken. For people who asked for a repair. */
  async rename(folder: TreePath, own: string): Promise<string | undefined> {
    const parsed = nameFromOwn(own)
    return this.#parts.locks.within('recovery', 'moves', () => {
      const open = this.#parts.folders.at(folder, false)
      if (!parsed || open === undefined) return undefined
      const dot = parsed.name.lastIndexOf('.')
      const [stem, ending] = dot > 0 ? [parsed.name.slice(0, dot), parsed.name.slice(dot)] : [parsed.name, '']
      for (let number = 2; number < 10_000; number++) {
        const name = `${stem}.restored-${number}${ending}`
        const outcome = this.publish(new Place(open, own), childOf(folder, name))
        if (outcome !== 'taken') return outcome === 'done' ? name : undefined
      }
      return undefined
    })
  }

  /**
   * Before a file with more than one name is rewritten or removed: if the second name is the trace of an unfinished
   * move, that move must be settled first, or its recovery would take the rewrite for a move that never arrived.
   */
  async settleNamesOf(file: number): Promise<void> {
    const startedAt = performance.now()
    for (;;) {
      const open = this.#parts.slots.all().find(({ intent }) => intent && this.#traces(intent).includes(file))
      if (!open) return
      if (this.#isDead(open.holder, open.writtenAt)) await this.recover()
      // Going on would give the file two lives if that process died before its next step.
      else if (performance.now() - startedAt > settlesWithin) throw beingMoved(open.holder, open.intent!)
      else await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }

  ownNameOf({ operation, from }: Intent): string {
    return ownName(operation, nameOf(from))
  }

  /** True while the private file of this move is still there. */
  isUnfinished(intent: Intent): boolean {
    const own = this.#ownPlace(intent)
    return own !== undefined && this.#parts.disk.stat(own) !== undefined
  }

  #traces(intent: Intent): number[] {
    const { disk } = this.#parts
    return [this.#ownPlace(intent), this.#draftPlace(intent)].flatMap((place) => {
      const stats = place && disk.stat(place)
      return stats ? [stats.ino] : []
    })
  }

  #isDead(holder: HolderId, writtenAt: number): boolean {
    const life = this.#parts.holders.lifeOf(holder)
    return life === 'dead' || (life === 'unknown' && Date.now() - writtenAt > unknownHolderKeeps)
  }

  #ownPlace(intent: Intent): Place | undefined {
    const folder = this.#parts.folders.at(parentOf(intent.from), false)
    return folder && new Place(folder, this.ownNameOf(intent))
  }

  #draftPlace({ draft, operation }: Intent): Place | undefined {
    const folder = draft === undefined ? undefined : this.#parts.folders.at(draft, false)
    return folder && new Place(folder, operation)
  }

  /**
   * Finishes or undoes a move of which nobody is in charge any more. How far it came is read off the files: a draft
   * that is gone, or has a name among the leaves, has been put at the target; so has a private file with a name more
   * than before among them.
   */
  #settle(intent: Intent, direction: 'forward' | 'back'): 'nothing' | 'settled' | 'stranded' {
    const { disk } = this.#parts
    const own = this.#ownPlace(intent)
    const draft = this.#draftPlace(intent)
    const ownStats = own && disk.stat(own)
    const draftStats = draft && disk.stat(draft)
    const drop = (place: Place | undefined) => place && unless(['ENOENT'], () => disk.unlink(place))
    if (!own || !ownStats) {
      drop(draft)
      return 'nothing'
    }
    const hasMoreNames = (stats: Stats, before: number) => stats.nlink > before && this.#isElsewhere(stats.ino, intent)
    const arrived = intent.draft !== undefined && (draftStats === undefined || hasMoreNames(draftStats, 1))
    if (arrived || hasMoreNames(ownStats, ownStats.ino === intent.file ? intent.links : 1)) {
      drop(own)
      drop(draft)
      return 'settled'
    }
    const canGoOn = direction === 'forward' && ownStats.ino === intent.file
    if (canGoOn && this.publish(draft ?? own, intent.to) === 'done') {
      if (draft) drop(own)
      return 'settled'
    }
    if (this.publish(own, intent.from) === 'taken') return 'stranded'
    drop(draft)
    return 'settled'
  }

  /**
   * Whether a file has a name among the leaves, other than its private one. A second name alone proves nothing: it can
   * be a copy by hard links that somebody made in the meantime. Only after a crash, so it may take a while.
   */
  #isElsewhere(file: number, { from, to, operation }: Intent): boolean {
    const { disk, folders } = this.#parts
    const isIt = (path: TreePath): boolean => {
      const place = folders.place(path, false)
      return place !== undefined && disk.stat(place)?.ino === file
    }
    if (isIt(to) || isIt(from)) return true
    const waiting = [commonFolder(from, to)]
    for (let left = mostSearched, folder = waiting.pop(); folder !== undefined && left > 0; folder = waiting.pop()) {
      const open = isReserved(folder) ? undefined : folders.at(folder, false)
      for (const { name } of open ? disk.list(open) : []) {
        if (left-- <= 0) break
        const stats = name.includes(operation) || !isSegment(name) ? undefined : disk.stat(new Place(open!, name))
        if (stats?.isDirectory()) waiting.push(childOf(folder, name))
        else if (stats?.ino === file) return true
      }
    }
    return false
  }
}
