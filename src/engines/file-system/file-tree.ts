/** The tree on plain files: the verbs, put together from the parts beside this file. */
import { type Clock, pause } from '../../kernel/clock.ts'
import { childOf, isSegment, parentOf, type TreePath, treePath, treeRoot } from '../../kernel/tree-path.ts'
import { expectOneLine, reservedPath } from '../../tree/for-engines.ts'
import { gitignorePath, home, homeGitignore } from '../../tree/home.ts'
import type {
  Appended,
  Created,
  Durability,
  Entry,
  Finding,
  Guard,
  InspectOptions,
  Leaf,
  Lease,
  Leased,
  Moved,
  MoveOptions,
  Outcome,
  Removed,
  RemoveOptions,
  Replaced,
  Revision,
  TimedEntry,
  Touched,
  Tree,
  Watching,
  WatchOptions,
} from '../../tree/tree.ts'
import { appendLine, hasLine } from './append.ts'
import { codeOf, type Disk, did, FilePlace, openFlags } from './disk.ts'
import { closedFolder, explain, notALeaf, sharedFile } from './failures.ts'
import { FileSystemTime } from './file-time.ts'
import { readHead, readOpen, readWhole, writeContent } from './files.ts'
import { Flushes } from './flushes.ts'
import { Folders, isSuspect } from './folders.ts'
import type { GroupCommit } from './group-commit.ts'
import { Holders } from './holder.ts'
import { Later } from './later.ts'
import { FileLeaf, kindOf, timesOf, WrittenLeaf } from './leaf.ts'
import type { Leases } from './leases.ts'
import { Listing } from './listing.ts'
import type { LockFamily, LockPatience, Locks } from './locks.ts'
import type { Moving } from './moving.ts'
import { loadNative } from './native.ts'
import { isOwnPath, slotsFolder } from './own-paths.ts'
import { publish } from './publishing.ts'
import type { Recovery } from './recovery.ts'
import { revisionOf } from './revision.ts'
import { type Draft, Scratch, strayScratchName } from './scratch.ts'
import { SetAside } from './set-aside.ts'
import { watchDirectory } from './watch.ts'

interface FileTreeParts {
  readonly disk: Disk
  readonly root: string
  readonly durability: Durability
  readonly modes: { readonly file: number; readonly folder: number }
  /** Used instead of the file system's own time. */
  readonly clock: Clock | undefined
  readonly patience: LockPatience | undefined
  /** Given for `batch`. */
  readonly Commit: typeof GroupCommit | undefined
}

/** Loading the native calls takes 2 ms on Bun and 8 on Node: a command that sends one message is faster without. */
const nativeAfter = process.versions.bun ? 12 : 100
/** The same, counted in reads, which gain less. */
const nativeAfterReads = process.versions.bun ? 200 : 1000
/** After this many writes a process deletes the drafts of dead ones. A single command has no time for that. */
const sweepAfter = 64

const dot = 46
const nothing = Buffer.alloc(0)

const asItIs = (bytes: Uint8Array) => bytes

export class FileTree implements Tree {
  readonly place: string
  readonly isOpenToOthers = true
  readonly #disk: Disk
  readonly #fileMode: number
  readonly #folders: Folders
  readonly #scratch: Scratch
  readonly #setAside: SetAside
  readonly #time: FileSystemTime
  readonly #locks: Later<Locks>
  readonly #moving: Later<Moving>
  readonly #recovery: Later<Recovery>
  readonly #leases: Later<Leases>
  readonly #listing: Listing
  readonly #flushes: Flushes
  readonly #watching = new Set<Watching>()
  /** The last path that looked suspect and was found to be fine. */
  #lastSuspect = ''
  #exclusiveSteps = 0
  #sweeping: Promise<void> | undefined
  #reads = 0

