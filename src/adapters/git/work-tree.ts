/** Everything that can be done with a work tree. Only for whoever has the turn on it. */
import { conflict } from '../../kernel/errors.ts'
import { type PlainFiles, type RawPath, shownPath } from '../../kernel/plain-files.ts'
import { type BranchStep, commitOnBranch, dropHeadLocks, moveHead, putOnBranch } from './branch.ts'
import { captureFiles } from './capture.ts'
import { changesBetween, countChanges } from './changes.ts'
import { type Kept, keep, readBlob, readKept } from './keeping.ts'
import { leftAlone } from './listing.ts'
import type { Parts } from './parts.ts'
import { indexHash, type Now, type Prepared, placeFiles, placeIndex, prepare } from './placing.ts'
import { clearIntent, clearWork, openWork, readIntent, writeIntent } from './private-dir.ts'
import { commitAt, headOf } from './progress.ts'
import { expectReady } from './readiness.ts'
import { type CheckpointRef, checkpointRefs, publishRef } from './refs.ts'
import type { Git } from './run.ts'
import { removeOwnLock } from './user-index.ts'

export interface WorkTreeOptions {
  readonly git: Git
  readonly files: PlainFiles
  /** A directory in the repository: the root of the workspace. */
  readonly from: string
  /** Below that directory; neither kept nor brought back. `.signalbox/` never is. */
  readonly leaveAlone: readonly string[]
  /** Also commits on the branch, and moves it back: the literal way of the specification. */
  readonly onBranch: boolean
}

export class WorkTree {
  readonly #at: Parts
  readonly #onBranch: boolean
  readonly #leaveAlone: readonly string[]
  readonly #isLeftAlone: (path: RawPath) => boolean
  readonly #known = new Map<string, Kept>()

  constructor(at: Parts, { leaveAlone, onBranch }: WorkTreeOptions) {
    this.#at = at
    this.#onBranch = onBranch
    this.#leaveAlone = leaveAlone
    this.#isLeftAlone = leftAlone(at.place.prefix, leaveAlone)
  }

  /** Names this work tree; the same as long as it lives, also when it is moved. */
  get id(): string {
    return this.#at.id
  }

