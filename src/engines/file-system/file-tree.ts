/** The tree on plain files: the verbs, put together from the parts beside this file. */
import { type Clock, systemClock } from '../../kernel/clock.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { childOf, isSegment, nameOf, parentOf, type TreePath, treePath, treeRoot } from '../../kernel/tree-path.ts'
import { engineHome, home, isReserved } from '../../tree/home.ts'
import { bytesAfter } from '../../tree/overwrite.ts'
import type {
  Appended,
  Created,
  Durability,
  Entry,
  Finding,
  Guard,
  Leaf,
  Lease,
  Leased,
  Moved,
  MoveOptions,
  Outcome,
  Overwrite,
  Removed,
  Replaced,
  Revision,
  TimedEntry,
  Touched,
  Tree,
  Watching,
} from '../../tree/tree.ts'
import { appendLine } from './append.ts'
import { codeOf, type Dirent, type Disk, did, type Folder, openFlags, Place, type Stats, unless } from './disk.ts'
import { explain, notALeaf } from './failures.ts'
import { headOf, keepable, readFleeting, readOpen, readWhole, writeAll, writeContent } from './files.ts'
import { Folders, isSuspect } from './folders.ts'
import { both, GroupCommit } from './group-commit.ts'
import { Holders } from './holder.ts'
import { spanInPlace } from './in-place.ts'
import { inspectFiles, sweepDrafts } from './inspect.ts'
import { Leases } from './leases.ts'
import { Locks } from './locks.ts'
import { Moves, nameFromOwn, ownPrefix } from './moves.ts'
import { loadNative } from './native.ts'
import { revisionOf } from './revision.ts'
import { type Draft, Scratch, strayScratchName } from './scratch.ts'
import { Slots } from './slots.ts'
import { watchDirectory } from './watch.ts'

export interface FileTreeParts {
  readonly disk: Disk
  readonly root: string
  readonly durability: Durability
  readonly modes: { readonly file: number; readonly folder: number }
  readonly clock: Clock | undefined
}

/** Loading the native calls takes 2 ms on Bun and 8 on Node: a command that sends one message is faster without. */
const nativeAfter = process.versions.bun ? 12 : 100
/** The same for reading alone, which gains less. */
const nativeAfterReads = process.versions.bun ? 200 : 1000
/** A process that does this much has the time to clear away what crashed ones left; a single command does not. */
const sweepAfter = 64

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

const dot = 46

/** After a first failure, which is the one to report, a second one on the way out is expected. */
const cleanUpCodes = ['EBADF', 'EIO', 'ENOSPC', 'EACCES', 'EMFILE']

export class FileTree implements Tree {
  readonly place: string
  readonly #disk: Disk
  readonly #durability: Durability
  readonly #fileMode: number
  readonly #clock: Clock
  readonly #folders: Folders
  readonly #scratch: Scratch
  readonly #locks: Locks
  readonly #slots: Slots
  readonly #moves: Moves
  readonly #leases: Leases
  readonly #commit: GroupCommit
  readonly #watching = new Set<Watching>()
  /** What makes the bytes of a draft safe before it is put in its place. */
  readonly #flushing: { readonly flush?: (fd: number) => void }
  /** One that was looked at closely and found to be fine. */
  #lastSuspect = ''
  #exclusiveSteps = 0
  #reads = 0

