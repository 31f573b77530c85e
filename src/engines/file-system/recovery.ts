/**
 * What dead processes left half-way: moves that are finished or undone, leaves that go back to their names. Who is dead is
 * never judged by age: see docs/decisions/0030-who-holds-what.md.
 */
import { unavailable } from '../../kernel/errors.ts'
import { childOf, nameOf, type TreePath } from '../../kernel/tree-path.ts'
import { codeOf, type Disk, did, Place, type Stats } from './disk.ts'
import type { Folders } from './folders.ts'
import { type HolderId, type Holders, type Life, pidOf } from './holder.ts'
import type { Locks } from './locks.ts'
import type { Moves } from './moves.ts'
import { type Intent, ownName, ownPrefix } from './note.ts'
import { leafPath } from './own-paths.ts'
import { isOdd } from './set-aside.ts'
import type { Settling } from './settling.ts'
import type { Slot, Slots } from './slots.ts'

export interface RecoveryParts {
  readonly disk: Disk
  readonly folders: Folders
  readonly holders: Holders
  readonly slots: Slots
  readonly locks: Locks
  readonly settling: Settling
  readonly moves: Moves
}

/**
 * From `.own-HOLDER-counter-NAME`; `undefined` for a name that we give nobody: what it stands for must be the name of a leaf
 * in the same folder.
 */
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

/** A move takes a fraction of a millisecond; whoever needs longer is stopped. */
const settlesWithin = 2000

const beingMoved = (holder: HolderId, { from }: Intent) =>
  unavailable('LEAF_BUSY', `Process ${pidOf(holder)} is in the middle of moving ${from}.`, {
    hint: 'See whether that process is stopped; when it goes on or ends, repeat the command.',
    details: { from, holder },
  })

/** What the system answers where a file cannot be moved, now or later, for a reason that lies in the place. */
const unreachable = ['EACCES', 'EPERM', 'EXDEV', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EROFS']

export class Recovery {
  readonly #parts: RecoveryParts

  constructor(parts: RecoveryParts) {
    this.#parts = parts
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
      return this.#parts.settling.settle(intent, 'forward')
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
    if (holder === this.#parts.holders.self) return !this.#parts.moves.isInFlight(operation)
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
    const operation = this.#parts.moves.nextOperation()
    const own = new Place(orphan.folder, ownName(operation, nameOf(from)))
    if (!did(['ENOENT'], () => this.#parts.disk.rename(orphan, own))) return false
    return this.#parts.moves.publishWon({ operation, from, own, stats, seen: undefined }, from) === 'done'
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
        const outcome = this.#parts.settling.publish(new Place(open, own), childOf(folder, name))
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
        .find(({ intent, isTrusted }) => isTrusted && intent && this.#parts.settling.traces(intent).includes(file))
      if (!open) return
      if (this.#isDead(open.holder, {})) await this.recover()
      // Going on would give the file two lives if that process died before its next step.
      else if (performance.now() - startedAt > settlesWithin) throw beingMoved(open.holder, open.intent!)
      else await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }

  /** Age says nothing about life: where it cannot be known, only a person can say so. */
  #isDead(holder: HolderId, assumptions: Assumptions): boolean {
    return this.lifeOf(holder, assumptions) === 'dead'
  }
}
