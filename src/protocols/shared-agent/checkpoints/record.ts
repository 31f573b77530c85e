/** Checkpoints as they are recorded, and the rules for their parts. Shared Agent Protocol §13. */
import { printJson } from '../../../formats/json.ts'
import { invalidInput } from '../../../kernel/errors.ts'
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import type { Tree } from '../../../tree/tree.ts'
import { checkpointTypes } from '../commands/table.ts'
import { isAgentName } from '../names.ts'
import { hasShape, type Of, shapedIn } from '../shape.ts'

const mostBytes = 16 * 1024

const record = {
  id: 'checkpoint',
  name: 'name',
  type: 'manual|auto|milestone',
  by: 'text',
  /** By the tree's time. */
  at: 'time',
  /** `taken`: the id is reserved, and never used again. `undone`: an earlier version's mark for one that was never made. */
  state: 'taken|made|undone',
} as const
export type CheckpointRecord = Of<typeof record>

const lastRollback = { to: 'checkpoint', saved: 'checkpoint', at: 'time' } as const
export type LastRollback = Of<typeof lastRollback>

export const idOf = (number: number): string => `cp_${String(number).padStart(3, '0')}`

export const numberFrom = (id: string): number | undefined =>
  hasShape(id, 'checkpoint') ? Number(id.slice('cp_'.length)) : undefined

/** The specified message of the commit. */
export const commitMessageOf = ({ name, id }: Pick<CheckpointRecord, 'name' | 'id'>): string =>
  `Checkpoint: ${name} [${id}]`

/** Rebuilds a lost record from its commit, which does not tell its maker and its type. */
export function recordFrom(
  id: string,
  { message, at }: { readonly message: string; readonly at: number },
): CheckpointRecord | undefined {
  const [, name] = /^Checkpoint: (\S+) \[(cp_\d+)\]$/.exec(message) ?? []
  return name === undefined || message !== commitMessageOf({ name, id })
    ? undefined
    : { id, name, type: 'manual', by: 'unknown', at, state: 'made' }
}

/** Words behind `#ROLLBACK:` that are no names. */
const reserved = ['status', 'dry-run', 'force']

export function checkName(name: string): string {
  if (isAgentName(name) && !reserved.includes(name) && !/^cp_\d+$/.test(name)) return name
  throw invalidInput('INVALID_CHECKPOINT_NAME', `Not a name for a checkpoint: ${JSON.stringify(name.slice(0, 80))}.`, {
    hint: 'Use at most 64 letters, digits, dots, dashes and underscores, such as before_refactor; not an id such as cp_001.',
  })
}

export function checkType(type: string): CheckpointRecord['type'] {
  const found = checkpointTypes.find((known) => known === type)
  if (found !== undefined) return found
  throw invalidInput('INVALID_CHECKPOINT_TYPE', `Not a type of checkpoint: ${JSON.stringify(type.slice(0, 80))}.`, {
    hint: `Use one of ${checkpointTypes.join(', ')}.`,
  })
}

export const printRecord = (record: CheckpointRecord): string => printJson(record)

/** `undefined` for bytes that are no record: another program may have written the file. */
export const parseRecord = (bytes: Uint8Array): CheckpointRecord | undefined => shapedIn(bytes, record, mostBytes)

const highest = 1_000_000

/** The records of checkpoints in one work tree, a leaf each. An id is taken by making its leaf, which stays for good. */
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
    // A file of another program can have any number. One that is far too high does not raise the next id, but stays taken.
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
    return shapedIn(leaf?.bytes, lastRollback, mostBytes)
  }

  async noteRollback(rollback: LastRollback): Promise<void> {
    await changeLeaf(this.#tree, this.#rollback, () => Buffer.from(`${JSON.stringify(rollback)}\n`))
  }

  #pathOf = (id: string): TreePath => childOf(this.#folder, `${id}.json`)

  get #rollback(): TreePath {
    return childOf(this.#folder, 'rollback.json')
  }
}
