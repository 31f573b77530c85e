/** Everything that can be done with a work tree. Only for the process that has the turn on it. */
import { conflict } from '../../kernel/errors.ts'
import { type PlainFiles, type RawPath, rawPath, shownPath } from '../../kernel/plain-files.ts'
import { type BranchStep, commitOnBranch, dropHeadLocks, moveHead, putOnBranch } from './branch.ts'
import { type Capture, captureFiles } from './capture.ts'
import { changesBetween, countChanges } from './changes.ts'
import { ignoredAt } from './ignoring.ts'
import { type Kept, keep, readBlob, readKept } from './keeping.ts'
import { hasUncommitted, leftAlone, placesBelow, standingRepositories } from './listing.ts'
import type { Parts } from './parts.ts'
import { indexHash, type Now, type Prepared, placeFiles, placeIndex, prepare } from './placing.ts'
import { clearIntent, clearWork, openWork, readIntent } from './private-dir.ts'
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
  /** The same of another workspace in this work tree, by its directory. */
  readonly leaveAloneIn?: (directory: string) => Promise<readonly string[]>
  /** Also commits on the branch, and moves it back: the literal way of the specification. */
  readonly onBranch: boolean
}

export class WorkTree {
  readonly #at: Parts
  readonly #onBranch: boolean
  readonly #leaveAlone: readonly string[]
  readonly #leaveAloneIn: NonNullable<WorkTreeOptions['leaveAloneIn']>
  readonly #known = new Map<string, Kept>()
  /** What the last capture found: places that are left alone besides our own. */
  #found: Pick<Capture, 'nested' | 'elsewhere'> = { nested: [], elsewhere: [] }

  constructor(at: Parts, { leaveAlone, leaveAloneIn = async () => [], onBranch }: WorkTreeOptions) {
    this.#at = at
    this.#onBranch = onBranch
    this.#leaveAlone = leaveAlone
    this.#leaveAloneIn = leaveAloneIn
  }

  /** Names this work tree; the same as long as it lives, also when it is moved. */
  get id(): string {
    return this.#at.id
  }

