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
import { type HolderId, type Holders, type Life, pidOf } from './holder.ts'
import type { Locks } from './locks.ts'
import { ownName, ownPrefix } from './note.ts'
import { leafPath } from './own-paths.ts'
import type { Draft, Scratch } from './scratch.ts'
import { isOdd } from './set-aside.ts'
import type { Intent, Slot, Slots } from './slots.ts'

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

/** From `.own-HOLDER-counter-NAME`; `undefined` for a name that we give nobody: what it stands for must be the name of a leaf in the same folder. */
export function nameFromOwn(
  own: string,
  folder: TreePath,
): { holder: HolderId; operation: string; name: string } | undefined {
  const [, operation = '', holder = '', name = ''] = /^\.own-((\w+-\w+-\w+-\w+)-\w+)-(.+)$/s.exec(own) ?? []
  return leafPath(folder === '' ? name : `${folder}/${name}`) === undefined ? undefined : { operation, holder, name }
}

/** For a person who knows better: holders whose life cannot be known count as dead. */
export interface Assumptions {
  readonly assumeGone?: boolean
}

export interface Recovered {
  readonly settled: Intent[]
  readonly stranded: Intent[]
  /** What they are about cannot be reached, or is no file. Nothing was done. */
  readonly stuck: Intent[]
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

/** What the system answers where a file cannot be moved, now or later, for a reason that lies in the place. */
const unreachable = ['EACCES', 'EPERM', 'EXDEV', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EROFS']

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
    this.#parts.slots.use(parentOf(from))
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
   * Settles the moves that dead processes left unfinished, and moves away what is no note. `stranded`: other leaves have
   * taken the names at both ends meanwhile; it waits for one of them to be free.
   */
  async recover(assumptions: Assumptions = {}): Promise<Recovered> {
    const { slots, locks } = this.#parts
    const result: Recovered = { settled: [], stranded: [], stuck: [] }
    const found = slots.read()
    for (const strange of found.strange) slots.clear(strange, (holder) => this.#isDead(holder, assumptions))
    const isDone = (slot: Slot) => slot.isTrusted && this.#isDead(slot.holder, assumptions)
    if (!found.slots.some(isDone)) return result
    await locks.within('recovery', 'moves', () => {
      for (const { name, holder, intent, folders } of slots.all().filter(isDone)) {
        const outcome = intent ? this.#trySettle(intent) : 'nothing'
        if (intent && outcome !== 'nothing') result[outcome].push(intent)
        for (const folder of folders) this.#restoreAll(folder, holder, intent)
        if (outcome === 'nothing' || outcome === 'settled') slots.drop(name)
      }
    })
    return result
  }

  /** What a dead process had in hand without a note: nothing about it was changed yet, and it goes back. */
  #restoreAll(folder: TreePath, holder: HolderId, noted: Intent | undefined): void {
    const { disk, folders } = this.#parts
    try {
      const open = folders.at(folder, false)
      for (const { name } of open ? disk.list(open) : []) {
        const own = name.startsWith(ownPrefix) ? nameFromOwn(name, folder) : undefined
        if (own?.holder === holder && own.operation !== noted?.operation) this.#restore(folder, name, own.name)
      }
    } catch (error) {
      // Not to be reached any more, or no folder: whoever can list it finds what is there.
      if (!isOdd(error) && !unreachable.includes(codeOf(error) ?? '')) throw error
    }
  }

  /** A note can lead through what has become a link, or to what is no file: then it is left as it is, and told. */
  #trySettle(intent: Intent): 'nothing' | keyof Recovered {
    try {
      return this.#settle(intent, 'forward')
    } catch (error) {
      if (isOdd(error) || unreachable.includes(codeOf(error) ?? '')) return 'stuck'
      throw error
    }
  }

  /** The notes of dead processes. */
  abandoned(assumptions: Assumptions = {}): Slot[] {
    return this.#parts.slots.all().filter(({ isTrusted, holder }) => isTrusted && this.#isDead(holder, assumptions))
  }

  /** The notes of processes that cannot be asked. */
  uncertain(assumptions: Assumptions = {}): Slot[] {
    return this.#parts.slots.all().filter(({ holder }) => this.lifeOf(holder, assumptions) === 'unknown')
  }

