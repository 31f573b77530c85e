/**
 * The tree of everything in a work tree as it lies on the disk: tracked or not, as long as git does not ignore it. Bytes are
 * taken as they are, through an index of our own. The user's index is only read.
 */
import { denied, SignalboxError } from '../../kernel/errors.ts'
import { pathBytes, type RawPath, rawPath, shownPath } from '../../kernel/plain-files.ts'
import { printableLine } from '../../kernel/printable.ts'
import {
  entryOf,
  type IndexEntry,
  indexEntries,
  isGitlink,
  leftAlone,
  parts,
  putEntries,
  removalOf,
  standingAt,
  standingRepositories,
  treeEntries,
  untracked,
  workspacesAmong,
} from './listing.ts'
import { type Modes, modesOf } from './modes.ts'
import type { Parts } from './parts.ts'
import { outputLine } from './run.ts'

export interface Capture {
  readonly tree: string
  readonly modes: Modes
  /** Repositories within this one, whose files are not in the tree. With a slash at the end. */
  readonly nested: readonly RawPath[]
  /** Where other workspaces in this work tree have their messages, from the top. Not in the tree either. */
  readonly elsewhere: readonly RawPath[]
  readonly indexed: readonly IndexEntry[]
}

interface CaptureOptions {
  /** The operation's own folder. */
  readonly work: RawPath
  readonly isLeftAlone: (path: RawPath) => boolean
  /** Where another workspace has its messages. Both are paths from the top; the workspace's ends with a slash or is empty. */
  readonly placesOf: (workspace: RawPath) => Promise<readonly RawPath[]>
  /** A tree that is about to be brought back, or compared: what lies where it has files is taken too. */
  readonly target?: string | undefined
}

/** How often to begin again when files come and go during the capture. */
const mostAttempts = 3

export async function captureFiles(at: Parts, options: CaptureOptions): Promise<Capture> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryCapture(at, options, attempt)
    } catch (error) {
      if (attempt === mostAttempts || !(error instanceof SignalboxError) || error.code !== 'GIT_FAILED') throw error
      const unreadable = /open\("(.*)"\): Permission denied/.exec(String(error.details.complaint))?.[1]
      if (unreadable !== undefined) throw closedFile(unreadable)
    }
  }
}

async function tryCapture(at: Parts, options: CaptureOptions, attempt: number): Promise<Capture> {
  const { files, place, user, own, home } = at
  const { work, target } = options
  const top = rawPath(place.top)
  const indexed = await indexEntries(user, place.top)
  const others = await untracked(user, place.top)
  const found = [...indexed.map((entry) => entry.path), ...others.files]
  const targeted = target === undefined ? [] : (await treeEntries(own, place.top, target)).map(({ path }) => path)
  const workspaces = workspacesAmong(files, top, [...found, ...targeted]).filter((folder) => folder !== place.prefix)
  const elsewhere = (await Promise.all(workspaces.map(options.placesOf))).flat()
  const isElsewhere = leftAlone(elsewhere)
  const isLeftAlone = (path: RawPath): boolean => options.isLeftAlone(path) || isElsewhere(path)
  const gitlinks = indexed.filter((entry) => isGitlink(entry) && !isLeftAlone(entry.path))
  const repositories = [...others.nested, ...gitlinks.map(({ path }) => `${path}/`)]
  const standing = standingRepositories(files, top, repositories)
  const isNested = (path: RawPath): boolean => standing.some((folder) => path.startsWith(folder))
  const wanted = new Set(found)
  const inPlace = targeted.filter((path) => !isLeftAlone(path) && !isNested(path))
  for (const path of standingAt(files, top, inPlace)) wanted.add(path)
  for (const path of wanted) if (isLeftAlone(path)) wanted.delete(path)
  const { present, modes } = modesOf(files, top, wanted)
  const links = gitlinks.filter(({ path }) => !present.has(path))

  // Begin with the index of the last capture. It is moved and not copied, because git tells by its modification time which
  // files it must read again. After a failed attempt begin without it: it may be damaged, or name objects that are gone.
  const index = `${work}/index-${attempt}`
  if (files.look(`${home}/index`)) files.rename(`${home}/index`, attempt === 1 ? index : `${work}/old-${attempt}`)
  const env = { GIT_INDEX_FILE: shownPath(index) }
  const known = await own({ args: ['ls-files', '-z'], cwd: place.top, env })
  const gone = parts(known.bytes).filter((path) => !present.has(path))
  const entries = [...gone.map((path) => removalOf(at, path)), ...links.map(entryOf)]
  if (entries.length > 0) await putEntries(own, place.top, env, entries)
  const input = pathBytes([...present].map((path) => `${path}\0`).join(''))
  await own({ args: ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], cwd: place.top, env, input })
  const tree = await outputLine(own, { args: ['write-tree'], cwd: place.top, env })
  files.rename(index, `${home}/index`)
  const submodules = links.map(({ path }) => `${path}/`)
  const nested = [...others.nested.filter((path) => !isLeftAlone(path.slice(0, -1))), ...submodules].sort()
  return { tree, modes, nested, elsewhere, indexed }
}

const closedFile = (path: string): SignalboxError =>
  denied('UNREADABLE_FILE', `A checkpoint cannot be made: this user may not read ${printableLine(path)}.`, {
    hint: 'Make it readable, or name it in .gitignore. Nothing was changed.',
  })
