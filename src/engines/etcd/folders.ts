/** Folders: etcd has none, so each is a key in its parent and a stamp of its own. They are made and never removed. */
import { corrupt } from '../../kernel/errors.ts'
import { parentOf, type TreePath, treeRoot } from '../../kernel/tree-path.ts'
import type { Write } from './commit.ts'
import type { CurrentTurn } from './current-turn.ts'
import { weightOfARead } from './folder-indexes.ts'
import type { Keys } from './keys.ts'
import type { Copies } from './parts.ts'
import type { Requests } from './requests.ts'
import { foundBy, isAbsent, put, revisionOf } from './transaction.ts'
import { printValue } from './value.ts'

export class Folders {
  readonly #requests: Requests
  readonly #keys: Keys
  readonly #indexes: Copies
  readonly #turn: CurrentTurn

  constructor(requests: Requests, keys: Keys, indexes: Copies, turn: CurrentTurn) {
    this.#requests = requests
    this.#keys = keys
    this.#indexes = indexes
    this.#turn = turn
  }

  /** Makes a folder and those above it. May be repeated, so an answer that never comes does no harm. */
  async make(path: TreePath, now: number): Promise<void> {
    for (;;) {
      const chain = chainTo(path)
      const isThere = await this.#requests.areThere([
        ...chain.map((folder) => this.#keys.stamp(folder)),
        ...chain.map((folder) => this.#keys.leaf(folder)),
      ])
      const missing = chain.filter((_, i) => !isThere[i])
      if (missing.length === 0) return
      const leaf = chain.find((folder, i) => folder !== treeRoot && isThere[chain.length + i])
      if (leaf !== undefined) throw notAFolder(leaf)
      const writes = missing.flatMap((folder) => this.#writesFor(folder, now))
      // The folder above got a new name in it, so its stamp must change.
      if (missing[0] !== treeRoot) writes.push(this.#stampFor(parentOf(missing[0]!), now))
      const turn = this.#turn.fence
      const made = await this.#requests.write({
        compare: [
          ...turn.compare,
          ...missing.flatMap((folder) => [
            isAbsent(this.#keys.stamp(folder)),
            ...(folder === treeRoot ? [] : [isAbsent(this.#keys.leaf(folder))]),
          ]),
        ],
        success: writes.map(({ key, value }) => put(key, value!)),
        failure: turn.otherwise,
      })
      if (made && !made.succeeded) this.#turn.expectHeld(foundBy(made)[0])
      if (!made?.succeeded) continue
      for (const write of writes) this.#indexes.take(write, revisionOf(made.header))
      return
    }
  }

  /** Throws if the path is a leaf. A folder that is missing is an empty one. */
  async expectNoLeaf(path: TreePath, isFresh: boolean): Promise<void> {
    if (path === treeRoot) return
    const key = this.#keys.leaf(path)
    const around = isFresh ? undefined : await this.#indexes.current(parentOf(path), weightOfARead)
    if (around ? around.at(key) : (await this.#requests.get([key]))[0]) throw notAFolder(path)
  }

  #writesFor(folder: TreePath, now: number): Write[] {
    const stamp = this.#stampFor(folder, now)
    if (folder === treeRoot) return [stamp]
    return [stamp, { key: this.#keys.folder(folder), value: stamp.value, folder: parentOf(folder) }]
  }

  #stampFor(folder: TreePath, now: number): Write {
    const value = printValue({ modifiedAt: now, changedAt: now, by: 'folder' })
    return { key: this.#keys.stamp(folder), value, folder }
  }
}

/** The root, and every folder from there down to the path. */
function chainTo(path: TreePath): TreePath[] {
  const chain: TreePath[] = [path]
  for (let folder = path; folder !== treeRoot; ) chain.unshift((folder = parentOf(folder)))
  return chain
}

export const notAFolder = (path: TreePath) =>
  corrupt('NOT_A_FOLDER', `A part of the path is a leaf where a folder should be: ${path}.`, {
    hint: 'Move that leaf away, then repeat the command.',
  })
