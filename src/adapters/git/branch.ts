/**
 * The literal way of the specification: everything is added to the user's index and committed on the branch, by their own
 * rules for line ends and filters, since other people will see that commit. The checkpoint itself keeps the bytes as they are.
 *
 * Messages, and what Signalbox keeps for itself, stay in the index as the user had them, and in the commit as in the one
 * before. Hooks do not run and nothing is signed.
 */
import { pause } from '../../kernel/clock.ts'
import { conflict } from '../../kernel/errors.ts'
import { pathBytes, type RawPath, rawPath, shownPath } from '../../kernel/plain-files.ts'
import type { Capture } from './capture.ts'
import { type Identity, makeCommit, ourselves } from './keeping.ts'
import { entryOf, indexEntries, putEntries, removalOf, treeEntries } from './listing.ts'
import type { Parts } from './parts.ts'
import { branchOf, commitAt, type Head, headOf, progressOf } from './progress.ts'
import { outputLine } from './run.ts'
import { type IndexFile, lockIndex } from './user-index.ts'

/** A commit that is made and not yet on the branch. Plain data: it goes into a step of the journal. */
export interface BranchStep {
  readonly from: string | undefined
  readonly to: string | undefined
  /** The name of the operation's folder, in which the next index lies until it is in place. */
  readonly work: string
}

interface BranchCommit {
  readonly step: BranchStep
  readonly head: Head
  readonly index: IndexFile
}

interface Options {
  readonly work: RawPath
  readonly message: string
  readonly at: number
  /** Where messages are, from the top. */
  readonly places: readonly RawPath[]
  readonly isLeftAlone: (path: RawPath) => boolean
  readonly capture: Capture
}

/** Takes the lock of the index, which `putOnBranch` releases. */
export async function commitOnBranch(at: Parts, options: Options): Promise<BranchCommit> {
  const { files, place, user } = at
  const { work, message, isLeftAlone, capture } = options
  expectNothingUnderWay(at)
  const lock = await lockIndex(at, work)
  try {
    const head = await headOf(at)
    const next = `${work}/next-index`
    const before = files.look(rawPath(`${place.gitDir}/index`))
    if (before) {
      files.copy(rawPath(`${place.gitDir}/index`), next)
      files.setTime(next, before.modifiedAt)
    }
    const env = { GIT_INDEX_FILE: shownPath(next) }
    const input = pathspecs(options.places, capture.nested)
    await user({ args: ['add', '-A', '--pathspec-from-file=-', '--pathspec-file-nul'], cwd: place.top, env, input })
    const modifiedAt = files.look(next)?.modifiedAt ?? options.at
    const tree = await treeToCommit(at, work, next, head, isLeftAlone)
    const parents = head.commit === undefined ? [] : [head.commit]
    const commit = await makeCommit(at, tree, parents, message, options.at, await identityOf(at))
    const step = { from: head.commit, to: commit, work: work.slice(work.lastIndexOf('/') + 1) }
    return { step, head: { ...head, commit }, index: { path: next, modifiedAt } }
  } catch (error) {
    lock.release()
    throw error
  }
}

function pathspecs(places: readonly RawPath[], nested: readonly RawPath[]): Buffer {
  const literal = [...places, ...nested].map((path) => `:(top,exclude,literal)${path.replace(/\/$/, '')}`)
  const specs = [':(top)', ':(top,exclude,glob)**/.signalbox/**', ...literal]
  return pathBytes(specs.map((spec) => `${spec}\0`).join(''))
}

/** The next index, but with messages as they are in the last commit. */
async function treeToCommit(
  at: Parts,
  work: RawPath,
  next: RawPath,
  head: Head,
  isLeftAlone: (path: RawPath) => boolean,
): Promise<string> {
  const { files, place, user } = at
  const index = `${work}/commit-index`
  files.copy(next, index)
  const env = { GIT_INDEX_FILE: shownPath(index) }
  const staged = await indexEntries(user, place.top, env)
  const committed = head.commit === undefined ? [] : await treeEntries(user, place.top, head.commit)
  const entries = [
    ...staged.flatMap(({ path }) => (isLeftAlone(path) ? [removalOf(at, path)] : [])),
    ...committed.flatMap((entry) => (isLeftAlone(entry.path) ? [entryOf(entry)] : [])),
  ]
  if (entries.length > 0) await putEntries(user, place.top, env, entries)
  return outputLine(user, { args: ['write-tree'], cwd: place.top, env })
}