  constructor({ disk, root, durability, modes, clock }: FileTreeParts) {
    this.place = root
    this.#disk = disk
    this.#durability = durability
    this.#fileMode = modes.file
    this.#clock = clock ?? systemClock
    this.#folders = new Folders(disk, root, modes.folder, (parent) => this.#madeFolderIn(parent))
    const [folders, holders] = [this.#folders, new Holders(disk)]
    const scratch = new Scratch(disk, folders, modes.file)
    const locks = new Locks(disk, folders, holders, scratch)
    const slots = new Slots(disk, folders, holders, modes.file)
    const flush = durability !== 'process'
    this.#flushing = flush ? { flush: (fd) => disk.flushData(fd) } : {}
    this.#scratch = scratch
    this.#locks = locks
    this.#slots = slots
    this.#moves = new Moves({ disk, folders, holders, scratch, slots, locks, flush })
    this.#commit = new GroupCommit(disk, folders)
    this.#leases = new Leases({
      disk,
      folders,
      scratch,
      locks,
      clock: this.#clock,
      settle: (folder) => this.#settled(folder),
      flushing: this.#flushing,
    })
  }

  /** Settles what crashed processes left half-way. Called once when the tree is opened. */
  recover(): Promise<unknown> {
    return this.#attempt(undefined, () => this.#moves.recover())
  }

  read(path: TreePath, options?: { readonly atMost?: number }): Promise<Leaf | undefined> {
    return this.#attempt(path, () => {
      this.#check(path)
      this.#countReads(1)
      return this.#readNow(path, options?.atMost ?? Number.POSITIVE_INFINITY)
    })
  }

  #readNow(path: TreePath, atMost: number): Leaf | undefined {
    for (let attempt = 0; ; attempt++) {
      const place = this.#folders.place(path, false)
      if (place === undefined) return undefined
      const fd = this.#openLeaf(place, openFlags.read, path)
      if (fd !== undefined) return this.#leafOf(fd, path, atMost)
      if (attempt > 2 || !this.#folders.forget(parentOf(path))) return undefined
    }
  }

  #leafOf(fd: number, path: TreePath, atMost: number): Leaf {
    try {
      const stats = this.#disk.statOpen(fd)
      if (!stats.isFile()) throw notALeaf(this.#folders.shown(path))
      return new FileLeaf(readOpen(this.#disk, fd, stats.size, atMost), stats)
    } finally {
      this.#disk.close(fd)
    }
  }

  heads(
    folder: TreePath,
    names: readonly string[],
    atMost: number,
    onHead: (name: string, head: Uint8Array) => void,
  ): Promise<void> {
    return this.#attempt(folder, () => {
      this.#countReads(names.length)
      if (folder !== '') this.#check(folder)
      const open = this.#folders.at(folder, false)
      if (open === undefined) return
      for (const name of names) {
        // Of a name that begins like ours there is nothing to look at but the name.
        if (name.charCodeAt(0) === dot || !isSegment(name)) this.#check(childOf(folder, name))
        const head = headOf(this.#disk, new Place(open, name), atMost)
        if (head) onHead(name, head)
      }
    })
  }

  list(folder: TreePath): Promise<Entry[]>
  list(folder: TreePath, options: { readonly times: true }): Promise<TimedEntry[]>
  async list(folder: TreePath, options?: { readonly times?: boolean }): Promise<Entry[] | TimedEntry[]> {
    return this.#attempt(folder, async () => {
      if (folder !== '') this.#check(folder)
      const { entries, files } = await this.#entriesOf(folder)
      if (!options?.times) return entries
      const open = this.#folders.at(folder, false)
      if (open === undefined) return []
      return entries.flatMap((entry) => {
        const stats = this.#disk.stat(new Place(open, files.get(entry.name) ?? entry.name))
        return stats ? [{ ...entry, size: stats.size, ...timesOf(stats) }] : []
      })
    })
  }

  /** Names as readers should see them: a private file counts under its old name. */
  async #entriesOf(folder: TreePath): Promise<Visible> {
    for (let attempt = 0; ; attempt++) {
      const open = this.#folders.at(folder, false)
      if (open === undefined) return nothingVisible()
      const dirents = unless(['ENOENT'], () => this.#disk.list(open))
      if (dirents === undefined || dirents.length === 0) {
        if (attempt < 3 && this.#folders.forget(folder)) continue
        return nothingVisible()
      }
      const privates = dirents.filter(({ name }) => name.startsWith(ownPrefix))
      if (privates.length > 0 && attempt < 3 && (await this.#settlePrivate(folder, open, privates))) continue
      return visible(folder, dirents)
    }
  }

  /** True when something was settled, so that the listing must be taken again. */
  async #settlePrivate(folder: TreePath, open: Folder, privates: readonly Dirent[]): Promise<boolean> {
    let settled = this.#moves.settleOwn()
    for (const { name } of privates) {
      const own = nameFromOwn(name)
      if (!own || !this.#moves.isAbandoned(own.holder, new Place(open, name))) continue
      await this.#moves.recover()
      if (this.#disk.stat(new Place(open, name))) await this.#moves.restoreOrphan(folder, name)
      settled = true
    }
    return settled
  }

  look(path: TreePath): Promise<TimedEntry | undefined> {
    return this.#attempt(path, () => {
      if (path !== '') this.#check(path)
      for (let attempt = 0; ; attempt++) {
        const place = this.#folders.place(path, false)
        if (place === undefined) return undefined
        const stats = this.#disk.stat(place)
        if (stats) return { name: place.name, kind: kindOf(stats), size: stats.size, ...timesOf(stats) }
        if (attempt > 2 || !this.#folders.forget(parentOf(path))) return undefined
      }
    })
  }

  create(path: TreePath, content: Uint8Array | string, guard?: Guard): Promise<Created> {
    return this.#guarded(guard, path, () => this.#createNow(path, content))
  }

  #createNow(path: TreePath, content: Uint8Array | string): Created | Promise<Created> {
    this.#check(path)
    this.#warmUp()
    if (this.#durability === 'batch') return this.#createInBatch(path, content)
    const draft = this.#scratch.write(content, { near: parentOf(path), ...this.#flushing })
    const outcome = this.#publishDraft(draft, path, content)
    if (outcome === 'taken') return { outcome: 'taken' }
    if (this.#durability === 'full') this.#flushFolder(parentOf(path))
    return new WrittenLeaf('created', this.#durability, content)
  }

  async #createInBatch(path: TreePath, content: Uint8Array | string): Promise<Created> {
    const { fd, draft } = this.#scratch.open(this.#scratch.newName(), parentOf(path))
    try {
      try {
        writeContent(this.#disk, fd, content)
        await this.#disk.flushDataLater(fd)
      } finally {
        this.#disk.close(fd)
      }
    } catch (error) {
      this.#scratch.discard(draft)
      throw error
    }
    if (this.#publishDraft(draft, path, content) === 'taken') return { outcome: 'taken' }
    await this.#commit.flushed(parentOf(path))
    return new WrittenLeaf('created', this.#durability, content)
  }

  /** Puts a draft in its place; when the folder is a file system of its own, by a second draft written there. */
  #publishDraft(draft: Draft, path: TreePath, content: Uint8Array | string): 'done' | 'taken' {
    try {
      const outcome = this.#moves.publish(draft.place, path)
      if (outcome === 'gone') throw Object.assign(new Error('the folder vanished'), { code: 'ENOENT' })
      if (outcome === 'taken') this.#scratch.discard(draft)
      return outcome
    } catch (error) {
      this.#scratch.discard(draft)
      if (codeOf(error) !== 'EXDEV' || draft.folder.endsWith(strayScratchName)) throw error
      this.#scratch.useDeviceOf(parentOf(path))
      const second = this.#scratch.write(content, { near: parentOf(path), ...this.#flushing })
      return this.#publishDraft(second, path, content)
    }
  }

  replace(path: TreePath, bytes: Uint8Array, revision: Revision, guard?: Guard): Promise<Replaced> {
    return this.#guarded(guard, path, () =>
      this.#locks.within('path', path, () => this.#replaceNow(path, bytes, revision)),
    )
  }

  async #replaceNow(path: TreePath, bytes: Uint8Array, revision: Revision): Promise<Replaced> {
    const target = this.#folders.place(path, false)
    const current = target && readWhole(this.#disk, target)
    if (!current) return { outcome: 'gone' }
    if (!current.stats.isFile()) throw notALeaf(this.#folders.shown(path))
    if (revisionOf(current.bytes) !== revision) return { outcome: 'stale' }
    if (current.stats.nlink > 1) await this.#moves.settleNamesOf(current.stats.ino)
    const mode = current.stats.mode & 0o777
    const draft = this.#scratch.write(bytes, { near: parentOf(path), mode, ...this.#flushing })
    try {
      const outcome = this.#disk.exchange?.(draft.place, target) ?? 'strange'
      if (outcome === 'gone') return { outcome: 'gone' }
      if (outcome === 'done' && revisionOf(readWhole(this.#disk, draft.place)!.bytes) !== revision) {
        // A foreign program wrote between our look and the swap: its bytes go back.
        this.#disk.exchange?.(draft.place, target)
        return { outcome: 'stale' }
      }
      if (outcome === 'strange') {
        if (!this.#disk.stat(target)) return { outcome: 'gone' }
        this.#disk.rename(draft.place, target)
      }
    } finally {
      this.#scratch.discard(draft)
    }
    await this.#settled(parentOf(path))
    return new WrittenLeaf('replaced', this.#durability, bytes)
  }

  touch(path: TreePath): Promise<Touched> {
    return this.#attempt(path, async () => {
      this.#check(path)
      const place = this.#folders.place(path, false)
      if (place === undefined) return { outcome: 'gone' }
      const touched = did(['ENOENT'], () => this.#disk.setTimes(place, this.#clock.now()))
      if (!touched) return { outcome: 'gone' }
      if (this.#durability !== 'process') {
        const fd = this.#openLeaf(place, openFlags.read, path)
        if (fd === undefined) return { outcome: 'gone' }
        await this.#flushAndClose(fd)
      }
      return { outcome: 'touched', durability: this.#durability }
    })
  }

  append(path: TreePath, line: string, guard?: Guard): Promise<Appended> {
    return this.#guarded(guard, path, async () => {
      this.#check(path)
      if (/[\n\r]/.test(line)) {
        throw invalidInput('NOT_ONE_LINE', 'What is appended must be one line.', {
          hint: 'Append each line by itself.',
        })
      }
      const fd = appendLine(this.#disk, this.#folders.place(path, true), line, this.#fileMode)
      if (this.#durability === 'process') this.#disk.close(fd)
      else await this.#flushAndClose(fd)
      await this.#settled(parentOf(path))
      return { outcome: 'appended', durability: this.#durability }
    })
  }

  move(from: TreePath, to: TreePath, options: MoveOptions = {}): Promise<Moved> {
    return this.#guarded(options, from, () => {
      this.#check(from)
      this.#check(to)
      this.#warmUp()
      if (options.change) return this.#moveChanging(from, to, options.change, options.unique === true)
      return this.#movePlain(from, to, options.unique === true)
    })
  }

  #movePlain(from: TreePath, to: TreePath, unique: boolean): Moved | Promise<Moved> {
    if (from === to) return { outcome: 'taken' }
    try {
      const outcome = this.#moves.plain(from, to, unique)
      return outcome === 'done' ? this.#moved(from, to, undefined) : { outcome }
    } catch (error) {
      if (codeOf(error) !== 'EXDEV') throw error
      // The target is a file system of its own: the bytes are written there, and the promises stay the same.
      return this.#moveChanging(from, to, (bytes) => bytes, false)
    }
  }

  #moveChanging(from: TreePath, to: TreePath, change: Change, unique: boolean): Moved | Promise<Moved> {
    for (let attempt = 0; attempt < 100; attempt++) {
      const outcome = this.#moveChangingOnce(from, to, change, unique)
      if (outcome instanceof Promise) {
        return outcome.then((moved) => (moved === 'again' ? this.#moveChanging(from, to, change, unique) : moved))
      }
      if (outcome !== 'again') return outcome
    }
    return { outcome: 'gone' }
  }

  #moveChangingOnce(from: TreePath, to: TreePath, change: Change, unique: boolean): MoveTry | Promise<MoveTry> {
    const place = this.#folders.place(from, false)
    if (place === undefined) return { outcome: 'gone' }
    const opened = this.#openToChange(place, from)
    if (opened === undefined) return this.#folders.forget(parentOf(from)) ? 'again' : { outcome: 'gone' }
    let step: MoveStep
    try {
      step = this.#moveOpened(opened, from, to, change, unique)
      if (hasArrived(step) && step.flush) return this.#flushMoved(opened.fd, from, to, step.bytes)
    } catch (error) {
      did(cleanUpCodes, () => this.#disk.close(opened.fd))
      throw error
    }
    this.#disk.close(opened.fd)
    // Only now, with nothing left that could fail in between: what follows may take its time.
    if (typeof step === 'function') return step()
    return hasArrived(step) ? this.#moved(from, to, step.bytes) : step
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
    return { ...arrived, arrived: true, flush: this.#mustFlush(span) }
  }

  /** `full` flushes whatever it writes; `batch` spares itself what can be written anew from where the leaf lies. */
  #mustFlush({ restates }: Overwrite): boolean {
    return this.#durability === 'full' || (this.#durability === 'batch' && restates !== true)
  }

  /** The bytes and both folders at once: in whatever order they reach the disk, it answers when all have. */
  async #flushMoved(fd: number, from: TreePath, to: TreePath, bytes: Uint8Array | undefined): Promise<Moved> {
    const [, moved] = await both(this.#flushAndClose(fd), this.#moved(from, to, bytes))
    return moved
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
      ...this.#flushing,
    })
    const intent = { operation, from, to, draft: draft.folder, file: stats.ino, links: stats.nlink }
    try {
      // The private file must be the very one that was read, not changed since: nobody else's edit may be lost.
      const outcome = this.#moves.rewriting(intent, draft, (own) => {
        const now = readWhole(this.#disk, own)
        return now?.stats.ino === stats.ino && now.bytes.equals(before)
      })
      if (outcome === 'done') return this.#moved(from, to, told)
      this.#scratch.discard(draft)
      return outcome === 'changed' ? 'again' : { outcome }
    } catch (error) {
      if (codeOf(error) !== 'EXDEV') throw error
      this.#scratch.useDeviceOf(parentOf(to))
      return 'again'
    }
  }

  #moved(from: TreePath, to: TreePath, bytes: Uint8Array | undefined): Moved | Promise<Moved> {
    const durability = this.#durability
    const moved: Moved = bytes ? { outcome: 'moved', durability, bytes } : { outcome: 'moved', durability }
    if (durability === 'process') return moved
    const [source, target] = [parentOf(from), parentOf(to)]
    const settled = durability === 'batch' ? this.#commit.moved(source, target) : this.#settledBoth(source, target)
    return settled.then(() => moved)
  }

  async #settledBoth(from: TreePath, to: TreePath): Promise<void> {
    await this.#settled(to)
    if (from !== to) await this.#settled(from)
  }

  remove(path: TreePath, guard?: Guard): Promise<Removed> {
    return this.#guarded(guard, path, () =>
      // Under the same lock as `replace`, which could otherwise bring the leaf back.
      this.#locks.within('path', path, async () => {
        this.#check(path)
        const place = this.#folders.place(path, false)
        if (place === undefined) return { outcome: 'gone' }
        const stats = this.#disk.stat(place)
        if (stats === undefined) return { outcome: 'gone' }
        if (stats.isDirectory()) throw notALeaf(this.#folders.shown(path))
        if (stats.nlink > 1) await this.#moves.settleNamesOf(stats.ino)
        const removed = did(['ENOENT'], () => this.#disk.unlink(place))
        if (!removed) return { outcome: 'gone' }
        await this.#settled(parentOf(path))
        return { outcome: 'removed', durability: this.#durability }
      }),
    )
  }

  makeFolder(path: TreePath): Promise<void> {
    return this.#attempt(path, () => {
      this.#check(path)
      this.#folders.at(path, true)
    })
  }

  lease(resource: string, owner: string, ttl: number): Promise<Leased> {
    return this.#attempt(undefined, () => this.#leases.take(resource, owner, ttl))
  }

  release(resource: string, owner: string): Promise<Outcome<'released' | 'gone'>> {
    return this.#attempt(undefined, () => this.#leases.release(resource, owner))
  }

  leases(): Promise<Lease[]> {
    return this.#attempt(undefined, () => this.#leases.all())
  }

  exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#attempt(undefined, () => this.#locks.within('turn', name, work))
  }

  watch(folder: TreePath, onHint: (name?: string) => void): Watching {
    const watching = watchDirectory(this.#folders.shown(folder), onHint, () => this.#watching.delete(watching))
    this.#watching.add(watching)
    return watching
  }

  inspect(options?: { readonly repair?: boolean; readonly within?: readonly TreePath[] }): Promise<Finding[]> {
    return this.#attempt(undefined, () =>
      inspectFiles({
        disk: this.#disk,
        folders: this.#folders,
        moves: this.#moves,
        locks: this.#locks,
        scratch: this.#scratch,
        clock: this.#clock,
        repair: options?.repair === true,
        within: options?.within ?? [],
      }),
    )
  }

  async close(): Promise<void> {
    for (const watching of this.#watching) watching.close()
    this.#slots.close()
    this.#folders.close()
  }

  /** Refuses what belongs to the engine. Everything else about a path was checked when it was made. */
  #check(path: TreePath): void {
    if (this.#folders.isPlain(path) || path === this.#lastSuspect || !isSuspect.test(path)) return
    // Callers without a type checker can hand us any text; nothing of it may lead outside.
    treePath(path)
    if (path === '' || isReserved(path) || /(^|\/)\.(own-|signalbox-tmp)/i.test(path)) {
      throw invalidInput('RESERVED_PATH', `This path is the engine's own: ${this.#folders.shown(path)}.`, {
        hint: 'Choose another name.',
      })
    }
    this.#lastSuspect = path
  }

  #openLeaf(place: Place, flags: number, path: TreePath): number | undefined {
    try {
      return this.#disk.open(place, flags)
    } catch (error) {
      const code = codeOf(error)
      if (code === 'ENOENT') return undefined
      if (code === 'ELOOP' || code === 'ENXIO' || code === 'EISDIR') throw notALeaf(this.#folders.shown(path))
      throw error
    }
  }

  /** A file that is ours to read but not to write can still be moved, with a rewrite. */
  #openToChange(place: Place, path: TreePath): Opened | undefined {
    try {
      const fd = this.#openLeaf(place, openFlags.change, path)
      return fd === undefined ? undefined : { fd, place, writable: true }
    } catch (error) {
      if (codeOf(error) !== 'EACCES') throw error
      const fd = this.#openLeaf(place, openFlags.read, path)
      return fd === undefined ? undefined : { fd, place, writable: false }
    }
  }

  #warmUp(): void {
    if (++this.#exclusiveSteps === sweepAfter) sweepDrafts(this.#disk, this.#folders, this.#scratch, this.#clock)
    if (this.#exclusiveSteps === nativeAfter) this.#goNative()
  }

  #countReads(count: number): void {
    const before = this.#reads
    this.#reads += count
    if (before < nativeAfterReads && this.#reads >= nativeAfterReads) this.#goNative()
  }

  /** Once; twice is fine. */
  #goNative(): void {
    Object.assign(this.#disk, loadNative())
  }

  #madeFolderIn(parent: TreePath): void {
    if (this.#durability !== 'process') this.#flushFolder(parent)
  }

  #flushFolder(folder: TreePath): void {
    const fd = this.#folders.descriptor(folder)
    if (fd !== undefined) this.#disk.flush(fd)
  }

  /** Makes the entries of a folder as safe as this tree promises. */
  async #settled(folder: TreePath): Promise<void> {
    if (this.#durability === 'batch') await this.#commit.flushed(folder)
    if (this.#durability === 'full') this.#flushFolder(folder)
  }

  async #flushAndClose(fd: number): Promise<void> {
    try {
      if (this.#durability === 'batch') await this.#disk.flushLater(fd)
      else this.#disk.flush(fd)
    } finally {
      this.#disk.close(fd)
    }
  }

  #guarded<T>(guard: Guard | undefined, path: TreePath, work: () => T | Promise<T>): Promise<T | Outcome<'fenced'>> {
    const lease = guard?.under
    if (!lease) return this.#attempt(path, work)
    return this.#attempt(path, () => this.#leases.under(lease, async () => work()))
  }

  /**
   * Every verb runs in here, so that no failure of the disk reaches a caller unexplained. What needs no waiting is
   * done without any: on the hot paths each `await` in between costs as much as a system call.
   */
  #attempt<T>(path: TreePath | undefined, work: () => T | Promise<T>): Promise<T> {
    this.#folders.enter()
    let isWaiting = false
    try {
      const result = work()
      if (!(result instanceof Promise)) return Promise.resolve(result)
      isWaiting = true
      return this.#finish(path, result)
    } catch (error) {
      return Promise.reject(this.#explained(error, path))
    } finally {
      if (!isWaiting) this.#folders.leave()
    }
  }

  async #finish<T>(path: TreePath | undefined, work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      throw this.#explained(error, path)
    } finally {
      this.#folders.leave()
    }
  }

  #explained(error: unknown, path: TreePath | undefined): unknown {
    return explain(error, this.#folders.shown(path ?? treeRoot))
  }
}

