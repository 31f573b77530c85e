/**
 * A checkpoint or a rollback as steps of the journal, plain data. Each finds out what the next one needs, so that a note has one
 * step:
 *
 *   save      makes the commit of what is there. Nothing has changed until it is kept: after a kill it is undone.
 *   keep      the commit becomes the checkpoint. A rollback that it was for begins after this.
 *   place     puts the files of the target in place. What another program changes meanwhile is saved and kept first.
 *   restore   puts the session in its place. From here on the files are the user's again.
 */
import { readJson } from '../../../formats/plain-data.ts'
import { hasShape, type Shape } from '../shape.ts'
import type { BranchStep, WorkTree } from './ports.ts'
import type { CheckpointRecord } from './record.ts'

interface About extends Pick<CheckpointRecord, 'id' | 'name'> {
  readonly session: string
}

export type CheckpointStep =
  | (About & { readonly do: 'save'; readonly rollback?: RollbackStep })
  | (About & {
      readonly do: 'keep'
      readonly commit: string
      readonly branch?: BranchStep
      readonly rollback?: RollbackStep
    })
  | (About & { readonly do: 'place'; readonly commit: string; readonly rollback: Begun })
  | (About & { readonly do: 'restore'; readonly commit: string; readonly rollback: Begun })

export interface RollbackStep {
  readonly to: string
  readonly commit: string
  /** Files that another program keeps changing stay as they are. */
  readonly force?: true
  /** The checkpoint made before the first file was overwritten; absent until then. */
  readonly first?: { readonly id: string; readonly commit: string }
  /** The files are in place; the session is not yet. */
  readonly isPlaced?: true
}

/** The files are being overwritten, or have been. */
export type Begun = RollbackStep & Required<Pick<RollbackStep, 'first'>>

const about = { session: 'name', id: 'checkpoint', name: 'text' }
const kept = { ...about, commit: 'commit' }
const target = { to: 'checkpoint', commit: 'commit' }
const first = { id: 'checkpoint', commit: 'commit' }
const shapes: Readonly<Record<string, Shape>> = {
  save: about,
  keep: kept,
  place: { ...kept, rollback: { ...target, first } },
  restore: { ...kept, rollback: { ...target, first } },
}

/** `undefined` for a value that is no step. */
export function stepFrom(value: unknown): CheckpointStep | undefined {
  const { do: kind, branch, rollback } = (value ?? {}) as Partial<Record<string, unknown>>
  const begun = (rollback as Partial<Begun> | undefined)?.first
  const isWhole =
    typeof kind === 'string' &&
    Object.hasOwn(shapes, kind) &&
    hasShape(value, shapes[kind]!) &&
    (rollback === undefined || hasShape(rollback, target)) &&
    (begun === undefined || hasShape(begun, first)) &&
    (branch === undefined || hasShape(branch, { from: 'commit?', to: 'commit?', work: 'work' }))
  return isWhole ? (value as CheckpointStep) : undefined
}

/** The step that an earlier version left in the git directory, in the form of that version. */
export function readEarlier(work: Pick<WorkTree, 'readIntent'>): CheckpointStep | 'strange' | undefined {
  const text = work.readIntent()
  if (text === undefined) return undefined
  const { rollback, ...intent } = readJson(objectIn, text) ?? {}
  const { placing, ...begun } = objectIn(rollback) ?? {}
  const isInPlace = placing !== undefined && objectIn(placing)?.id === intent.id
  const kind = intent.commit === undefined ? 'save' : !isInPlace ? 'keep' : begun.isPlaced ? 'restore' : 'place'
  const first = placing === undefined ? {} : { first: placing }
  return stepFrom({ ...intent, do: kind, ...(rollback ? { rollback: { ...begun, ...first } } : {}) }) ?? 'strange'
}

const objectIn = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
