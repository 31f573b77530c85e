/**
 * Finishes or undoes the moves that dead processes left, and gives leaves back their names. Age never tells whether a
 * process is dead: see docs/decisions/0030-who-holds-what.md.
 */
import { pause } from '../../kernel/clock.ts'
import { unavailable } from '../../kernel/errors.ts'
import { childOf, nameOf, type TreePath } from '../../kernel/tree-path.ts'
import { codeOf, did, FilePlace, type Stats } from './disk.ts'
import { type HolderId, type Life, pidOf } from './holder.ts'
import type { Intent } from './note.ts'
import { nameFromOwn, ownName, ownPrefix } from './own-paths.ts'
import type { Parts } from './parts.ts'
import { publish } from './publishing.ts'
import { isOdd } from './set-aside.ts'
import type { Slot } from './slots.ts'

type RecoveryParts = Omit<Parts, 'time' | 'flushes' | 'leases' | 'recovery'>

/** What a person can assure us of: that processes whose life is unknown are dead. */
export interface Assumptions {
  readonly assumeGone?: boolean
}

export interface Recovered {
  readonly finished: Intent[]
  readonly stranded: Intent[]
  /** The files they name cannot be reached, or are no files. Nothing was done. */
  readonly stuck: Intent[]
}

/** Milliseconds. A move takes a fraction of one, so a process that needs longer is paused. */
const finishesWithin = 2000

const beingMoved = (holder: HolderId, { from }: Intent) =>
  unavailable('LEAF_BUSY', `Process ${pidOf(holder)} is in the middle of moving ${from}.`, {
    hint: 'See whether that process is stopped; when it goes on or ends, repeat the command.',
    details: { from, holder },
  })

