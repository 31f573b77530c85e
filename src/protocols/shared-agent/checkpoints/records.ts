/**
 * The records of a session's checkpoints in one work tree, a leaf each: `WORKTREE/cp_001.json`, and `WORKTREE/rollback.json` for
 * the last rollback. An id is taken by making its leaf, which one process alone can do, and the leaf stays for good.
 */
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import type { Tree } from '../../../tree/tree.ts'
import { shapedIn } from '../shape.ts'
import { type CheckpointRecord, idOf, mostBytes, numberFrom, parseRecord, printRecord } from './record.ts'

export interface LastRollback {
  readonly to: string
  readonly saved: string
  readonly at: number
}

const highest = 1_000_000

export class Records {
  readonly #tree: Tree
  readonly #folder: TreePath

  constructor(tree: Tree, folder: TreePath) {
    this.#tree = tree
    this.#folder = folder
  }

  /** Takes the id after the last one, of those that have a record or are in `used`. */
  async take(record: Omit<CheckpointRecord, 'id'>, used: Iterable<string>): Promise<string> {
    const names = (await this.#tree.list(this.#folder)).map(({ name }) => name.replace(/\.json$/, ''))
    const numbers = new Set([...names, ...used].map((id) => numberFrom(id) ?? 0))
    let last = 0
    // A stranger's file can have any number; far too high ones do not count, they only must not be used again.
    for (const number of numbers) if (number < highest && number > last) last = number
    for (;;) {
      do last++
      while (numbers.has(last))
      const taken = { id: idOf(last), ...record }
      const { outcome } = await this.#tree.create(this.#pathOf(taken.id), printRecord(taken))
      if (outcome === 'created') return taken.id
    }
  }

  async markMade(id: string): Promise<void> {
    await changeLeaf(this.#tree, this.#pathOf(id), (leaf) => {
      const record = leaf && parseRecord(leaf.bytes)
      return record && Buffer.from(printRecord({ ...record, state: 'made' }))
    })
  }

  async read(id: string): Promise<CheckpointRecord | undefined> {
    const leaf = await this.#tree.read(this.#pathOf(id), { atMost: mostBytes })
    const record = leaf && leaf.size <= mostBytes ? parseRecord(leaf.bytes) : undefined
    return record?.id === id ? record : undefined
  }

  async lastRollback(): Promise<LastRollback | undefined> {
    const leaf = await this.#tree.read(this.#rollback, { atMost: mostBytes })
    return shapedIn(leaf?.bytes, { to: 'checkpoint', saved: 'checkpoint', at: 'time' }, mostBytes)
  }

  async noteRollback(rollback: LastRollback): Promise<void> {
    await changeLeaf(this.#tree, this.#rollback, () => Buffer.from(`${JSON.stringify(rollback)}\n`))
  }

  #pathOf = (id: string): TreePath => childOf(this.#folder, `${id}.json`)

  get #rollback(): TreePath {
    return childOf(this.#folder, 'rollback.json')
  }
}