  lifeOf(holder: HolderId, { assumeGone = false }: Assumptions): Life {
    const life = this.#parts.holders.lifeOf(holder)
    return life === 'unknown' && assumeGone ? 'dead' : life
  }

  /** A private name seen in a listing: is nobody in the middle of anything with it, so that it must be settled? */
  isAbandoned({ holder, operation }: { holder: HolderId; operation: string }, assumptions: Assumptions = {}): boolean {
    if (holder === this.#parts.holders.self) return !inFlight.has(operation)
    return this.#isDead(holder, assumptions)
  }

  /**
   * A private file without a note: somebody deleted the engine's folder. Nothing tells whether its move was
   * finished, so it goes back to where it was: twice is better than lost.
   */
  async restoreOrphan(folder: TreePath, own: string): Promise<boolean> {
    const parsed = nameFromOwn(own, folder)
    if (!parsed) return false
    return this.#parts.locks.within('recovery', 'moves', () => {
      const noted = this.#parts.slots.all().some((slot) => slot.intent?.operation === parsed.operation)
      return !noted && this.#restore(folder, own, parsed.name)
    })
  }

  /** Only under the lock of recovery. */
  #restore(folder: TreePath, own: string, name: string): boolean {
    const { disk, folders } = this.#parts
    const open = folders.at(folder, false)
    const orphan = open && new Place(open, own)
    const stats = orphan && disk.stat(orphan)
    if (!orphan || !stats?.isFile()) return false
    const there = disk.stat(new Place(orphan.folder, name))
    if (!there) return this.#adopt(orphan, childOf(folder, name), stats)
    // The same file: somebody died between the two steps of putting it back. Another: it waits until that has moved on.
    return there.ino === stats.ino && did(['ENOENT'], () => disk.unlink(orphan))
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
    const parsed = nameFromOwn(own, folder)
    return this.#parts.locks.within('recovery', 'moves', () => {
      const open = this.#parts.folders.at(folder, false)
      if (!parsed || open === undefined || this.#parts.disk.stat(new Place(open, own))?.isFile() !== true)
        return undefined
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
      const open = this.#parts.slots
        .all()
        .find(({ intent, isTrusted }) => isTrusted && intent && this.#traces(intent).includes(file))
      if (!open) return
      if (this.#isDead(open.holder, {})) await this.recover()
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
    return this.#seen(() => this.#ownPlace(intent)) !== undefined
  }

  #traces(intent: Intent): number[] {
    const seen = [this.#seen(() => this.#ownPlace(intent)), this.#seen(() => this.#draftPlace(intent))]
    return seen.flatMap((stats) => (stats ? [stats.ino] : []))
  }

  /** What a note speaks of; `undefined` when it is not there, or behind something that is no folder. */
  #seen(find: () => Place | undefined): Stats | undefined {
    try {
      const place = find()
      return place && this.#parts.disk.stat(place)
    } catch (error) {
      if (isOdd(error)) return undefined
      throw error
    }
  }

  /** Age says nothing about life: where it cannot be known, only a person can say so. */
  #isDead(holder: HolderId, assumptions: Assumptions): boolean {
    return this.lifeOf(holder, assumptions) === 'dead'
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
  #settle(intent: Intent, direction: 'forward' | 'back'): 'nothing' | 'settled' | 'stranded' | 'stuck' {
    const { disk } = this.#parts
    const own = this.#ownPlace(intent)
    const draft = this.#draftPlace(intent)
    const ownStats = own && disk.stat(own)
    const draftStats = draft && disk.stat(draft)
    const drop = (place: Place | undefined) => place && unless(['ENOENT'], () => disk.unlink(place))
    // Of ours both are files. Anything else was put there by a stranger, and stays as it is.
    if ([ownStats, draftStats].some((stats) => stats && !stats.isFile())) return 'stuck'
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
    if (canGoOn && this.#canPublish(draft ?? own, intent.to)) {
      if (draft) drop(own)
      return 'settled'
    }
    if (this.publish(own, intent.from) === 'taken') return 'stranded'
    drop(draft)
    return 'settled'
  }

  /** False also when the target has come to lie behind something that is no folder. */
  #canPublish(file: Place, to: TreePath): boolean {
    try {
      return this.publish(file, to) === 'done'
    } catch (error) {
      if (isOdd(error)) return false
      throw error
    }
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
