/**
 * Finds folders under the root without ever following a link, also one that is swapped in meanwhile.
 *
 * Each folder is opened once, step by step from the root, and is then named by its descriptor (`/proc/123/fd/7/name`,
 * or the 7 itself in a call that takes one): whatever happens to the path afterwards, the call lands in the folder that
 * was checked. Where there is no `/proc`, every step is checked by name instead; a link swapped in right after the check
 * would then be followed.
 *
 * A folder that was renamed away must not go on receiving messages, so now and then we ask the system for the path of a
 * descriptor: one call in 50 ms, not one a message.
 */
import { call, inputs } from '../../kernel/call.ts'
import { invalidInput, notFound } from '../../kernel/errors.ts'
import { nameOf, parentOf, type TreePath, treeRoot } from '../../kernel/tree-path.ts'
import { absolute, codeOf, type Disk, did, FilePlace, type Folder, openFlags, unless } from './disk.ts'
import { explain, linkRefused, notALeaf, notReadable } from './failures.ts'

interface Pinned extends Folder {
  readonly path: TreePath
  /** No part of its path is suspect (`isSuspect`), so of a leaf in it only the name must be checked. */
  readonly isPlain: boolean
  checkedAt: number
}

/** A path, split into folder and name. */
interface Known {
  readonly path: TreePath
  readonly folder: Pinned
  readonly place: FilePlace
  /** Neither its folder nor its name is suspect. */
  readonly isPlain: boolean
}

/** Called when a missing folder has been made. `isMine`: by this process, not by another one at the same moment. */
type OnMade = (folder: TreePath, made: { readonly isMine: boolean }) => void

const trustedFor = 50
const mostOpen = 200
/** A move has two folders, and working through a queue needs only a few. */
const mostRecent = 4

export class Folders {
  readonly root: string
  readonly #disk: Disk
  readonly #mode: number
  readonly #mask = process.umask()
  readonly #onMade: OnMade
  readonly #open = new Map<string, Pinned>()
  /** The folders of the last paths. Comparing with these is quicker than a look-up in a map. */
  readonly #recent: Pinned[] = []
  /** The last two paths: a move has two, and asks for each twice. */
  #last: Known | undefined
  #lastButOne: Known | undefined
  /** Where the descriptors of this process are found: `/proc/123/fd/`. Empty where there is no `/proc`. */
  #descriptors = ''
  #rootShown = ''
  readonly #dropped: number[] = []
  #inside = 0

  constructor(disk: Disk, root: string, mode: number, onMade: OnMade) {
    this.#disk = disk
    this.root = root
    this.#mode = mode
    this.#onMade = onMade
    this.#openRoot()
  }

  /** The open folder; `undefined` when it is not there. */
  at(folder: TreePath, make: true): Folder
  at(folder: TreePath, make: boolean): Folder | undefined
  at(folder: TreePath, make: boolean): Folder | undefined {
    return this.#find(folder, make)
  }

  /** The place of a leaf, there or not; `undefined` when its folder is not there. */
  place(path: TreePath, make: true): FilePlace
  place(path: TreePath, make: boolean): FilePlace | undefined
  place(path: TreePath, make: boolean): FilePlace | undefined {
    const known = this.#known(path)
    if (known && isTrusted(known.folder)) return known.place
    const folder = this.#findAndRemember(parentOf(path), make)
    return folder && new FilePlace(folder, nameOf(path))
  }

  /** Opens the leaf of a path at its place; `undefined` when it is not there. */
  openLeaf(path: TreePath, place: FilePlace, flags: number): number | undefined {
    try {
      return this.#disk.open(place, flags)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      throw this.whyNotOpened(path, place, error)
    }
  }

  /** Why a leaf could not be opened: with its owner, if it is the leaf and not the folder that is closed to this user. */
  whyNotOpened(path: TreePath, place: FilePlace, error: unknown): unknown {
    const code = codeOf(error) ?? ''
    if (['ELOOP', 'ENXIO', 'EISDIR'].includes(code)) return notALeaf(this.shown(path))
    const refusals = ['EACCES', 'EPERM']
    const stats = refusals.includes(code) ? unless(refusals, () => this.#disk.stat(place)) : undefined
    return stats?.isFile() ? notReadable(this.shown(path), stats, error) : error
  }

  /** True for a path that is known not to be suspect: neither its folder nor its name is. */
  isPlain(path: TreePath): boolean {
    return this.#known(path)?.isPlain === true
  }

  /** Called when a folder turned out to be gone. True when we had it open, so that trying again makes sense. */
  forget(folder: TreePath): boolean {
    const known = this.#open.get(folder)
    return known !== undefined && !this.#isStillThere(known)
  }

  /**
   * Between `enter` and `leave` no descriptor is closed, so that a prefix stays valid: once closed, its number may be
   * given to another folder, and a path made with it would lead there.
   */
  enter(): void {
    this.#inside++
  }

  leave(): void {
    if (--this.#inside > 0) return
    if (this.#open.size > mostOpen) this.#dropOldest()
    while (this.#dropped.length > 0) {
      try {
        this.#disk.close(this.#dropped.pop()!)
      } catch (error) {
        // The descriptor was only used to name files, so a failure to close it loses nothing.
        if (codeOf(error) === undefined) throw error
      }
    }
  }

  #dropOldest(): void {
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= mostOpen) break
      if (oldest !== '') this.#drop(oldest)
    }
  }

  /** The path as people write it. */
  shown(path: TreePath): string {
    return path === '' ? this.root : `${this.root}/${path}`
  }