  constructor({ disk, root, durability, modes, clock, patience, Commit }: FileTreeParts) {
    this.place = root
    this.#disk = disk
    this.#fileMode = modes.file
    this.#folders = new Folders(disk, root, modes.folder, (folder, { isMine }) => {
      if (durability !== 'process') this.#flushes.folder(parentOf(folder))
      if (isMine && folder === home) this.#keepHomeOutOfGit()
    })
    const [folders, holders] = [this.#folders, new Holders(disk)]
    const setAside = new SetAside(disk, folders)
    const scratch = new Scratch(disk, folders, holders, setAside, modes.file)
    // Locks and drafts are measured by the real times of files, also when a test passes in a clock.
    const time = new FileSystemTime({ disk, scratch })
    const flushes = new Flushes(durability, disk, folders, Commit && new Commit(disk, folders))
    this.#scratch = scratch
    this.#setAside = setAside
    this.#time = clock ? new FileSystemTime({ disk, scratch, held: clock }) : time
    this.#flushes = flushes
    const shared = { disk, folders, holders, scratch, setAside, time }
    const locks = new Later(async () => new (await import('./locks.ts')).Locks(shared, patience))
    const recovery: Later<Recovery> = new Later(async () => {
      const [{ Recovery }, moving] = [await import('./recovery.ts'), await this.#moving.load()]
      return new Recovery({ ...shared, ...moving, locks: await locks.load() })
    })
    this.#locks = locks
    this.#recovery = recovery
    this.#moving = new Later(async () => {
      const { Moving } = await import('./moving.ts')
      return new Moving({ ...shared, flushes, recovery, fileMode: modes.file, now: () => this.#time.now() })
    })
    this.#leases = new Later(async () => {
      const { Leases } = await import('./leases.ts')
      return new Leases({ ...shared, flushes, locks: await locks.load(), clock: this.#time })
    })
    this.#listing = new Listing({ disk, folders, moving: this.#moving, recovery })
  }

  /** Finishes or undoes what dead processes left. Called once when the tree is opened. */
  recover(): Promise<unknown> {
    return this.#attempt(undefined, () => {
      const slots = this.#setAside.openIfThere(slotsFolder)
      if (slots !== undefined && this.#disk.list(slots).length > 0)
        return this.#recovery.use((recovery) => recovery.recover())
      return undefined
    })
  }

  now(): Promise<number> {
    return this.#attempt(undefined, () => this.#time.now())
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
      const fd = this.#folders.openLeaf(path, place, openFlags.read)
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
    onHead: (name: string, head: Uint8Array, size: number) => void,
  ): Promise<void> {
    return this.#attempt(folder, () => {
      this.#countReads(names.length)
      if (folder !== '') this.#check(folder)
      const open = this.#folders.at(folder, false)
      if (open === undefined) return
      for (const name of names) {
        // Only names that begin with a dot, or are no names at all, can be the engine's own or lead outside.
        if (name.charCodeAt(0) === dot || !isSegment(name)) this.#check(childOf(folder, name))
        readHead(this.#disk, new FilePlace(open, name), atMost, (head, size) => onHead(name, head, size))
      }
    })
  }

  list(folder: TreePath): Promise<Entry[]>
  list(folder: TreePath, options: { readonly times: true }): Promise<TimedEntry[]>
  async list(folder: TreePath, options?: { readonly times?: boolean }): Promise<Entry[] | TimedEntry[]> {
    return this.#attempt(folder, async () => {
      if (folder !== '') this.#check(folder)
      const { entries, files } = await this.#listing.of(folder)
      if (!options?.times) return entries
      const open = this.#folders.at(folder, false)
      if (open === undefined) return []
      return entries.flatMap((entry) => {
        const stats = this.#disk.stat(new FilePlace(open, files.get(entry.name) ?? entry.name))
        return stats ? [{ ...entry, size: stats.size, ...timesOf(stats) }] : []
      })
    })
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
    if (this.#flushes.durability === 'batch') return this.#createInBatch(path, content)
    const draft = this.#scratch.write(content, { near: parentOf(path), ...this.#flushes.ofDraft })
    const outcome = this.#publishDraft(draft, path, content)
    if (outcome === 'taken') return { outcome: 'taken' }
    if (this.#flushes.durability === 'full') this.#flushes.folder(parentOf(path))
    return new WrittenLeaf('created', this.#flushes.durability, content)
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
    await this.#flushes.flushed(parentOf(path))
    return new WrittenLeaf('created', this.#flushes.durability, content)
  }

  /** Puts a draft in its place; if that is on another file system, by a second draft that is written there. */
  #publishDraft(draft: Draft, path: TreePath, content: Uint8Array | string): 'done' | 'taken' {
    try {
      const outcome = publish(this.#disk, this.#folders, draft.place, path)
      if (outcome === 'gone') throw Object.assign(new Error('the folder vanished'), { code: 'ENOENT' })
      if (outcome === 'taken') this.#scratch.discard(draft)
      return outcome
    } catch (error) {
      this.#scratch.discard(draft)
      if (codeOf(error) !== 'EXDEV' || draft.folder.endsWith(strayScratchName)) throw error
      this.#scratch.useDeviceOf(parentOf(path))
      const second = this.#scratch.write(content, { near: parentOf(path), ...this.#flushes.ofDraft })
      return this.#publishDraft(second, path, content)
    }
  }

  replace(path: TreePath, bytes: Uint8Array, revision: Revision, guard?: Guard): Promise<Replaced> {
    return this.#guarded(guard, path, () => this.#within('path', path, () => this.#replaceNow(path, bytes, revision)))
  }

  async #replaceNow(path: TreePath, bytes: Uint8Array, revision: Revision): Promise<Replaced> {
    const target = this.#folders.place(path, false)
    const current = target && readWhole(this.#disk, target)
    if (!current) return { outcome: 'gone' }
    if (!current.stats.isFile()) throw notALeaf(this.#folders.shown(path))
    if (revisionOf(current.bytes) !== revision) return { outcome: 'stale' }
    if (current.stats.nlink > 1) await (await this.#recovery.load()).recoverNamesOf(current.stats.ino)
    const mode = current.stats.mode & 0o777
    const draft = this.#scratch.write(bytes, { near: parentOf(path), mode, ...this.#flushes.ofDraft })
    try {
      const outcome = this.#disk.exchange?.(draft.place, target) ?? 'strange'
      if (outcome === 'gone') return { outcome: 'gone' }
      if (outcome === 'done' && !current.bytes.equals(readWhole(this.#disk, draft.place)!.bytes)) {
        // A foreign program wrote between our check and the swap: put its bytes back.
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
    await this.#flushes.flushed(parentOf(path))
    return new WrittenLeaf('replaced', this.#flushes.durability, bytes)
  }

  touch(path: TreePath): Promise<Touched> {
    return this.#attempt(path, async () => {
      this.#check(path)
      const place = this.#folders.place(path, false)
      const stats = place && this.#disk.stat(place)
      if (place === undefined || stats === undefined) return { outcome: 'gone' }
      if (stats.isFile() && stats.nlink > 1 && !(await this.#makeOwn(path, stats.ino))) return { outcome: 'gone' }
      if (!did(['ENOENT'], () => this.#disk.setTimes(place, this.#time.now()))) return { outcome: 'gone' }
      if (this.#flushes.durability !== 'process') {
        const fd = this.#folders.openLeaf(path, place, openFlags.read)
        if (fd === undefined) return { outcome: 'gone' }
        await this.#flushes.flushAndClose(fd)
      }
      return { outcome: 'touched', durability: this.#flushes.durability }
    })
  }

  /**
   * Replaces a leaf that has a second name, perhaps outside the root, by a copy with one name, so that changes do not reach
   * the other name. A move onto itself does this: a leaf that another process moves meanwhile does not come back. False when
   * it is gone.
   */
  async #makeOwn(path: TreePath, file: number): Promise<boolean> {
    // The second name may be left from an unfinished move.
    await (await this.#recovery.load()).recoverNamesOf(file)
    for (let attempt = 0; ; attempt++) {
      const place = this.#folders.place(path, false)
      const links = place && this.#disk.stat(place)?.nlink
      if (links === undefined) return false
      if (links < 2) return true
      if (attempt > 5) throw sharedFile(this.#folders.shown(path))
      // The process that has just made the leaf takes the second name away in a moment, unless it was killed.
      if (attempt < 3) await pause(2 ** attempt)
      else await this.move(path, path, { touched: true })
    }
  }

  append(path: TreePath, line: string, guard?: Guard): Promise<Appended> {
    return this.#guarded(guard, path, async () => {
      this.#check(path)
      expectOneLine(line)
      const fd = await this.#appended(path, line)
      if (this.#flushes.durability === 'process') this.#disk.close(fd)
      else await this.#flushes.flushAndClose(fd)
      await this.#flushes.flushed(parentOf(path))
      return { outcome: 'appended', durability: this.#flushes.durability }
    })
  }

  /** The file that the line was appended to, still open. */
  async #appended(path: TreePath, line: string): Promise<number> {
    for (let attempt = 0; ; attempt++) {
      const place = this.#folders.place(path, true)
      const appended = appendLine(this.#disk, place, line, this.#fileMode)
      if (typeof appended === 'number') return appended
      if (attempt > 9) throw sharedFile(this.#folders.shown(path))
      if (appended === 'shared') await this.#within('path', path, () => this.#copyInPlace(path))
      // The process that put another file in its place may have copied our line into it.
      else if (hasLine(readWhole(this.#disk, place)?.bytes ?? nothing, line)) {
        return this.#disk.open(place, openFlags.append, this.#fileMode)
      }
    }
  }

  /** Swaps in a copy with one name. In one step, because an appender that finds no file there would begin a new one. */
  async #copyInPlace(path: TreePath): Promise<void> {
    const place = this.#folders.place(path, false)
    const current = place && readWhole(this.#disk, place)
    if (current && current.stats.nlink > 1) await this.#replaceNow(path, current.bytes, revisionOf(current.bytes))
  }

  move(from: TreePath, to: TreePath, options: MoveOptions = {}): Promise<Moved> {
    return this.#guarded(options, from, () => {
      this.#check(from)
      this.#check(to)
      this.#warmUp()
      const { change = options.touched ? asItIs : undefined } = options
      return this.#moving.use((moving) =>
        change ? moving.changing.move({ ...options, from, to, change }) : this.#movePlain(moving, from, to),
      )
    })
  }

  #movePlain(moving: Moving, from: TreePath, to: TreePath): Moved | Promise<Moved> {
    const { moves, changing } = moving
    if (from === to) return { outcome: 'taken' }
    try {
      const outcome = moves.plain(from, to)
      if (outcome === 'shared') return changing.move({ from, to, change: asItIs })
      return outcome === 'done' ? this.#flushes.moved(from, to, undefined) : { outcome }
    } catch (error) {
      // The note of a move in several steps cannot be written to a full disk. The system's own rename needs none.
      if (['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '') && !moves.isOneStep) {
        this.#goNative()
        if (moves.isOneStep) return this.#movePlain(moving, from, to)
      }
      if (codeOf(error) !== 'EXDEV') throw error
      // The target is on another file system: write the bytes there, with the same promises.
      return changing.move({ from, to, change: asItIs })
    }
  }

  remove(path: TreePath, options: RemoveOptions = {}): Promise<Removed> {
    const { onlyIf, atMost } = options
    return this.#guarded(options, path, () =>
      // Under the same lock as `replace`, which could otherwise bring the leaf back.
      this.#within('path', path, async () => {
        this.#check(path)
        const judged = async (onlyIf: NonNullable<RemoveOptions['onlyIf']>, atMost?: number) =>
          (await this.#moving.load()).changing.remove(path, onlyIf, atMost)
        if (onlyIf) return judged(onlyIf, atMost)
        const place = this.#folders.place(path, false)
        const stats = place && this.#disk.stat(place)
        if (place === undefined || stats === undefined) return { outcome: 'gone' }
        if (stats.isDirectory()) throw notALeaf(this.#folders.shown(path))
        if (stats.isFile() && stats.nlink > 1) return judged(() => true, 1)
        if (!did(['ENOENT'], () => this.#disk.unlink(place))) return { outcome: 'gone' }
        await this.#flushes.flushed(parentOf(path))
        return { outcome: 'removed', durability: this.#flushes.durability }
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
    return this.#attempt(undefined, () => this.#leases.use((leases) => leases.take(resource, owner, ttl)))
  }

  release(resource: string, owner: string): Promise<Outcome<'released' | 'gone'>> {
    return this.#attempt(undefined, () => this.#leases.use((leases) => leases.release(resource, owner)))
  }

  leases(): Promise<Lease[]> {
    return this.#attempt(undefined, () => this.#leases.use((leases) => leases.all()))
  }

  exclusively<T>(name: string, work: () => Promise<T>, options?: { readonly waitMs?: number }): Promise<T> {
    return this.#attempt(undefined, () => this.#within('turn', name, work, options))
  }

  besideLock<T>(lock: TreePath, work: () => Promise<T>): Promise<T> {
    return this.#attempt(lock, async () => {
      this.#check(lock)
      const place = this.#folders.place(lock, false)
      if (place === undefined || !this.#disk.stat(place)?.isFile()) return work()
      const { whileLocked } = await import('./foreign-lock.ts')
      this.#goNative()
      const fd = this.#folders.openLeaf(lock, place, openFlags.read)
      return fd === undefined ? work() : whileLocked(this.#disk, fd, this.#folders.shown(lock), work)
    })
  }

  watch(folder: TreePath, onChange: (name?: string) => void, options?: WatchOptions): Watching {
    const closed = () => this.#watching.delete(watching)
    const watching = watchDirectory(this.#folders.shown(folder), onChange, closed, options)
    this.#watching.add(watching)
    return watching
  }

  inspect(options: InspectOptions = {}): Promise<Finding[]> {
    const { repair = false, assumeGone = false, within = [] } = options
    return this.#attempt(undefined, async () => {
      const { inspectFiles } = await import('./inspect.ts')
      const [locks, leases] = [await this.#locks.load(), await this.#leases.load()]
      return inspectFiles({
        ...(await this.#draftParts()),
        folders: this.#folders,
        locks,
        leases,
        repair,
        assumeGone: repair && assumeGone,
        within,
      })
    })
  }

  async #draftParts() {
    const { slots, finishing } = await this.#moving.load()
    const recovery = await this.#recovery.load()
    const [disk, scratch, setAside, time] = [this.#disk, this.#scratch, this.#setAside, this.#time]
    return { disk, scratch, setAside, time, slots, finishing, recovery }
  }

  async close(): Promise<void> {
    for (const watching of this.#watching) watching.close()
    await this.#sweeping
    this.#moving.ifLoaded?.slots.close()
    this.#folders.close()
  }

  /** Refuses what belongs to the engine. Everything else about a path was checked when it was made. */
  #check(path: TreePath): void {
    if (this.#folders.isPlain(path) || path === this.#lastSuspect || !isSuspect.test(path)) return
    // Callers without a type checker can hand us any text; nothing of it may lead outside.
    treePath(path)
    if (isOwnPath(path)) throw reservedPath(this.#folders.shown(path))
    this.#lastSuspect = path
  }

  #warmUp(): void {
    if (++this.#exclusiveSteps === sweepAfter) this.#sweeping = this.#sweep()
    if (this.#exclusiveSteps === nativeAfter) this.#goNative()
  }

  async #sweep(): Promise<void> {
    await this.#attempt(undefined, async () => (await import('./drafts.ts')).sweepDrafts(await this.#draftParts()))
  }

  #countReads(count: number): void {
    const before = this.#reads
    this.#reads += count
    if (before < nativeAfterReads && this.#reads >= nativeAfterReads) this.#goNative()
  }

  /** Does nothing the second time. */
  #goNative(): void {
    Object.assign(this.#disk, loadNative())
  }

  /** The process that makes `.signalbox/` says there what git need not see. A courtesy: no verb fails because of it. */
  #keepHomeOutOfGit(): void {
    try {
      const draft = this.#scratch.write(homeGitignore({ hidesItself: true }))
      if (publish(this.#disk, this.#folders, draft.place, gitignorePath) !== 'done') this.#scratch.discard(draft)
    } catch (error) {
      if (codeOf(error) === undefined) throw error
    }
  }

  #guarded<T>(guard: Guard | undefined, path: TreePath, work: () => T | Promise<T>): Promise<T | Outcome<'fenced'>> {
    const lease = guard?.under
    if (!lease) return this.#attempt(path, work)
    return this.#attempt(path, () => this.#leases.use((leases) => leases.under(lease, async () => work())))
  }

  /** Runs `work` while no other process runs any under the same family and key. */
  #within<T>(family: LockFamily, key: string, work: () => Promise<T>, options?: { readonly waitMs?: number }) {
    return this.#locks.use((locks) => locks.within(family, key, work, options))
  }

  /**
   * Every verb runs in here, so that no failure of the disk reaches a caller unexplained. Awaits only what is a promise:
   * on the hot paths each `await` costs as much as a system call.
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
    return explain(error, closedFolder(this.#disk, error) ?? this.#folders.shown(path ?? treeRoot))
  }
}