/** Failures because of the place itself: trying again would not help. */
const unreachable = ['EACCES', 'EPERM', 'EXDEV', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EROFS']

export class Recovery {
  readonly #parts: RecoveryParts

  constructor(parts: RecoveryParts) {
    this.#parts = parts
  }

  /**
   * Finishes or undoes the moves of dead processes, and moves away what is no note. `stranded`: other leaves have both
   * names by now; the file waits until one of them is free.
   */
  async recover(assumptions: Assumptions = {}): Promise<Recovered> {
    const { slots, locks } = this.#parts
    const result: Recovered = { finished: [], stranded: [], stuck: [] }
    const found = slots.read()
    for (const strange of found.strange) slots.clear(strange, (holder) => this.#isDead(holder, assumptions))
    const isDone = (slot: Slot) => slot.isTrusted && this.#isDead(slot.holder, assumptions)
    if (!found.slots.some(isDone)) return result
    await locks.within('recovery', 'moves', () => {
      // Read the notes again after finding their processes dead: until then a process may have changed its note.
      const done = slots.all().filter(isDone)
      const dead = new Set(done.map(({ name }) => name))
      for (const { name, holder, intent, folders } of slots.all().filter((slot) => dead.has(slot.name))) {
        const outcome = intent ? this.#tryFinish(intent) : 'nothing'
        if (intent && outcome !== 'nothing') result[outcome].push(intent)
        for (const folder of folders) this.#restoreAll(folder, holder, intent)
        if (outcome === 'nothing' || outcome === 'finished') slots.drop(name)
      }
    })
    return result
  }

  /** Puts back what a dead process had won without a note: it had not changed anything yet. */
  #restoreAll(folder: TreePath, holder: HolderId, noted: Intent | undefined): void {
    const { disk, folders } = this.#parts
    try {
      const open = folders.at(folder, false)
      for (const { name } of open ? disk.list(open) : []) {
        const own = name.startsWith(ownPrefix) ? nameFromOwn(name, folder) : undefined
        if (own?.holder === holder && own.operation !== noted?.operation) this.#restore(folder, name, own.name)
      }
    } catch (error) {
      // The folder cannot be reached, or is none any more. A process that can list it later recovers what is in it.
      if (!isOdd(error) && !unreachable.includes(codeOf(error) ?? '')) throw error
    }
  }

  /** A note can lead through a link, or to something that is no file. Then nothing is done, and `doctor` tells. */
  #tryFinish(intent: Intent): 'nothing' | keyof Recovered {
    try {
      return this.#parts.finishing.finish(intent, 'forward')
    } catch (error) {
      if (isOdd(error) || unreachable.includes(codeOf(error) ?? '')) return 'stuck'
      throw error
    }
  }

  /** The notes of dead processes. */
  abandoned(assumptions: Assumptions = {}): Slot[] {
    return this.#parts.slots.all().filter(({ isTrusted, holder }) => isTrusted && this.#isDead(holder, assumptions))
  }

  /** The notes of processes whose life is unknown. */
  uncertain(assumptions: Assumptions = {}): Slot[] {
    return this.#parts.slots.all().filter(({ holder }) => this.lifeOf(holder, assumptions) === 'unknown')
  }

  lifeOf(holder: HolderId, { assumeGone = false }: Assumptions): Life {
    const life = this.#parts.holders.lifeOf(holder)
    return life === 'unknown' && assumeGone ? 'dead' : life
  }

  /** True for a private name whose move is not under way any more, so that its file must be put back or its move finished. */
  isAbandoned({ holder, operation }: { holder: HolderId; operation: string }, assumptions: Assumptions = {}): boolean {
    if (holder === this.#parts.holders.self) return !this.#parts.moves.isInFlight(operation)
    return this.#isDead(holder, assumptions)
  }

  /**
   * For a private file without a note, because a person deleted the engine's folder. Whether its move was finished cannot
   * be found out, so it goes back to where it was: a message twice is better than a message lost.
   */
  async restoreOrphan(folder: TreePath, own: string): Promise<boolean> {
    const parsed = nameFromOwn(own, folder)
    if (!parsed) return false
    return this.#parts.locks.within('recovery', 'moves', () => {
      const noted = this.#parts.slots.all().some((slot) => slot.intent?.operation === parsed.operation)
      return !noted && this.#restore(folder, own, parsed.name)
    })
  }

  /** Call it only while holding the lock `recovery`. */
  #restore(folder: TreePath, own: string, name: string): boolean {
    const { disk, folders } = this.#parts
    const open = folders.at(folder, false)
    const orphan = open && new FilePlace(open, own)
    const stats = orphan && disk.stat(orphan)
    if (!orphan || !stats?.isFile()) return false
    // Its second name is that of a move into this folder, which takes it away when it ends.
    if (stats.nlink > 1 && this.#noteAbout(stats.ino)) return false
    const there = disk.stat(new FilePlace(orphan.folder, name))
    if (!there) return this.#adopt(orphan, childOf(folder, name), stats)
    // The same file: a process died between the two steps of putting it back. Another file: ours waits until that one has moved.
    return there.ino === stats.ino && did(['ENOENT'], () => disk.unlink(orphan))
  }

  /** Puts an orphan back under a private name and note of our own, so that another process can finish this if we die. */
  #adopt(orphan: FilePlace, from: TreePath, stats: Stats): boolean {
    const operation = this.#parts.moves.nextOperation()
    const own = new FilePlace(orphan.folder, ownName(operation, nameOf(from)))
    if (!did(['ENOENT'], () => this.#parts.disk.rename(orphan, own))) return false
    return this.#parts.moves.publishWon({ operation, from, own, stats, seen: undefined }, from) === 'done'
  }

  /** Gives a stranded leaf a new name beside its old one. Only when a person asks for repairs. */
  async rename(folder: TreePath, own: string): Promise<string | undefined> {
    const parsed = nameFromOwn(own, folder)
    return this.#parts.locks.within('recovery', 'moves', () => {
      const open = this.#parts.folders.at(folder, false)
      if (!parsed || open === undefined || this.#parts.disk.stat(new FilePlace(open, own))?.isFile() !== true)
        return undefined
      const dot = parsed.name.lastIndexOf('.')
      const [stem, ending] = dot > 0 ? [parsed.name.slice(0, dot), parsed.name.slice(dot)] : [parsed.name, '']
      for (let number = 2; number < 10_000; number++) {
        const name = `${stem}.restored-${number}${ending}`
        const outcome = publish(this.#parts.disk, this.#parts.folders, new FilePlace(open, own), childOf(folder, name))
        if (outcome !== 'taken') return outcome === 'done' ? name : undefined
      }
      return undefined
    })
  }

  /**
   * Call it before moving, rewriting or removing a file with a second name. If that name comes from an unfinished move, the
   * move is finished first; otherwise its recovery would take the rewritten file for one that had not arrived. If it is the
   * draft from which another process has just made the leaf, it is removed: a name that vanishes later would spoil the count.
   */
  async recoverNamesOf(file: number): Promise<void> {
    const startedAt = performance.now()
    for (;;) {
      const open = this.#noteAbout(file)
      if (!open) return this.#removeDraftsOf(file)
      // If we went on and that process then died before its next step, one message would become two.
      if (performance.now() - startedAt > finishesWithin) throw beingMoved(open.holder, open.intent!)
      if (this.#isDead(open.holder, {})) await this.recover()
      else await pause(1)
    }
  }

  #noteAbout(file: number): Slot | undefined {
    const { slots, finishing } = this.#parts
    return slots.all().find(({ intent, isTrusted }) => isTrusted && intent && finishing.traces(intent).includes(file))
  }

  /** Removes the drafts of a file that is a leaf and is in no note. Its maker, if it lives, would do the same next. */
  #removeDraftsOf(file: number): void {
    const { disk, scratch, setAside } = this.#parts
    for (const folder of scratch.folders()) {
      const open = setAside.openIfThere(folder)
      for (const { name } of open ? disk.list(open) : []) {
        const draft = new FilePlace(open!, name)
        if (disk.stat(draft)?.ino === file) did(['ENOENT', ...unreachable], () => disk.unlink(draft))
      }
    }
  }

  /** Where life is unknown, only a person can say that a process is dead. */
  #isDead(holder: HolderId, assumptions: Assumptions): boolean {
    return this.lifeOf(holder, assumptions) === 'dead'
  }
}
