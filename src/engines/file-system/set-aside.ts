/**
 * Keeps files that lie among the engine's own and are none of them, as a cloned repository can contain. No process acts on
 * them; a person can look at them.
 */
import { SignalboxError } from '../../kernel/errors.ts'
import { childOf, nameOf, parentOf, type TreePath } from '../../kernel/tree-path.ts'
import { engineHome } from '../../tree/home.ts'
import { type Disk, did, FilePlace, type Folder } from './disk.ts'
import type { Folders } from './folders.ts'

export const setAsideFolder = childOf(engineHome, 'set-aside')

/** Why a file is none of ours. The key becomes part of its new name, so that `doctor` can tell the reason later. */
export const reasons = {
  'bad-folder': 'it stands where a folder of the engine should be, and is none',
  'bad-kind': 'it is a folder, link, pipe or device where a file should be',
  'bad-name': 'its name is none that the engine gives',
  'bad-size': 'it is larger than any such file can be',
  'bad-note': 'it does not say what a note about a move says',
  'bad-number': 'its number is higher than any lock can have got',
  'bad-lock': 'it does not say what a lock says',
  'bad-lease': 'it does not say what a lease says',
} as const
export type Reason = keyof typeof reasons

/** Reasons why the system does not let us move something. */
const refusals = [
  'EACCES',
  'EPERM',
  'EROFS',
  'EBUSY',
  'EXDEV',
  'ENOSPC',
  'ENAMETOOLONG',
  'ENOTDIR',
  'ENOTEMPTY',
  'EINVAL',
]

export class SetAside {
  readonly #disk: Disk
  readonly #folders: Folders

  constructor(disk: Disk, folders: Folders) {
    this.#disk = disk
    this.#folders = folders
  }

  /** Opens one of the engine's folders for writing. What is in its place is moved away. */
  folder(path: TreePath): Folder {
    try {
      return this.#folders.at(path, true)
    } catch (error) {
      const above = isOdd(error) ? this.openIfThere(parentOf(path)) : undefined
      if (!above || !this.move(new FilePlace(above, nameOf(path)), 'bad-folder')) throw error
      return this.#folders.at(path, true)
    }
  }

  /** Opens a folder for reading; `undefined` also when something else is in its place. */
  openIfThere(path: TreePath): Folder | undefined {
    try {
      return this.#folders.at(path, false)
    } catch (error) {
      if (isOdd(error)) return undefined
      throw error
    }
  }

  /** Makes its own folder; false when that cannot be done. */
  isReady(): boolean {
    return this.#target('', 'bad-folder') !== undefined
  }

  /** Moves it away under a name of its own; false when it has gone or cannot be moved. */
  move(place: FilePlace, reason: Reason): boolean {
    const target = this.#target(place.name, reason)
    if (!target) return false
    const native = this.#disk.renameNew?.(place, target) ?? 'strange'
    if (native !== 'strange') return native === 'done'
    // The name is random, so nothing has it. The check makes sure, since this rename would replace.
    return !this.#disk.stat(target) && did(['ENOENT', ...refusals], () => this.#disk.rename(place, target))
  }

  /** Keeps a file under a second name, so that the first can be given to a new one in one step. */
  copy(place: FilePlace, reason: Reason): boolean {
    const target = this.#target(place.name, reason)
    if (!target) return false
    return did(['ENOENT', 'EEXIST', 'EISDIR', 'ENOTSUP', ...refusals], () => this.#disk.link(place, target))
  }

  all(): { readonly name: string; readonly reason: string }[] {
    const folder = this.openIfThere(setAsideFolder)
    if (folder === undefined) return []
    const names = this.#disk.list(folder).map(({ name }) => name)
    return names.sort().map((name) => {
      const reason = name.split('.')[0] ?? ''
      return { name, reason: Object.hasOwn(reasons, reason) ? reasons[reason as Reason] : 'it was put there' }
    })
  }

  #target(name: string, reason: Reason): FilePlace | undefined {
    try {
      return new FilePlace(this.#folder(), madeUp(reason, name))
    } catch (error) {
      // There is nowhere to put it, so it stays where it is and is ignored.
      if (error instanceof SignalboxError) return undefined
      throw error
    }
  }

  /** If a stranger's file has the name of this folder, it is renamed first and then put into the folder. */
  #folder(): Folder {
    try {
      return this.#folders.at(setAsideFolder, true)
    } catch (error) {
      const above = isOdd(error) ? this.openIfThere(engineHome) : undefined
      if (!above) throw error
      const name = madeUp('bad-folder', nameOf(setAsideFolder))
      const [found, away] = [new FilePlace(above, nameOf(setAsideFolder)), new FilePlace(above, name)]
      if (!did(['ENOENT', ...refusals], () => this.#disk.rename(found, away))) throw error
      const folder = this.#folders.at(setAsideFolder, true)
      did(['ENOENT', ...refusals], () => this.#disk.rename(away, new FilePlace(folder, name)))
      return folder
    }
  }
}

function madeUp(reason: Reason, name: string): string {
  const made = Math.random().toString(36).slice(2, 12).padEnd(10, '0')
  return `${reason}.${made}.${name.replace(/[^\w.-]/g, '_').slice(0, 120)}`
}

/** Something that is no folder stands where one should be. */
export const isOdd = (error: unknown): boolean =>
  error instanceof SignalboxError && (error.code === 'LINK_REFUSED' || error.code === 'NOT_A_FOLDER')
