/**
 * What checkpoints are made with. Everything runs in one turn of the tree for each work tree (`Tree.exclusively`), so `save` and
 * `restore` take no turn of their own: they read and replace leaves. They may be called for another session than the one that
 * asks, to finish what a killed process began there.
 */
import type { TreePath } from '../../../kernel/tree-path.ts'
import type { Tree } from '../../../tree/tree.ts'
import type { CheckpointRecord } from './record.ts'
import type { RecoveredWork } from './steps.ts'

export interface CheckpointPorts {
  readonly tree: Tree
  /** Where the records of a session's checkpoints are. */
  recordsOf(session: string): TreePath
  /** Where the journal notes what is under way, by the name of the work tree. No clone of a repository knows that name. */
  readonly notes: TreePath
  readonly sessions: {
    /** All that a rollback brings back: keys, variables, tasks. */
    save(session: string): Promise<Uint8Array>
    /**
     * Puts it back in one step, and releases the session's locks: `released` says which and whose. Twice is fine. `undefined`:
     * the state is none of `known`, so another process has changed it since, and it stays.
     */
    restore(
      session: string,
      state: Uint8Array,
      known: readonly Uint8Array[],
    ): Promise<{ readonly keys: number; readonly released: readonly string[] } | undefined>
    /** Throws when `restore` would refuse it. Asked before anything is changed. */
    check?(session: string, state: Uint8Array): Promise<void>
    /** Writes down that a checkpoint or a rollback is over. It may be asked again after a kill. */
    tell?(session: string, done: Done): Promise<void>
  }
  /** The work tree that holds the workspace. Throws where there is none, or no git. */
  workTree(): Promise<WorkTree>
}

export interface Done {
  /** The id of the checkpoint that was made; for a rollback, of the one made before it. */
  readonly id: string
  /** Absent where it is lost. */
  readonly record?: CheckpointRecord
  readonly rolledBackTo: string | undefined
  /** It was left by a killed process. */
  readonly recovered: RecoveredWork | undefined
}

/** What is needed of git; `adapters/git` provides it. */
export interface WorkTree {
  /** Names the work tree. */
  readonly id: string
  /** The step that an earlier version has left under way. */
  readIntent(): string | undefined
  clearIntent(): void
  tidyUp(): void
  unlock(commits: readonly string[]): Promise<void>
  head(): Promise<string | undefined>
  knows(commit: string): Promise<boolean>
  save(options: {
    readonly message: string
    readonly state: Uint8Array
    readonly at: number
    readonly target?: string
    readonly isOnlyKept?: boolean
  }): Promise<Saved>
  putOnBranch(branch: BranchStep, message: string): Promise<'done' | 'undone'>
  publish(session: string, name: string, commit: string): Promise<'published' | 'taken'>
  published(
    session: string,
  ): Promise<ReadonlyMap<string, { readonly commit: string; readonly message: string; readonly at: number }>>
  stateOf(commit: string): Promise<Uint8Array>
  changesSince(commit: string): Promise<ChangesSince>
  expectReady(commit: string, options: { readonly force: boolean }): Promise<void>
  checkAgain(saved: string, to: string): Promise<Now & { readonly isStrange: boolean }>
  /** `saved`: the checkpoint of what was there when the rollback began. `Restless`: nothing is begun. */
  prepare(to: string, now: Now, saved: string, options: LeavesRestless): Promise<PreparedRollback | Restless>
}

/** Files that another program keeps changing stay as they are. */
interface LeavesRestless {
  readonly leavesRestless: boolean
}

/** Files that another program has changed since a moment ago. */
export interface Restless {
  readonly changed: readonly string[]
}

export interface PreparedRollback {
  /** How many files differ. */
  readonly files: number
  /** The rollback overwrites files, and some of those were in no commit. */
  readonly hadChanges: boolean
  /** Puts them in place, and answers those that stayed; unless `leavesRestless`, the first is thrown as `CHANGED_MEANWHILE`. */
  place(message: string, options: LeavesRestless): Promise<readonly string[]>
}

/** What is in the work tree and the index at one moment. */
interface Now {
  readonly tree: string
  readonly indexHash: string | undefined
}

/** A commit on the branch that is made and not in place yet. Plain data. */
export interface BranchStep {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly work: string
}

export interface Saved {
  readonly commit: string
  readonly now: Now
  readonly nested: readonly string[]
  readonly branch?: BranchStep
}

export interface ChangesSince {
  /** `kind`, `added` and `deleted` (lines): since the checkpoint. */
  readonly files: readonly {
    readonly path: string
    readonly kind: 'added' | 'deleted' | 'changed'
    readonly added: number
    readonly deleted: number
  }[]
  /** Repositories within this one, which are left alone. */
  readonly nested: readonly string[]
}
