/** A checkpoint as it is recorded, and the rules for its parts. Pure. Shared Agent Protocol, Checkpoint & Rollback Protocol. */
import { printJson } from '../../../formats/json.ts'
import { invalidInput } from '../../../kernel/errors.ts'
import { checkpointTypes } from '../commands/table.ts'
import { isAgentName } from '../names.ts'
import { hasShape, shapedIn } from '../shape.ts'

/** Of a record. */
export const mostBytes = 16 * 1024

type CheckpointType = (typeof checkpointTypes)[number]

export interface CheckpointRecord {
  readonly id: string
  readonly name: string
  readonly type: CheckpointType
  readonly by: string
  /** In milliseconds, by the tree's time. */
  readonly at: number
  /** `taken`: the id is given away, and is not used again. */
  readonly state: 'taken' | 'made'
}

export const idOf = (number: number): string => `cp_${String(number).padStart(3, '0')}`

export const numberFrom = (id: string): number | undefined =>
  hasShape(id, 'checkpoint') ? Number(id.slice('cp_'.length)) : undefined

/** The specified message of the commit. */
export const messageOf = ({ name, id }: Pick<CheckpointRecord, 'name' | 'id'>): string => `Checkpoint: ${name} [${id}]`

/** The record again, from the commit. Who made it, and of which type it was, only the record knew. */
export function recordFrom(
  id: string,
  { message, at }: { readonly message: string; readonly at: number },
): CheckpointRecord | undefined {
  const [, name] = /^Checkpoint: (\S+) \[(cp_\d+)\]$/.exec(message) ?? []
  return name === undefined || message !== messageOf({ name, id })
    ? undefined
    : { id, name, type: 'manual', by: 'unknown', at, state: 'made' }
}

/** What `#ROLLBACK:` takes for something else than a name. */
const reserved = ['status', 'dry-run', 'force']

export function checkName(name: string): string {
  if (isAgentName(name) && !reserved.includes(name) && !/^cp_\d+$/.test(name)) return name
  throw invalidInput('INVALID_CHECKPOINT_NAME', `Not a name for a checkpoint: ${JSON.stringify(name.slice(0, 80))}.`, {
    hint: 'Use at most 64 letters, digits, dots, dashes and underscores, such as before_refactor; not an id such as cp_001.',
  })
}

export function checkType(type: string): CheckpointType {
  const found = checkpointTypes.find((known) => known === type)
  if (found !== undefined) return found
  throw invalidInput('INVALID_CHECKPOINT_TYPE', `Not a type of checkpoint: ${JSON.stringify(type.slice(0, 80))}.`, {
    hint: `Use one of ${checkpointTypes.join(', ')}.`,
  })
}

export const printRecord = (record: CheckpointRecord): string => printJson(record)

/** `undefined` for what was not written by us. The file may be a stranger's. */
export const parseRecord = (bytes: Uint8Array): CheckpointRecord | undefined => shapedIn(bytes, shape, mostBytes)

const shape = {
  id: 'checkpoint',
  name: 'name',
  type: checkpointTypes.join('|'),
  by: 'text',
  at: 'time',
  state: 'taken|made',
}
