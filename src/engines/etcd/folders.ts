/** Folders: etcd has none, so each is a key in its parent and a stamp of its own. They are made and never removed. */
import { corrupt } from '../../kernel/errors.ts'
import { parentOf, type TreePath, treeRoot } from '../../kernel/tree-path.ts'
import type { Entry } from '../../tree/tree.ts'
import type { Write } from './commit.ts'
import type { CurrentTurn } from './current-turn.ts'
import type { FolderIndexes } from './folder-indexes.ts'
import type { Gateway } from './gateway.ts'
import { fromWire, type Keys, wire } from './keys.ts'
import { foundBy, get, isAbsent, put, type RangeAnswer, revisionOf, type TransactionAnswer } from './transaction.ts'
import { printValue } from './value.ts'

const pageSize = 2000

export class Folders {
  readonly #gateway: Gateway
  readonly #keys: Keys
  readonly #indexes: FolderIndexes
  readonly #turn: CurrentTurn

  constructor(gateway: Gateway, keys: Keys, indexes: FolderIndexes, turn: CurrentTurn) {
    this.#gateway = gateway
    this.#keys = keys
    this.#indexes = indexes
    this.#turn = turn
  }

  /** Makes a folder and those above it. May be repeated, so an answer that never comes does no harm. */
  async make(path: TreePath, now: number): Promise<void> {
    for (;;) {
      const chain = chainTo(path)
      const answer = await this.#gateway.read<TransactionAnswer>('/v3/kv/txn', {
        compare: [],
        success: [
          ...chain.map((folder) => get(this.#keys.stamp(folder))),
          ...chain.map((folder) => get(this.#keys.leaf(folder))),
        ],
        failure: [],
      })
      const found = foundBy(answer)
      const missing = chain.filter((_, i) => found[i]!.length === 0)
      if (missing.length === 0) return
      const leaf = chain.find((folder, i) => folder !== treeRoot && found[chain.length + i]!.length > 0)
      if (leaf !== undefined) throw notAFolder(leaf)
      const writes = missing.flatMap((folder) => this.#writesFor(folder, now))
      // The folder above got a new name in it, so its stamp must change.
      if (missing[0] !== treeRoot) writes.push(this.#stampFor(parentOf(missing[0]!), now))
      const turn = this.#turn.fence
      const made = await this.#gateway.write<TransactionAnswer>('/v3/kv/txn', {
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

  async names(folder: TreePath): Promise<Entry[]> {
    const { from, to } = this.#keys.inFolder(folder)
    const entries: Entry[] = []
    let key: string = wire(from)
    let revision: string | undefined
    for (let more = true; more; ) {
      const page = await this.#gateway.readPage<RangeAnswer>({
        key,
        range_end: wire(to),
        keys_only: true,
        limit: `${pageSize}`,
        ...(revision === undefined ? {} : { revision }),
      })
      revision ??= page.header.revision
      for (const { key: found } of page.kvs ?? []) {
        const what = this.#keys.readInFolder(folder, fromWire(found))
        if (what.kind !== 'stamp') entries.push(what)
      }
      more = page.more === true
      const last = page.kvs?.at(-1)
      if (last) key = Buffer.concat([Buffer.from(last.key, 'base64'), Buffer.of(0)]).toString('base64')
    }
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Throws if the path is a leaf. A folder that is missing is an empty one. */
  async expectNoLeaf(path: TreePath): Promise<void> {
    if (path === treeRoot) return
    const { kvs } = await this.#gateway.read<RangeAnswer>('/v3/kv/range', {
      key: wire(this.#keys.leaf(path)),
      keys_only: true,
    })
    if (kvs?.length) throw notAFolder(path)
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
