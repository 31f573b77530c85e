/**
 * The commit of a checkpoint. Its tree has the files as they lay on the disk, its first parent is what HEAD was. Its last parent is
 * a commit with what else is kept, so that git's own tidying up never takes it:
 *
 *   about.json   where HEAD was, permissions, what was left alone (`CheckpointNote`)
 *   state        the session's state, as it was handed in
 *   index        the bytes of the user's index
 *   staged/      what was added and is in no commit yet, by its hash: the index only names it
 */
import { pathBytes, type RawPath, shownPath } from '../../kernel/plain-files.ts'
import type { Capture } from './capture.ts'
import { type IndexEntry, isGitlink, notACheckpoint, parts } from './listing.ts'
import type { Modes } from './modes.ts'
import type { Parts } from './parts.ts'
import { type Head, headOf, type Progress, progressOf } from './progress.ts'
import { outputLine } from './run.ts'
import { type IndexFile, indexFile } from './user-index.ts'

export interface CheckpointNote {
  readonly version: 1
  readonly head: Head
  readonly progress: Progress
  /** When the index was written; absent where there was none. */
  readonly indexModifiedAt?: number
  readonly modes: Modes
  readonly nested: readonly RawPath[]
  /** Where messages were, below the workspace: the checkpoint does not hold them, and a rollback must not take them for new. */
  readonly leaveAlone?: readonly string[]
  /** Where the messages of other workspaces were; paths from the top of the work tree. */
  readonly elsewhere?: readonly RawPath[]
}

export interface Kept {
  readonly commit: string
  readonly tree: string
  readonly about: CheckpointNote
  readonly indexHash: string | undefined
  readonly stateHash: string
}

interface KeepOptions {
  readonly work: RawPath
  readonly message: string
  readonly state: Uint8Array
  /** In milliseconds. */
  readonly at: number
  readonly capture: Capture
  readonly leaveAlone: readonly string[]
  /** Where HEAD will be, and the index, when they are about to change. */
  readonly next?: { readonly head: Head; readonly index: IndexFile }
}

export async function keep(parts: Parts, options: KeepOptions): Promise<Kept> {
  const { work, message, state, at, capture, leaveAlone, next } = options
  const { files, place, own } = parts
  const head = next?.head ?? (await headOf(parts))
  const index = next?.index ?? (await indexFile(parts, work))
  const about: CheckpointNote = {
    version: 1,
    head,
    progress: progressOf(parts),
    ...(index === undefined ? {} : { indexModifiedAt: index.modifiedAt }),
    modes: capture.modes,
    nested: capture.nested,
    leaveAlone,
    elsewhere: capture.elsewhere,
  }
  files.writeNew(`${work}/about.json`, Buffer.from(JSON.stringify(about)))
  files.writeNew(`${work}/state`, state)
  const sources = [`${work}/about.json`, `${work}/state`, ...(index === undefined ? [] : [index.path])]
  const hashed = await own({
    args: ['hash-object', '-w', '--no-filters', '--stdin-paths'],
    cwd: place.top,
    input: pathBytes(sources.map((path) => `${path}\n`).join('')),
  })
  const [aboutHash = '', stateHash = '', indexHash] = hashed.bytes.toString().trim().split('\n')
  const staged = await keepStaged(parts, head, capture.indexed, index?.path)
  const beside = await makeTree(parts, [
    `100644 blob ${aboutHash}\tabout.json`,
    ...(indexHash === undefined ? [] : [`100644 blob ${indexHash}\tindex`]),
    ...(staged === undefined ? [] : [`040000 tree ${staged}\tstaged`]),
    `100644 blob ${stateHash}\tstate`,
  ])
  const keeper = await makeCommit(parts, beside, [], `Kept with ${message}`, at)
  const parents = [...(head.commit === undefined ? [] : [head.commit]), keeper]
  const commit = await makeCommit(parts, capture.tree, parents, message, at)
  return { commit, tree: capture.tree, about, indexHash, stateHash }
}

