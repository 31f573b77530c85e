/** Lists a folder as readers should see it: a private file stands under its old name. */
import { nameOf, type TreePath } from '../../kernel/tree-path.ts'
import { engineHome, home } from '../../tree/home.ts'
import type { Entry } from '../../tree/tree.ts'
import { type Dirent, FilePlace, type Folder, unless } from './disk.ts'
import type { Later } from './later.ts'
import { kindOf } from './leaf.ts'
import type { Moving } from './moving.ts'
import { isOwnName, nameFromOwn, ownPrefix } from './own-paths.ts'
import type { Parts } from './parts.ts'
import type { Recovery } from './recovery.ts'

interface ListingParts extends Pick<Parts, 'disk' | 'folders'> {
  readonly moving: Later<Moving>
  readonly recovery: Later<Recovery>
}

export class Listing {
  readonly #parts: ListingParts

  constructor(parts: ListingParts) {
    this.#parts = parts
  }

  async of(folder: TreePath): Promise<Visible> {
    for (let attempt = 0; ; attempt++) {
      const open = this.#parts.folders.at(folder, false)
      if (open === undefined) return nothingVisible()
      const dirents = unless(['ENOENT'], () => this.#parts.disk.list(open))
      if (dirents === undefined || dirents.length === 0) {
        if (attempt < 3 && this.#parts.folders.forget(folder)) continue
        return nothingVisible()
      }
      const privates = dirents.filter(({ name }) => name.startsWith(ownPrefix))
      if (privates.length > 0 && attempt < 3 && (await this.#finishPrivate(folder, open, privates))) continue
      return visible(folder, dirents)
    }
  }

  /** True when something was put back or finished, so that the folder must be listed again. */
  async #finishPrivate(folder: TreePath, open: Folder, privates: readonly Dirent[]): Promise<boolean> {
    const { moves } = await this.#parts.moving.load()
    const recovery = await this.#parts.recovery.load()
    let finished = moves.finishOwn()
    for (const { name } of privates) {
      const own = nameFromOwn(name, folder)
      if (!own || !recovery.isAbandoned(own)) continue
      await recovery.recover()
      if (this.#parts.disk.stat(new FilePlace(open, name))) await recovery.restoreOrphan(folder, name)
      finished = true
    }
    return finished
  }
}

interface Visible {
  readonly entries: Entry[]
  /** From old names to the private names of the files. */
  readonly files: ReadonlyMap<string, string>
}

const ownNames: ReadonlyMap<string, string> = new Map()
const nothingVisible = (): Visible => ({ entries: [], files: ownNames })

function visible(folder: TreePath, dirents: readonly Dirent[]): Visible {
  // Large folders are queues with ordinary names. Sorting plain strings takes a quarter of the time of sorting entries.
  const names: string[] = []
  const others: Dirent[] = []
  for (const dirent of dirents) {
    if (dirent.isFile() && dirent.name.charCodeAt(0) !== dot) names.push(dirent.name)
    else others.push(dirent)
  }
  if (others.length === 0) return { entries: names.sort().map(leafEntry), files: ownNames }
  const kinds = new Map<string, Entry['kind']>()
  const files = new Map<string, string>()
  for (const dirent of others) {
    const file = dirent.name
    const own = file.startsWith(ownPrefix) && dirent.isFile() ? nameFromOwn(file, folder) : undefined
    // Leave out drafts, and foreign files with such names: no path can name them, so no caller could use the entry.
    if (!own && isOwnName(file)) continue
    if (folder === home && file === nameOf(engineHome)) continue
    if (own) files.set(own.name, file)
    else kinds.set(file, kindOf(dirent))
  }
  // If the old name is in use again, its own entry counts.
  if (files.size > 0) for (const name of names) files.delete(name)
  for (const name of kinds.keys()) files.delete(name)
  const all = [...names, ...kinds.keys(), ...files.keys()].sort()
  return { entries: all.map((name) => ({ name, kind: kinds.get(name) ?? 'leaf' })), files }
}

const dot = 46
const leafEntry = (name: string): Entry => ({ name, kind: 'leaf' })
