/** A checkpoint as it is recorded, and the rules for its parts. Pure. Shared Agent Protocol, Checkpoint & Rollback Protocol. */
import { parseJson, printJson } from '../../../formats/json.ts'
import { invalidInput, SignalboxError } from '../../../kernel/errors.ts'
import { checkpointTypes } from '../commands/table.ts'

type CheckpointType = (typeof checkpointTypes)[number]

export interface CheckpointRecord {
  readonly id: string
  readonly name: string
  readonly type: CheckpointType
  readonly by: string
  /** In milliseconds, by the tree's time. */
  readonly at: number
  /** `taken`: the id is given away, and is not used again. `undone`: so does an earlier version say that it was never made. */
  readonly state: 'taken' | 'made' | 'undone'
}

export const idOf = (number: number): string => `cp_${String(number).padStart(3, '0')}`

export function numberFrom(id: string): number | undefined {
  const number = Number(/^cp_(\d{3,9})$/.exec(id)?.[1])
  return Number.isNaN(number) || idOf(number) !== id ? undefined : number
}

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
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name) && !reserved.includes(name) && !/^cp_\d+$/.test(name)) return name
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

/** `undefined` for what nobody of us can have written. The file may be a stranger's. */
export function parseRecord(bytes: Uint8Array): CheckpointRecord | undefined {
  const value = objectFrom(bytes)
  const { id, name, type, by, at, state } = (value ?? {}) as Partial<Record<keyof CheckpointRecord, unknown>>
  const isRecord =
    typeof id === 'string' &&
    numberFrom(id) !== undefined &&
    typeof name === 'string' &&
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name) &&
    checkpointTypes.some((known) => known === type) &&
    typeof by === 'string' &&
    typeof at === 'number' &&
    Number.isFinite(at) &&
    (state === 'taken' || state === 'made' || state === 'undone')
  return isRecord ? { id, name, type: type as CheckpointType, by, at, state } : undefined
}

export function objectFrom(bytes: Uint8Array | string): object | undefined {
  try {
    const value = parseJson(bytes, { maxBytes: 64 * 1024, maxDepth: 8 })
    return typeof value === 'object' && value !== null ? value : undefined
  } catch (error) {
    if (error instanceof SignalboxError) return undefined
    throw error
  }
}