  close(): void {
    for (const folder of [...this.#open.keys()]) this.#drop(folder)
    this.#inside = 1
    this.leave()
  }

  #find(folder: TreePath, make: boolean): Pinned | undefined {
    const known = this.#open.get(folder)
    if (known && (isTrusted(known) || this.#isStillThere(known))) return known
    if (folder === '') return this.#openRoot()
    const above = this.#find(parentOf(folder), make)
    return above && this.#step(above, folder, make)
  }

  /** Knows only paths in one of the recent folders. */
  #known(path: TreePath): Known | undefined {
    if (this.#last?.path === path) return this.#last
    if (this.#lastButOne?.path === path) return this.#lastButOne
    const slash = path.lastIndexOf('/')
    for (let i = 0; i < this.#recent.length; i++) {
      const folder = this.#recent[i]!
      if (folder.path.length !== slash || !path.startsWith(folder.path)) continue
      const name = path.slice(slash + 1)
      this.#lastButOne = this.#last
      this.#last = {
        path,
        folder,
        place: new FilePlace(folder, name),
        isPlain: folder.isPlain && !isSuspect.test(name),
      }
      return this.#last
    }
    return undefined
  }

  #findAndRemember(folder: TreePath, make: boolean): Pinned | undefined {
    const found = this.#find(folder, make)
    if (found && !this.#recent.includes(found)) {
      this.#recent.unshift(found)
      this.#recent.length = Math.min(this.#recent.length, mostRecent)
    }
    return found
  }

  #openRoot(): Pinned {
    this.#drop('')
    let fd: number
    try {
      // Links on the way to the root are followed: the user chose it, not a stranger.
      fd = this.#disk.open(absolute(this.root), openFlags.directory)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') {
        throw notFound('NO_SUCH_ROOT', `The root does not exist: ${this.root}.`, {
          hint: `Check ${inputs({ root: null })} and SIGNALBOX_ROOT, or make it with ${call('init')}.`,
        })
      }
      if (codeOf(error) === 'ENOTDIR') {
        throw invalidInput('ROOT_IS_A_FILE', `The root is a file, not a directory: ${this.root}.`, {
          hint: 'Name the directory that holds everything.',
        })
      }
      throw explain(error, this.root)
    }
    // By pid: following the link `/proc/self` would cost a microsecond at every use of a path.
    const missing = ['ENOENT', 'EACCES', 'EINVAL', 'ENOTDIR']
    const self = unless(missing, () => this.#disk.readLink('/proc/self')) ?? 'self'
    const descriptors = `/proc/${self}/fd/`
    this.#rootShown = unless(missing, () => this.#disk.readLink(descriptors + fd)) ?? ''
    this.#descriptors = this.#rootShown === '' ? '' : descriptors
    return this.#pin(fd, treeRoot)
  }

  #step(above: Folder, folder: TreePath, make: boolean): Pinned | undefined {
    const place = new FilePlace(above, nameOf(folder))
    let isMine = false
    for (let attempt = 0; ; attempt++) {
      try {
        this.#drop(folder)
        if (this.#descriptors === '' && this.#disk.stat(place)?.isSymbolicLink()) throw linkRefused(this.shown(folder))
        const fd = this.#disk.open(place, openFlags.directory)
        if (isMine && (this.#mode & this.#mask) !== 0) this.#disk.changeMode(fd, this.#mode)
        return this.#pin(fd, folder)
      } catch (error) {
        const code = codeOf(error)
        if (code === 'ELOOP' || (code === 'ENOTDIR' && this.#disk.stat(place)?.isSymbolicLink())) {
          throw linkRefused(this.shown(folder))
        }
        if (code !== 'ENOENT') throw explain(error, this.shown(folder))
        if (!make) return undefined
        if (attempt > 8) throw explain(error, this.shown(folder))
        // Another process may make it first, or delete it again before we open it: both are fine.
        isMine = did(['EEXIST'], () => this.#disk.makeDirectory(place, this.#mode))
        this.#onMade(folder, { isMine })
      }
    }
  }

  #pin(fd: number, path: TreePath): Pinned {
    const prefix = this.#descriptors ? `${this.#descriptors}${fd}/` : `${this.shown(path)}/`
    const pinned = { fd, prefix, path, isPlain: !isSuspect.test(path), checkedAt: performance.now() }
    this.#open.set(path, pinned)
    return pinned
  }

  /** Asks the system where the descriptor's folder is now, and closes it when that is somewhere else. */
  #isStillThere(known: Pinned): boolean {
    const folder = known.path
    const expected = folder === '' ? this.#rootShown : `${this.#rootShown === '/' ? '' : this.#rootShown}/${folder}`
    const there = this.#descriptors
      ? unless(['ENOENT', 'EINVAL'], () => this.#disk.readLink(this.#descriptors + known.fd)) === expected
      : this.#sameByName(known)
    if (there) known.checkedAt = performance.now()
    else this.#drop(folder)
    return there
  }

  #sameByName(known: Pinned): boolean {
    const now = this.#disk.stat(absolute(this.shown(known.path)))
    const then = this.#disk.statOpen(known.fd)
    return now?.isDirectory() === true && now.ino === then.ino && now.dev === then.dev
  }

  #drop(folder: string): void {
    const known = this.#open.get(folder)
    if (!known) return
    this.#open.delete(folder)
    const recent = this.#recent.indexOf(known)
    if (recent >= 0) this.#recent.splice(recent, 1)
    this.#last = undefined
    this.#lastButOne = undefined
    this.#dropped.push(known.fd)
  }
}

/** A part that is empty or begins with a dot, or a backslash or NUL anywhere. The few paths that match are checked in full. */
export const isSuspect = /^[./]|\/[./]|\/$|[\\\0]|^$/

const isTrusted = (known: Pinned): boolean => performance.now() - known.checkedAt < trustedFor
