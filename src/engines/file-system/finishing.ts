/** Finishes or undoes a move whose process has ended. The files that its note names show how far it came. */
import { unavailable } from '../../kernel/errors.ts'
import { childOf, isSegment, isWithin, nameOf, parentOf, type TreePath, treeRoot } from '../../kernel/tree-path.ts'
import { isReserved } from '../../tree/home.ts'
import { FilePlace, type Stats, unless } from './disk.ts'
import type { Intent } from './note.ts'
import { ownName } from './own-paths.ts'
import type { Parts } from './parts.ts'
import { publish } from './publishing.ts'
import { isOdd } from './set-aside.ts'

/** The most entries that one search looks at. */
const mostSearched = 500_000
const mostSearches = 50
/** Milliseconds. Times of files advance in steps of up to 10. */
const timeStep = 20

type FinishingParts = Pick<Parts, 'disk' | 'folders'>

function commonFolder(a: TreePath, b: TreePath): TreePath {
  let folder = parentOf(a)
  while (!isWithin(b, folder)) folder = parentOf(folder)
  return folder
}

export class Finishing {
  readonly #parts: FinishingParts

  constructor(parts: FinishingParts) {
    this.#parts = parts
  }

  ownNameOf({ operation, from }: Intent): string {
    return ownName(operation, nameOf(from))
  }

  /** True while the private file of this move is still there. */
  isUnfinished(intent: Intent): boolean {
    return this.#seen(() => this.#ownPlace(intent)) !== undefined
  }

  /** The files that a move has in hand: its private one and its draft. */
  traces(intent: Intent): number[] {
    const seen = [this.#seen(() => this.#ownPlace(intent)), this.#seen(() => this.#draftPlace(intent))]
    return seen.flatMap((stats) => (stats ? [stats.ino] : []))
  }

  /** `undefined` when the file is missing, or lies behind something that is no folder. */
  #seen(find: () => FilePlace | undefined): Stats | undefined {
    try {
      const place = find()
      return place && this.#parts.disk.stat(place)
    } catch (error) {
      if (isOdd(error)) return undefined
      throw error
    }
  }

  #ownPlace(intent: Intent): FilePlace | undefined {
    const folder = this.#parts.folders.at(parentOf(intent.from), false)
    return folder && new FilePlace(folder, this.ownNameOf(intent))
  }

  #draftPlace({ draft, operation }: Intent): FilePlace | undefined {
    const folder = draft === undefined ? undefined : this.#parts.folders.at(draft, false)
    return folder && new FilePlace(folder, operation)
  }

  /**
   * Finishes or undoes a move whose process has ended. The move had reached its target if the draft is gone or has a name
   * among the leaves, or if the private file has one more name than before, among the leaves.
   */
  finish(intent: Intent, direction: 'forward' | 'back'): 'nothing' | 'finished' | 'stranded' | 'stuck' {
    const { disk } = this.#parts
    const own = this.#ownPlace(intent)
    const draft = this.#draftPlace(intent)
    const ownStats = own && disk.stat(own)
    const draftStats = draft && disk.stat(draft)
    const drop = (place: FilePlace | undefined) => place && unless(['ENOENT'], () => disk.unlink(place))
    // Our private files and drafts are regular files. Anything else is a stranger's and stays as it is.
    if ([ownStats, draftStats].some((stats) => stats && !stats.isFile())) return 'stuck'
    if (!own || !ownStats) {
      drop(draft)
      return 'nothing'
    }
    const hasMoreNames = (file: FilePlace, stats: Stats, before: number) =>
      stats.nlink > before && this.#isElsewhere(file, stats.ino, intent)
    const isRewritten = intent.draft !== undefined && (!draft || !draftStats || hasMoreNames(draft, draftStats, 1))
    // A private file that is not the one in the note is put back, never published: its other names belong to other moves.
    const hasArrived = () =>
      ownStats.ino === intent.file
        ? hasMoreNames(own, ownStats, intent.links)
        : ownStats.nlink > 1 && this.#isAt(intent.from, ownStats.ino)
    if (isRewritten || hasArrived()) {
      drop(own)
      drop(draft)
      return 'finished'
    }
    const canGoOn = direction === 'forward' && ownStats.ino === intent.file
    if (canGoOn && this.#canPublish(draft ?? own, intent.to)) {
      if (draft) drop(own)
      return 'finished'
    }
    if (publish(disk, this.#parts.folders, own, intent.from) === 'taken') return 'stranded'
    drop(draft)
    return 'finished'
  }

  /** False also when something on the way to the target is no folder any more. */
  #canPublish(file: FilePlace, to: TreePath): boolean {
    try {
      return publish(this.#parts.disk, this.#parts.folders, file, to) === 'done'
    } catch (error) {
      if (isOdd(error)) return false
      throw error
    }
  }

  #isAt(path: TreePath, file: number): boolean {
    const place = this.#parts.folders.place(path, false)
    return place !== undefined && this.#parts.disk.stat(place)?.ino === file
  }

  /**
   * Whether a file has a name among the leaves, other than its private one. Counting names is not enough: a user may have
   * made a hard link elsewhere meanwhile. This may be slow, because it happens only after a crash.
   *
   * Another process may move the leaf while we search, from a folder that we have not searched yet into one that we have. A
   * rename changes the file's `ctime`, so a search that finds nothing counts only if that stayed the same.
   */
  #isElsewhere(place: FilePlace, file: number, intent: Intent): boolean {
    const { disk } = this.#parts
    if (this.#isAt(intent.to, file) || this.#isAt(intent.from, file)) return true
    const nearby = commonFolder(intent.from, intent.to)
    for (let attempt = 0; attempt < mostSearches; attempt++) {
      const before = disk.stat(place)?.ctimeMs
      pause(timeStep)
      if (this.#isWithin(nearby, file, intent) || (nearby !== '' && this.#isWithin(treeRoot, file, intent))) return true
      if (disk.stat(place)?.ctimeMs === before) return false
    }
    throw unavailable('LEAF_BUSY', `${intent.from} is being moved by others all the time.`, {
      hint: 'Repeat the command in a moment.',
      details: { from: intent.from },
    })
  }

  /** A copy of the tree by hard links has the private name too, so names with the operation in them do not count. */
  #isWithin(top: TreePath, file: number, { operation }: Intent): boolean {
    const { disk, folders } = this.#parts
    const waiting = [top]
    for (let left = mostSearched, folder = waiting.pop(); folder !== undefined && left > 0; folder = waiting.pop()) {
      const open = isReserved(folder) ? undefined : folders.at(folder, false)
      for (const { name } of open ? disk.list(open) : []) {
        if (left-- <= 0) break
        const stats = name.includes(operation) || !isSegment(name) ? undefined : disk.stat(new FilePlace(open!, name))
        if (stats?.isDirectory()) waiting.push(childOf(folder, name))
        else if (stats?.ino === file) return true
      }
    }
    return false
  }
}

/** Blocking: the steps of a move are synchronous. */
const pause = (milliseconds: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