/** A tree of the contents that are in the index and in no commit. */
async function keepStaged(
  at: Parts,
  head: Head,
  indexed: readonly IndexEntry[],
  index: RawPath | undefined,
): Promise<string | undefined> {
  const { place, user, own } = at
  const conflicting = indexed.filter(({ stage }) => stage !== '0')
  const hashes = new Set(conflicting.filter((entry) => !isGitlink(entry)).map(({ hash }) => hash))
  if (head.commit === undefined) for (const entry of indexed) if (!isGitlink(entry)) hashes.add(entry.hash)
  if (head.commit !== undefined) {
    const args = ['diff-index', '--cached', '--raw', '--no-renames', '--no-abbrev', '-z', head.commit]
    const env = index === undefined ? {} : { GIT_INDEX_FILE: shownPath(index) }
    const { bytes } = await user({ args, cwd: place.top, env })
    // The parts alternate: what has changed, then the path.
    for (const line of parts(bytes).filter((_, n) => n % 2 === 0)) {
      const [, mode, hash] = /^:\d+ (\d+) [0-9a-f]+ ([0-9a-f]+) /.exec(line) ?? []
      if (hash !== undefined && mode !== '160000' && !/^0+$/.test(hash)) hashes.add(hash)
    }
  }
  if (hashes.size === 0) return undefined
  // The index may name the empty file without its being there (`git add --intent-to-add`).
  await own({ args: ['hash-object', '-w', '--stdin'], cwd: place.top, input: Buffer.alloc(0) })
  const lines = [...hashes].map((hash) => `100644 blob ${hash}\t${hash}`)
  return makeTree(at, lines)
}

async function makeTree({ own, place }: Parts, lines: readonly string[]): Promise<string> {
  const input = Buffer.from(lines.map((line) => `${line}\0`).join(''))
  return outputLine(own, { args: ['mktree', '-z'], cwd: place.top, input })
}

/** Signalbox is the author, so that the user needs no identity; the caller gives the time, so that its record has the same. */
export async function makeCommit(
  { own, place }: Parts,
  tree: string,
  parents: readonly string[],
  message: string,
  at: number,
  by: Identity = ourselves,
): Promise<string> {
  const date = `${Math.floor(at / 1000)} +0000`
  const env = {
    GIT_AUTHOR_NAME: by.name,
    GIT_AUTHOR_EMAIL: by.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: by.name,
    GIT_COMMITTER_EMAIL: by.email,
    GIT_COMMITTER_DATE: date,
  }
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', message]
  return outputLine(own, { args, cwd: place.top, env })
}

export interface Identity {
  readonly name: string
  readonly email: string
}

export const ourselves: Identity = { name: 'Signalbox', email: 'signalbox@localhost' }

export async function readKept({ own, place }: Parts, commit: string): Promise<Kept> {
  // A checkpoint made before the first commit has only one parent.
  const names = ['^{tree}', ...['^2', '^1'].flatMap((parent) => kept.map((name) => `${parent}:${name}`))]
  const input = Buffer.from(names.map((name) => `${commit}${name}\n`).join(''))
  const { bytes } = await own({ args: ['cat-file', '--batch-check=%(objectname)'], cwd: place.top, input })
  const found = bytes.toString().split('\n')
  const [tree, ...hashes] = found.map((line) => (/^[0-9a-f]+$/.test(line) ? line : undefined))
  const [aboutHash, stateHash, indexHash] = hashes[0] === undefined ? hashes.slice(kept.length) : hashes
  if (tree === undefined || aboutHash === undefined || stateHash === undefined) throw notACheckpoint(commit)
  const about = aboutFrom((await readBlob({ own, place }, aboutHash)).toString())
  if (!about) throw notACheckpoint(commit)
  return { commit, tree, about, indexHash, stateHash }
}

/** A stranger can have made the commit: `undefined` for what we would not have written. */
function aboutFrom(text: string): CheckpointNote | undefined {
  try {
    const about = JSON.parse(text) as CheckpointNote
    const { version, head, modes, nested, leaveAlone = [], elsewhere = [] } = about
    const isMode = (mode: unknown) => Number.isInteger(mode) && (mode as number) >= 0 && (mode as number) <= 0o777
    const isRight =
      version === 1 &&
      [head.commit, head.branch].every((name) => name === undefined || typeof name === 'string') &&
      [modes.usual.file, modes.usual.program, modes.usual.folder].every(isMode) &&
      modes.odd.every(([path, mode]) => typeof path === 'string' && isMode(mode)) &&
      [...nested, ...leaveAlone, ...elsewhere].every((path) => typeof path === 'string')
    return isRight ? about : undefined
  } catch {
    // A SyntaxError or TypeError: it is no JSON, or of another shape.
    return undefined
  }
}

const kept = ['about.json', 'state', 'index']

export const readBlob = async ({ own, place }: Pick<Parts, 'own' | 'place'>, hash: string): Promise<Buffer> =>
  (await own({ args: ['cat-file', 'blob', hash], cwd: place.top })).bytes