/** The identity that the user has configured, else our own. */
async function identityOf({ user, place }: Parts): Promise<Identity> {
  const args = ['-c', 'user.useConfigOnly=true', 'var', 'GIT_AUTHOR_IDENT']
  const { bytes } = await user({ args, cwd: place.top, fine: [1, 128] })
  const [, name, email] = /^(.*) <(.*)> \d+ [+-]\d+\s*$/.exec(bytes.toString()) ?? []
  return name !== undefined && email !== undefined && name !== '' ? { name, email } : ourselves
}

/**
 * Puts the next index in place and moves the branch, or finds that this did not begin, or cannot go on. The index comes first: if
 * the process is killed in between, everything is added and not committed, which does no harm.
 */
export async function putOnBranch(
  at: Parts,
  { work: name, ...step }: BranchStep,
  message: string,
): Promise<'done' | 'undone'> {
  const { files, place } = at
  const next = `${at.home}/work/${name}/next-index`
  const found = files.look(next)
  if (found) {
    const lock = rawPath(`${place.gitDir}/index.lock`)
    if (files.look(lock)?.identity !== files.look(`${at.home}/work/${name}/lock`)?.identity) return 'undone'
    files.rename(next, rawPath(`${place.gitDir}/index`))
    files.remove(lock)
  }
  return moveHead(at, step, message)
}

/** Moves the branch, or a detached HEAD, unless another process has moved it. Twice is fine. */
export async function moveHead(
  { user, place }: Parts,
  { from, to }: Omit<BranchStep, 'work'>,
  message: string,
): Promise<'done' | 'undone'> {
  if (from === to) return 'done'
  const log = ['-c', 'core.logAllRefUpdates=true', 'update-ref', '-m', `signalbox: ${message}`]
  const none = '0'.repeat((from ?? to ?? '').length)
  const args = to === undefined ? [...log, '-d', 'HEAD', from!] : [...log, 'HEAD', to, from ?? none]
  const { status } = await user({ args, cwd: place.top, fine: [1, 128] })
  if (status === 0) return 'done'
  return (await commitAt(user, place.top, 'HEAD')) === to ? 'done' : 'undone'
}

/** How long to wait for another git process that holds the branch; it may have outlived its caller. */
const patienceMs = 1000

/**
 * After a kill: removes the locks that our own `update-ref` left on HEAD and its branch, if git was killed too. Only those that
 * are empty or name a commit which we were about to put there, and only when they stay: no git needs so long for a reference.
 */
export async function dropHeadLocks({ files, place, user }: Parts, commits: readonly string[]): Promise<void> {
  const branch = await branchOf({ user, place })
  const locks = [`${place.gitDir}/HEAD.lock`, ...(branch === '' ? [] : [`${place.commonDir}/${branch}.lock`])].map(
    rawPath,
  )
  const isOurs = (lock: RawPath): boolean => {
    const text = Buffer.from(files.read(lock, 1000) ?? '-')
      .toString()
      .trim()
    return text === '' || commits.includes(text)
  }
  for (const startedAt = performance.now(); locks.some((lock) => files.look(lock)); ) {
    if (performance.now() - startedAt > patienceMs) {
      for (const lock of locks) if (isOurs(lock)) files.remove(lock)
      return
    }
    await pause(20)
  }
}

export function expectNothingUnderWay(at: Parts): void {
  const progress = progressOf(at)
  if (progress === 'none') return
  throw conflict('GIT_IN_PROGRESS', `A ${progress} is under way, and checkpoints are committed on the branch here.`, {
    hint: `Finish it or give it up (git ${progress} --abort), then repeat the command.`,
    details: { progress },
  })
}
