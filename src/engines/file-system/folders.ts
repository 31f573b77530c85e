/**
 * Finds folders under the root without ever following a link, also one that is swapped in meanwhile.
 *
 * Each folder is opened once, step by step from the root, and is then named by its descriptor
 * (`/proc/self/fd/7/name`): whatever happens to the path afterwards, the call lands in the folder that was
 * checked. Where there is no `/proc`, every step is checked by name instead, which leaves an instant open.
 *
 * A folder that was renamed away must not go on receiving messages, so a descriptor is asked for its path again
 * when it was not asked for a while. That is one call in 50 ms, not one a message.
 */
import { invalidInput, notFound } from '../../kernel/errors.ts'
import { nameOf, parentOf, type TreePath } from '../../kernel/tree-path.ts'
import { codeOf, type Disk, did, openFlags, unless } from './disk.ts'
import { explain, linkRefused } from './failures.ts'

interface Pinned {
  readonly fd: number
  /** What a name is appended to. */
  readonly prefix: string
  checkedAt: number
}

const trustedFor = 50
const mostOpen = 200

export class Folders {
  readonly root: string
  readonly #disk: Disk
  readonly #mode: number
  readonly #mask = process.umask()
  readonly #onMade: (parent: TreePath) => void
  readonly #open = new Map<string, Pinned>()
  #byDescriptor = true
  #rootShown = ''
  readonly #dropped: number[] = []
  #inside = 0

  constructor(disk: Disk, root: string, mode: number, onMade: (parent: TreePath) => void) {
    this.#disk = disk
    this.root = root
    this.#mode = mode
    this.#onMade = onMade
    this.#openRoot()
  }

  /** The folder's prefix, to which a checked name can be appended; `undefined` when it is not there. */
  at(folder: TreePath, make: true): string
  at(folder: TreePath, make: boolean): string | undefined
  at(folder: TreePath, make: boolean): string | undefined {
    const known = this.#open.get(folder)
    if (known && (performance.now() - known.checkedAt < trustedFor || this.#isStillThere(folder, known))) {
      return known.prefix
    }
    if (folder === '') return this.#openRoot()
    const above = this.at(parentOf(folder), make)
    return above === undefined ? undefined : this.#step(above, folder, make)
  }

  /** Called when a folder turned out to be gone; true when it was held open and a second try makes sense. */
  forget(folder: TreePath): boolean {
    const known = this.#open.get(folder)
    if (!known) return false
    if (this.#isStillThere(folder, known)) return false
    return true
  }

  descriptor(folder: TreePath): number | undefined {
    return this.at(folder, false) === undefined ? undefined : this.#open.get(folder)?.fd
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
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= mostOpen) break
      if (oldest !== '') this.#drop(oldest)
    }
    while (this.#dropped.length > 0) this.#disk.close(this.#dropped.pop()!)
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

  #openRoot(): string {
    this.#drop('')
    let fd: number
    try {
      // The root itself may be reached through links: it is the user's choice, not a stranger's.
      fd = this.#disk.open(this.root, openFlags.directory)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') {
        throw notFound('NO_SUCH_ROOT', `The root does not exist: ${this.root}.`, {
          hint: 'Check --root and SIGNALBOX_ROOT, or make it with `signalbox init`.',
        })
      }
      if (codeOf(error) === 'ENOTDIR') {
        throw invalidInput('ROOT_IS_A_FILE', `The root is a file, not a directory: ${this.root}.`, {
          hint: 'Name the directory that holds everything.',
        })
      }
      throw explain(error, this.root)
    }
    const byDescriptor = `/proc/self/fd/${fd}`
    this.#rootShown = unless(['ENOENT', 'EACCES', 'EINVAL', 'ENOTDIR'], () => this.#disk.readLink(byDescriptor)) ?? ''
    this.#byDescriptor = this.#rootShown !== ''
    return this.#pin(fd, '' as TreePath)
  }

  #step(above: string, folder: TreePath, make: boolean): string | undefined {
    const path = above + nameOf(folder)
    let isMine = false
    for (let attempt = 0; ; attempt++) {
      try {
        this.#drop(folder)
        if (!this.#byDescriptor && this.#disk.stat(path)?.isSymbolicLink()) throw linkRefused(this.shown(folder))
        const fd = this.#disk.open(path, openFlags.directory)
        if (isMine && (this.#mode & this.#mask) !== 0) this.#disk.changeMode(fd, this.#mode)
        return this.#pin(fd, folder)
      } catch (error) {
        const code = codeOf(error)
        if (code === 'ELOOP' || (code === 'ENOTDIR' && this.#disk.stat(path)?.isSymbolicLink())) {
          throw linkRefused(this.shown(folder))
        }
        if (code !== 'ENOENT') throw explain(error, this.shown(folder))
        if (!make) return undefined
        if (attempt > 8) throw explain(error, this.shown(folder))
        // Somebody else may make it first, or delete it again before we open it: both are fine.
        isMine = did(['EEXIST'], () => this.#disk.makeDirectory(path, this.#mode))
        this.#onMade(parentOf(folder))
      }
    }
  }

  #pin(fd: number, folder: TreePath): string {
    const prefix = this.#byDescriptor ? `/proc/self/fd/${fd}/` : `${this.shown(folder)}/`
    this.#open.set(folder, { fd, prefix, checkedAt: performance.now() })
    return prefix
  }

  /** Asks the system where the descriptor's folder is now; lets go of it when that is somewhere else. */
  #isStillThere(folder: TreePath, known: Pinned): boolean {
    const expected = folder === '' ? this.#rootShown : `${this.#rootShown === '/' ? '' : this.#rootShown}/${folder}`
    const there = this.#byDescriptor
      ? unless(['ENOENT', 'EINVAL'], () => this.#disk.readLink(`/proc/self/fd/${known.fd}`)) === expected
      : this.#sameByName(folder, known)
    if (there) known.checkedAt = performance.now()
    else this.#drop(folder)
    return there
  }

  #sameByName(folder: TreePath, known: Pinned): boolean {
    const now = this.#disk.stat(this.shown(folder))
    const then = this.#disk.statOpen(known.fd)
    return now?.isDirectory() === true && now.ino === then.ino && now.dev === then.dev
  }

  #drop(folder: string): void {
    const known = this.#open.get(folder)
    if (!known) return
    this.#open.delete(folder)
    this.#dropped.push(known.fd)
  }
}