  /** What an earlier version left under way. */
  readIntent = (): string | undefined => readIntent(this.#at.files, this.#at)
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
    const known = heads.filter((head) => head !== undefined)
    await dropHeadLocks(this.#at, known)
  }

  /** The commit at HEAD; `undefined` before the first. */
  head = async (): Promise<string | undefined> => (await headOf(this.#at)).commit

  /** Whether the repository has this commit, by its hash or the beginning of it. */
  async knows(commit: string): Promise<boolean> {
    return /^[0-9a-f]{4,64}$/.test(commit) && (await commitAt(this.#at.user, this.#at.place.top, commit)) !== undefined
  }

  /** Makes the commit of a checkpoint, which no reference names before `putOnBranch` and `publish`. */
  async save(options: SaveOptions): Promise<Saved> {
    const { message, state, at, target, isOnlyKept = false } = options
    const work = openWork(this.#at.files, this.#at)
    const to = target === undefined ? undefined : await this.#kept(target)
    const capture = await this.#capture(work, to?.tree)
    const isOnBranch = this.#onBranch && !isOnlyKept
    const places = [...this.#places, ...capture.elsewhere]
    const next = isOnBranch
      ? await commitOnBranch(this.#at, { work, message, at, places, isLeftAlone: leftAlone(places), capture })
      : undefined
    const leaveAlone = this.#leaveAlone
    const kept = await keep(this.#at, { work, message, state, at, capture, leaveAlone, ...(next ? { next } : {}) })
    return {
      commit: kept.commit,
      now: { tree: kept.tree, indexHash: kept.indexHash },
      nested: this.#nested(to),
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
    const { kept, tree, work } = await this.#captureFor(commit)
    const isLeftAlone = this.#alwaysLeftAlone(kept)
    const counted = await countChanges(this.#at, [kept.tree, tree])
    const changes = await changesBetween(this.#at, [kept.tree, tree])
    const kinds = new Map(changes.map((change) => [change.path, change]))
    const going = changes.flatMap(({ path, from }) => (from ? [] : [path]))
    const ignored = await ignoredAt(this.#at, { work, tree, going, moment: kept })
    const files = counted.flatMap(({ path, added, deleted }) => {
      const change = kinds.get(path)
      if (!change || isLeftAlone(path) || ignored.has(path)) return []
      const kind = !change.from ? ('added' as const) : !change.to ? ('deleted' as const) : ('changed' as const)
      return [{ path: shownPath(path), kind, added, deleted }]
    })
    return { files, nested: this.#nested(kept) }
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

  /**
   * Lays everything out for a rollback, and takes the lock of the index. `changed`: what another program has changed since `now`;
   * `leavesRestless`: that stays as it is, and the rollback goes on.
   */
  async prepare(
    to: string,
    now: Now,
    saved: string,
    { leavesRestless }: { readonly leavesRestless: boolean },
  ): Promise<Rollback | { readonly changed: readonly string[] }> {
    const work = openWork(this.#at.files, this.#at)
    const [kept, before] = [await this.#kept(to), await this.#kept(saved)]
    const isLeftAlone = this.#alwaysLeftAlone(kept)
    const capture = () => this.#capture(work, kept.tree)
    const options = { work, to: kept, now, saved: before, isLeftAlone, leavesRestless, capture }
    const prepared = await prepare(this.#at, options)
    if ('changed' in prepared) return { changed: prepared.changed.map(shownPath) }
    const { changes, modes, changesIndex } = prepared
    const hasChanges = changes.length + modes.length > 0 || changesIndex
    return {
      files: changes.length,
      hadChanges: hasChanges && (await hasUncommitted(this.#at, isLeftAlone)),
      place: (message, placing) => this.#place(prepared, message, placing),
    }
  }

  async #place(
    prepared: Prepared,
    message: string,
    placing: { readonly leavesRestless: boolean },
  ): Promise<readonly string[]> {
    let left: readonly RawPath[]
    try {
      left = placeFiles(this.#at, prepared, placing)
      placeIndex(prepared)
    } finally {
      prepared.lock.release()
    }
    if (this.#onBranch) {
      const { commit } = await headOf(this.#at)
      const moved = await moveHead(this.#at, { from: commit, to: prepared.to.about.head.commit }, message)
      if (moved === 'undone') throw headMoved()
    }
    return left.map(shownPath)
  }

  /** Where this workspace has its messages, from the top. */
  get #places(): RawPath[] {
    return placesBelow(this.#at.place.prefix, this.#leaveAlone)
  }

  /** By what is configured and found now, or was when the checkpoint was made. After a capture. */
  #alwaysLeftAlone(kept: Kept): (path: RawPath) => boolean {
    const { leaveAlone = [], elsewhere = [] } = kept.about
    const then = [...placesBelow(this.#at.place.prefix, leaveAlone), ...elsewhere]
    const isMessage = leftAlone([...this.#places, ...this.#found.elsewhere, ...then])
    const repositories = this.#repositories(kept)
    return (path) => isMessage(path) || repositories.some((folder) => path.startsWith(folder))
  }

  /** Those that are there, and that git sees as such, now or when the checkpoint was made. */
  #repositories({ about }: Kept): RawPath[] {
    const { files, place } = this.#at
    return standingRepositories(files, rawPath(place.top), [...this.#found.nested, ...about.nested])
  }

  /** What is left alone as a repository of its own, for people. */
  #nested(kept?: Kept): string[] {
    const all = new Set([...this.#found.nested, ...(kept ? this.#repositories(kept) : [])])
    return [...all].sort().map(shownPath)
  }

  async #capture(work: RawPath, target: string | undefined): Promise<Capture> {
    const { place } = this.#at
    const capture = await captureFiles(this.#at, {
      work,
      target,
      isLeftAlone: leftAlone(this.#places),
      placesOf: async (workspace) =>
        placesBelow(workspace, await this.#leaveAloneIn(shownPath(`${rawPath(place.top)}/${workspace}`))),
    })
    this.#found = capture
    return capture
  }

  /** A commit never changes. */
  async #kept(commit: string): Promise<Kept> {
    const known = this.#known.get(commit) ?? (await readKept(this.#at, commit))
    this.#known.set(commit, known)
    return known
  }

  async #captureFor(commit: string): Promise<{ kept: Kept; tree: string; work: RawPath }> {
    const work = openWork(this.#at.files, this.#at)
    const kept = await this.#kept(commit)
    const { tree } = await this.#capture(work, kept.tree)
    return { kept, tree, work }
  }
}

interface SaveOptions {
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

interface Rollback {
  /** How many files differ in what git keeps of them. */
  readonly files: number
  /** Something gives way, and something was in no commit. */
  readonly hadChanges: boolean
  /** Puts files and index in place, and the branch where that is wanted. Answers what stayed because another program keeps changing it. */
  place(message: string, options: { readonly leavesRestless: boolean }): Promise<readonly string[]>
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