const hasArrived = (step: MoveStep): step is Arrived => typeof step === 'object' && 'arrived' in step

class FileLeaf implements Leaf {
  readonly bytes: Buffer
  readonly size: number
  readonly modifiedAt: number
  readonly changedAt: number
  #revision: Revision | undefined

  constructor(bytes: Buffer, stats: Stats) {
    this.bytes = bytes
    this.size = Math.max(stats.size, bytes.length)
    const { modifiedAt, changedAt } = timesOf(stats)
    this.modifiedAt = modifiedAt
    this.changedAt = changedAt
  }

  /** Hashing costs a few microseconds a kilobyte: only those who ask for it pay. */
  get revision(): Revision {
    if (this.bytes.length < this.size) {
      throw invalidInput('PARTIAL_READ', 'A leaf that was read in part has no revision.', { hint: 'Read it whole.' })
    }
    this.#revision ??= revisionOf(this.bytes)
    return this.#revision
  }
}

class WrittenLeaf<Name extends string> {
  readonly outcome: Name
  readonly durability: Durability
  readonly #content: Uint8Array | string

  constructor(outcome: Name, durability: Durability, content: Uint8Array | string) {
    this.outcome = outcome
    this.durability = durability
    this.#content = content
  }

  get revision(): Revision {
    return revisionOf(Buffer.from(this.#content))
  }
}

const timesOf = (stats: Stats) => ({
  modifiedAt: stats.mtimeMs,
  changedAt: Math.max(stats.mtimeMs, stats.ctimeMs),
})

interface Visible {
  readonly entries: Entry[]
  /** Under which name a private file lies, by its old name. */
  readonly files: ReadonlyMap<string, string>
}

const ownNames: ReadonlyMap<string, string> = new Map()
const nothingVisible = (): Visible => ({ entries: [], files: ownNames })

function visible(folder: TreePath, dirents: readonly Dirent[]): Visible {
  // Large folders are queues, with nothing but ordinary names: sorted as names, they take a quarter of the time.
  if (dirents.every((dirent) => dirent.isFile() && dirent.name.charCodeAt(0) !== 46)) {
    const names = dirents.map(({ name }) => name).sort()
    return { entries: names.map((name) => ({ name, kind: 'leaf' })), files: ownNames }
  }
  const seen = new Map<string, Entry>()
  const files = new Map<string, string>()
  for (const dirent of dirents) {
    const file = dirent.name
    let name = file
    if (file.charCodeAt(0) === 46) {
      if (file === strayScratchName) continue
      const own = file.startsWith(ownPrefix) ? nameFromOwn(file) : undefined
      if (own) {
        // The leaf itself, if it is there too, is listed by its own entry.
        if (seen.has(own.name)) continue
        name = own.name
      }
    }
    if (folder === home && file === nameOf(engineHome)) continue
    seen.set(name, { name, kind: kindOf(dirent) })
    if (file === name) files.delete(name)
    else files.set(name, file)
  }
  const entries = [...seen.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  return { entries, files }
}

const kindOf = (found: Dirent | Stats): Entry['kind'] =>
  found.isFile() ? 'leaf' : found.isDirectory() ? 'folder' : 'other'
