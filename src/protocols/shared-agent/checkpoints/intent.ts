/**
 * What is under way in a work tree, written down before it begins. It lies in the git directory, where no clone of a
 * repository can bring one along. The next process finishes or undoes it:
 *
 *   no commit yet             nothing was changed: undone
 *   a commit, still saving    the checkpoint is finished; a rollback that it was for did not begin
 *   placing                   the rollback is finished, with what somebody changed in between saved first
 */
import { corrupt } from '../../../kernel/errors.ts'
import type { BranchStep } from './ports.ts'
import { type CheckpointRecord, numberFrom, objectFrom } from './record.ts'

export interface Intent extends Pick<CheckpointRecord, 'id' | 'name'> {
  readonly session: string
  /** Of the checkpoint, once it is made. */
  readonly commit?: string
  readonly branch?: BranchStep
  readonly rollback?: RollbackStep
}

export interface RollbackStep {
  readonly to: string
  readonly commit: string
  /** What somebody keeps changing stays as it is. */
  readonly force?: true
  /** Files are being put in place; this checkpoint has what was there before. */
  readonly placing?: SavedFirst
  /** They are; only the session is not yet. From now on the files are the user's again. */
  readonly isPlaced?: true
}

export interface SavedFirst {
  readonly id: string
  readonly commit: string
}

export const printIntent = (intent: Intent): string => JSON.stringify(intent)

export function parseIntent(text: string): Intent {
  const intent = objectFrom(text) as Partial<Intent> | undefined
  const { session, id, name, rollback } = intent ?? {}
  const isWhole =
    typeof session === 'string' &&
    typeof name === 'string' &&
    typeof id === 'string' &&
    numberFrom(id) !== undefined &&
    (rollback === undefined || (typeof rollback.to === 'string' && typeof rollback.commit === 'string')) &&
    (rollback?.placing === undefined || typeof rollback.placing.commit === 'string')
  if (isWhole) return intent as Intent
  throw corrupt('BAD_INTENT', 'What was under way in this repository cannot be read: .git/signalbox/*/intent.', {
    hint: 'Remove that file, then look at the files and at `#CHECKPOINT:list`.',
  })
}
