/**
 * Temporary files, away from where readers look: a finished one is put in its place by a rename or a link, so
 * no reader ever sees half a file. They live in `.signalbox/engine/tmp`, or, for a folder that is a file system of its
 * own, in `.signalbox-tmp` at the top of that file system (in the folder itself where a mount hides where that is).
 *
 * A crash leaves them behind. Each name begins with its holder, and only those of dead holders are deleted. See
 * docs/decisions/0005-one-place-for-temporary-files.md.
 */
import { childOf, parentOf, type TreePath, treeRoot } from '../../kernel/tree-path.ts'
import { engineHome } from '../../tree/home.ts'
import { codeOf, type Disk, FilePlace, openFlags, unless } from './disk.ts'
import { writeContent } from './files.ts'
import type { Folders } from './folders.ts'
import type { Holders } from './holder.ts'
import type { SetAside } from './set-aside.ts'

export const scratchFolder = childOf(engineHome, 'tmp')
export const strayScratchName = '.signalbox-tmp'

/** A temporary file that is written and closed. */
export interface Draft {
  readonly place: FilePlace
  readonly folder: TreePath
}

/** One count for all trees of this process: they share its holder name. */
let drafts = 0

export class Scratch {
  readonly #disk: Disk
  readonly #folders: Folders
  readonly #holders: Holders
  readonly #setAside: SetAside
  readonly #fileMode: number
  readonly #mask: number
  /** Devices other than the root's, each with the folder its temporary files go to. */
  readonly #elsewhere = new Map<number, TreePath>()
  /** Folders that are mounts from the root's own device (`mount --bind`): nothing can be renamed into them from outside. */
  readonly #apart = new Set<TreePath>()
  readonly #found = new Set<TreePath>()

  constructor(disk: Disk, folders: Folders, holders: Holders, setAside: SetAside, fileMode: number) {
    this.#disk = disk
    this.#folders = folders
    this.#holders = holders
    this.#setAside = setAside
    this.#fileMode = fileMode
    this.#mask = process.umask()
  }

  /** A name that no other draft has. Drafts of rewrites are named after their operation instead, without an underscore. */
  newName(): string {
    return `${this.#holders.self}-d_${(drafts++).toString(36)}`
  }

  /** Opens a new temporary file. The caller writes and closes it. */
  open(name: string, near: TreePath | undefined, mode = this.#fileMode): { fd: number; draft: Draft } {
    const folder = this.#folderFor(near)
    for (let attempt = 0; ; attempt++) {
      const place = new FilePlace(this.#setAside.folder(folder), name)
      try {
        const fd = this.#disk.open(place, openFlags.create, mode)
        if ((mode & this.#mask) !== 0) this.#disk.changeMode(fd, mode)
        return { fd, draft: { place, folder } }
      } catch (error) {
        if (codeOf(error) === 'ENOENT' && attempt < 3 && this.#folders.forget(folder)) continue
        throw error
      }
    }
  }

  /** Writes and closes a temporary file; on failure nothing is left of it. `flush` runs before it is closed. */
  write(
    content: Uint8Array | string,
    options: { name?: string; near?: TreePath; mode?: number; flush?: (fd: number) => void } = {},
  ): Draft {
    const { fd, draft } = this.open(options.name ?? this.newName(), options.near, options.mode)
    let open = true
    try {
      writeContent(this.#disk, fd, content)
      options.flush?.(fd)
      open = false
      this.#disk.close(fd)
      return draft
    } catch (error) {
      if (open) unless(cleanUpCodes, () => this.#disk.close(fd))
      this.discard(draft)
      throw error
    }
  }

  /** Removes a draft that is not needed any more. A failure is left to the sweep. */
  discard(draft: Draft): void {
    try {
      this.#disk.unlink(draft.place)
    } catch {
      // Gone already, or a disk error: the sweep deletes it once this process has ended.
    }
  }

  /** After EXDEV: temporary files for this folder must lie on its own file system. */
  useDeviceOf(folder: TreePath): void {
    const device = this.#deviceOf(folder)
    if (device === this.#deviceOf(treeRoot)) {
      // A bind mount on the same device: we cannot tell where it begins, so this folder keeps its temporary files in itself.
      this.#apart.add(folder)
      return
    }
    let top = folder
    while (top !== '' && this.#deviceOf(parentOf(top)) === device) top = parentOf(top)
    this.#elsewhere.set(device, childOf(top, strayScratchName))
  }

  /** A folder of temporary files that an earlier process made on another file system. */
  know(folder: TreePath): void {
    this.#found.add(folder)
  }

  folders(): TreePath[] {
    const apart = [...this.#apart].map((folder) => childOf(folder, strayScratchName))
    return [...new Set([scratchFolder, ...this.#elsewhere.values(), ...apart, ...this.#found])]
  }

  #folderFor(near: TreePath | undefined): TreePath {
    if (near === undefined) return scratchFolder
    if (this.#apart.has(near)) return childOf(near, strayScratchName)
    if (this.#elsewhere.size === 0) return scratchFolder
    return this.#elsewhere.get(this.#deviceOf(near)) ?? scratchFolder
  }

  #deviceOf(folder: TreePath): number {
    return this.#disk.statOpen(this.#folders.at(folder, true).fd).dev
  }
}

/** For a clean-up after a failure: the first error is the one to report. */
const cleanUpCodes = ['EBADF', 'EIO', 'ENOSPC', 'EACCES', 'EMFILE', 'ENOENT']
