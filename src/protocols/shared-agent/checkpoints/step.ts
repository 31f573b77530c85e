/**
 * A checkpoint or a rollback as steps of the journal, plain data. Each finds out what the next one needs, so that a note has one
 * step:
 *
 *   save      makes the commit of what is there. Nothing has changed until it is kept: after a kill it is undone.
 *   keep      the commit becomes the checkpoint. A rollback that it was for begins after this.
 *   place     puts the files of the target in place. What somebody changes meanwhile is saved and kept first, then it goes on.
 *   restore   puts the session in its place. From here on the files are the user's again.
 */
import { isSessionId } from '../names.ts'
import type { BranchStep, WorkTree } from './ports.ts'
import { type CheckpointRecord, numberFrom, objectFrom } from './record.ts'

interface About extends Pick<CheckpointRecord, 'id' | 'name'> {
  readonly session: string
}

export type CheckpointStep =
  | (About & { readonly do: 'save'; readonly rollback?: Rollback })
  | (About & {
      readonly do: 'keep'
      readonly commit: string
      readonly branch?: BranchStep
      readonly rollback?: Rollback
    })
  | (About & { readonly do: 'place'; readonly commit: string; readonly rollback: Begun })
  | (About & { readonly do: 'restore'; readonly commit: string; readonly rollback: Begun })

export interface Rollback {
  readonly to: string
  readonly commit: string
  /** What somebody keeps changing stays as it is. */
  readonly force?: true
  /** What was there before the first file gave way; absent until then. */
  readonly first?: { readonly id: string; readonly commit: string }
  /** The files are in place; the session is not yet. */
  readonly isPlaced?: true
}

/** Files give way, or have given way. */
export type Begun = Rollback & Required<Pick<Rollback, 'first'>>

/** `undefined` for what we would never have written. */
export function stepFrom(value: unknown): CheckpointStep | undefined {
  const step = (value ?? {}) as Partial<Record<string, unknown>>
  const { do: kind, session, id, name, commit, branch, rollback } = step
  const isAbout = typeof session === 'string' && isSessionId(session) && isId(id) && typeof name === 'string'
  const isWhole =
    isAbout &&
    (rollback === undefined || isRollback(rollback)) &&
    (kind === 'save' ||
      (isCommit(commit) &&
        ((kind === 'keep' && (branch === undefined || isBranch(branch))) ||
          ((kind === 'place' || kind === 'restore') && (rollback as Rollback | undefined)?.first !== undefined))))
  return isWhole ? (step as unknown as CheckpointStep) : undefined
}

const isId = (value: unknown): boolean => typeof value === 'string' && numberFrom(value) !== undefined
const isCommit = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{40,64}$/.test(value)

function isRollback(value: unknown): boolean {
  const { to, commit, first } = (value ?? {}) as Partial<Record<string, unknown>>
  const { id, commit: saved } = (first ?? {}) as Partial<Record<string, unknown>>
  return isId(to) && isCommit(commit) && (first === undefined || (isId(id) && isCommit(saved)))
}

function isBranch(value: unknown): boolean {
  const { from, to, work } = (value ?? {}) as Partial<Record<string, unknown>>
  const isEnd = (commit: unknown) => commit === undefined || isCommit(commit)
  return isEnd(from) && isEnd(to) && typeof work === 'string' && /^[0-9a-f]{12}$/.test(work)
}

/** The step that an earlier version has left in the git directory, in the words of that version. */
export function readEarlier(work: Pick<WorkTree, 'readIntent'>): CheckpointStep | 'strange' | undefined {
  const text = work.readIntent()
  if (text === undefined) return undefined
  const { rollback, ...intent } = (objectFrom(text) ?? {}) as Partial<Record<string, unknown>>
  const { placing, ...begun } = (rollback ?? {}) as Partial<Record<string, unknown>>
  const isInPlace = placing !== undefined && (placing as { readonly id?: unknown }).id === intent.id
  const kind = intent.commit === undefined ? 'save' : !isInPlace ? 'keep' : begun.isPlaced ? 'restore' : 'place'
  const first = placing === undefined ? {} : { first: placing }
  return stepFrom({ ...intent, do: kind, ...(rollback ? { rollback: { ...begun, ...first } } : {}) }) ?? 'strange'
}