  /** What was under way when a process was killed. */
  readIntent = (): string | undefined => readIntent(this.#at.files, this.#at)
  writeIntent = (text: string): void => writeIntent(this.#at.files, this.#at, text)
  clearIntent = (): void => void clearIntent(this.#at.files, this.#at)

  /** Removes temporary files and locks of operations that are over, however they ended. */
  tidyUp(): void {
    removeOwnLock(this.#at)
    clearWork(this.#at.files, this.#at)
  }

  /** After a kill, before anything else: what our own git may have left locked. `commits`: where HEAD was to go. */
  async unlock(commits: readonly string[]): Promise<void> {
    if (!this.#onBranch) return
    const heads = await Promise.all(commits.map(async (commit) => (await this.#kept(commit)).about.head.commit))
    await dropHeadLocks(
      this.#at,
      heads.flatMap((head) => (head === undefined ? [] : [head])),
    )
  }

  /** The commit at HEAD; `undefined` before the first. */
  head = async (): Promise<string | undefined> => (await headOf(this.#at)).commit

  /** Whether the repository has this commit, by its hash or the beginning of it. */
  async knows(commit: string): Promise<boolean> {
    return /^[0-9a-f]{4,64}$/.test(commit) && (await commitAt(this.#at.user, this.#at.place.top, commit)) !== undefined
  }

  /** Makes the commit of a checkpoint. Nobody sees it before `putOnBranch` and `publish`. */
  async save(options: SaveOptions): Promise<Saved> {
    const { message, state, at, target, isOnlyKept = false } = options
    const work = openWork(this.#at.files, this.#at)
    const tree = target === undefined ? undefined : (await this.#kept(target)).tree
    const capture = await captureFiles(this.#at, { work, isLeftAlone: this.#isLeftAlone, target: tree })
    const isOnBranch = this.#onBranch && !isOnlyKept
    const [folders, isLeftAlone] = [this.#leaveAlone, this.#isLeftAlone]
    const next = isOnBranch
      ? await commitOnBranch(this.#at, { work, message, at, folders, isLeftAlone, capture })
      : undefined
    const leaveAlone = this.#leaveAlone
    const kept = await keep(this.#at, { work, message, state, at, capture, leaveAlone, ...(next ? { next } : {}) })
    return {
      commit: kept.commit,
      now: { tree: kept.tree, indexHash: kept.indexHash },
      nested: capture.nested.map(shownPath),
      ...(next ? { branch: next.step } : {}),
    }
  }

  /** Second step of a checkpoint that is also committed on the branch. Twice is fine. */
  putOnBranch = (branch: BranchStep, message: string): Promise<'done' | 'undone'> =>
    putOnBranch(this.#at, branch, message)

  /** Keeps the commit under a name of the session. Twice is fine; 'taken' when the name has another commit. */
  publish = (session: string, name: string, commit: string): Promise<'published' | 'taken'> =>
    publishRef(this.#at, session, name, commit)

  /** What a session has kept, by name. */
  published = (session: string): Promise<ReadonlyMap<string, CheckpointRef>> => checkpointRefs(this.#at, session)

  /** What was handed to `save` as state. */
  async stateOf(commit: string): Promise<Uint8Array> {
    return readBlob(this.#at, (await this.#kept(commit)).stateHash)
  }

  /** What has changed since a checkpoint, file by file, with lines added and deleted since. */
  async changesSince(commit: string): Promise<ChangesSince> {
    const { kept, tree, nested } = await this.#captureFor(commit)
    const isLeftAlone = this.#alwaysLeftAlone(kept)
    const counted = await countChanges(this.#at, [kept.tree, tree])
    const kinds = new Map((await changesBetween(this.#at, [kept.tree, tree])).map((change) => [change.path, change]))
    const files = counted.flatMap(({ path, added, deleted }) => {
      const change = kinds.get(path)
      if (!change || isLeftAlone(path)) return []
      const kind = !change.from ? ('added' as const) : !change.to ? ('deleted' as const) : ('changed' as const)
      return [{ path: shownPath(path), kind, added, deleted }]
    })
    return { files, nested }
  }

  /** Throws what speaks against a rollback; see `readiness.ts`. */
  async expectReady(commit: string, { force }: { readonly force: boolean }): Promise<void> {
    await expectReady(this.#at, (await this.#kept(commit)).about, { force, onBranch: this.#onBranch })
  }

  /** After a kill: what is there now, and whether it has anything that is in neither of two checkpoints. */
  async checkAgain(saved: string, to: string): Promise<Now & { readonly isStrange: boolean }> {
    const { tree, kept, work } = await this.#captureFor(to)
    const before = await this.#kept(saved)
    const fromSaved = new Set((await changesBetween(this.#at, [before.tree, tree])).map(({ path }) => path))
    const fromTarget = await changesBetween(this.#at, [kept.tree, tree])
    const index = await indexHash(this.#at, work)
    const isStrange =
      fromTarget.some(({ path }) => fromSaved.has(path)) || (index !== before.indexHash && index !== kept.indexHash)
    return { tree, indexHash: index, isStrange }
  }

  /** Lays everything out for a rollback, and takes the lock of the index. `undefined`: something has changed since `now`. */
  async prepare(to: string, now: Now, saved: string): Promise<Rollback | undefined> {
    const work = openWork(this.#at.files, this.#at)
    const [kept, { tree }] = [await this.#kept(to), await this.#kept(saved)]
    const [isLeftAlone, isKeptOut] = [this.#alwaysLeftAlone(kept), this.#isLeftAlone]
    const prepared = await prepare(this.#at, { work, to: kept, now, savedTree: tree, isLeftAlone, isKeptOut })
    if (!prepared) return undefined
    return {
      files: prepared.changes.length,
      hasChanges: prepared.changes.length + prepared.modes.length > 0 || prepared.changesIndex,
      place: (message) => this.#place(prepared, message),
    }
  }

  async #place(prepared: Prepared, message: string): Promise<void> {
    try {
      placeFiles(this.#at, prepared)
      placeIndex(prepared)
    } finally {
      prepared.lock.release()
    }
    if (!this.#onBranch) return
    const { commit } = await headOf(this.#at)
    const moved = await moveHead(this.#at, { from: commit, to: prepared.to.about.head.commit }, message)
    if (moved === 'undone') throw headMoved()
  }

  /** By what is configured now, or was when the checkpoint was made. */
  #alwaysLeftAlone({ about }: Kept): (path: RawPath) => boolean {
    const wasLeftAlone = leftAlone(this.#at.place.prefix, about.leaveAlone ?? [])
    return (path) => this.#isLeftAlone(path) || wasLeftAlone(path)
  }

  /** A commit never changes. */
  async #kept(commit: string): Promise<Kept> {
    const known = this.#known.get(commit) ?? (await readKept(this.#at, commit))
    this.#known.set(commit, known)
    return known
  }

  async #captureFor(commit: string): Promise<{ kept: Kept; tree: string; nested: readonly string[]; work: RawPath }> {
    const work = openWork(this.#at.files, this.#at)
    const kept = await this.#kept(commit)
    const options = { work, isLeftAlone: this.#isLeftAlone, target: kept.tree }
    const { tree, nested } = await captureFiles(this.#at, options)
    return { kept, tree, nested: nested.map(shownPath), work }
  }
}

export interface SaveOptions {
  /** The message of the commit. */
  readonly message: string
  readonly state: Uint8Array
  readonly at: number
  /** A checkpoint that is about to be brought back: what lies where it has files is kept too, even if git ignores it. */
  readonly target?: string
  /** Not on the branch, whatever is configured: what a rollback saves first. */
  readonly isOnlyKept?: boolean
}

export interface Saved {
  readonly commit: string
  readonly now: Now
  /** Repositories within this one, which were left alone. */
  readonly nested: readonly string[]
  readonly branch?: BranchStep
}

export interface Rollback {
  /** How many files differ in what git keeps of them. */
  readonly files: number
  /** Files, or the index. */
  readonly hasChanges: boolean
  /** Puts files and index in place, and the branch where that is wanted. */
  place(message: string): Promise<void>
}

export interface ChangesSince {
  readonly files: readonly {
    readonly path: string
    readonly kind: 'added' | 'deleted' | 'changed'
    readonly added: number
    readonly deleted: number
  }[]
  readonly nested: readonly string[]
}

const headMoved = () =>
  conflict('CHANGED_MEANWHILE', 'Somebody moved the branch while the rollback was under way.', {
    hint: 'Repeat the rollback when nobody else works in this repository; what was there is kept.',
  })
