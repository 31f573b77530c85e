/** What is in a work tree: files that git knows or would add, and what is left alone. */
import { conflict, corrupt } from '../../kernel/errors.ts'
import { type PlainFiles, pathBytes, type RawPath, rawPath, shownPath } from '../../kernel/plain-files.ts'
import type { Parts } from './parts.ts'
import type { Git } from './run.ts'

export interface IndexEntry {
  readonly mode: string
  readonly hash: string
  readonly stage: string
  readonly path: RawPath
}

export const isGitlink = ({ mode }: Pick<IndexEntry, 'mode'>): boolean => mode === '160000'

/** The parts of an answer that end with NUL, a byte a character. */
export function parts(bytes: Buffer): RawPath[] {
  const all = bytes.toString('latin1').split('\0')
  all.pop()
  return all
}

/** `ls-files --stage`, of the user's index or of ours. */
export async function indexEntries(git: Git, cwd: string, env: Record<string, string> = {}): Promise<IndexEntry[]> {
  const { bytes } = await git({ args: ['ls-files', '--stage', '-z'], cwd, env })
  return parts(bytes).map((line) => {
    const tab = line.indexOf('\t')
    const [mode = '', hash = '', stage = ''] = line.slice(0, tab).split(' ')
    return { mode, hash, stage, path: line.slice(tab + 1) }
  })
}

/** `ls-tree`, files and links only. Throws for a tree whose paths lead out of it: git makes none, but reads one. */
export async function treeEntries(git: Git, cwd: string, tree: string): Promise<IndexEntry[]> {
  const { bytes } = await git({ args: ['ls-tree', '-r', '-z', tree], cwd })
  return parts(bytes).flatMap((line) => {
    const tab = line.indexOf('\t')
    const [mode = '', , hash = ''] = line.slice(0, tab).split(' ')
    const path = line.slice(tab + 1)
    if (path.split('/').some((part) => ['', '.', '..'].includes(part))) throw notACheckpoint(tree)
    return mode === '160000' ? [] : [{ mode, hash, stage: '0', path }]
  })
}

export const notACheckpoint = (object: string) =>
  corrupt('NOT_A_CHECKPOINT', `${object} is no checkpoint, though it stands where one should be.`, {
    hint: 'Somebody has changed a reference below refs/signalbox. Use another checkpoint.',
  })

/** Puts entries into the index that `env` names, each as `MODE HASH\tPATH`; mode 0 takes one out. */
export const putEntries = (git: Git, cwd: string, env: Record<string, string>, entries: readonly string[]) =>
  git({
    args: ['update-index', '-z', '--index-info'],
    cwd,
    env,
    input: pathBytes(entries.map((entry) => `${entry}\0`).join('')),
  })

export const entryOf = ({ mode, hash, path }: Omit<IndexEntry, 'stage'>): string => `${mode} ${hash}\t${path}`

/** The entry that takes a path out of an index. */
export const removalOf = ({ place }: Pick<Parts, 'place'>, path: RawPath): string =>
  entryOf({ mode: '0', hash: '0'.repeat(place.objectFormat === 'sha1' ? 40 : 64), path })

/** Files that git would add, and repositories within this one, which it would not look into. */
export async function untracked(git: Git, cwd: string): Promise<{ files: RawPath[]; nested: RawPath[] }> {
  const { bytes } = await git({ args: ['ls-files', '--others', '--exclude-standard', '-z'], cwd })
  const all = parts(bytes)
  return { files: all.filter((path) => !path.endsWith('/')), nested: all.filter((path) => path.endsWith('/')) }
}

/** Whether there is anything that no commit has: changed, added or new files, but for those that are left alone. */
export async function hasUncommitted(
  { user, place }: Pick<Parts, 'user' | 'place'>,
  isLeftAlone: (path: RawPath) => boolean,
): Promise<boolean> {
  const args = ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all', '--ignore-submodules=all']
  const { bytes } = await user({ args, cwd: place.top })
  return parts(bytes).some((line) => !isLeftAlone(line.slice('XY '.length)))
}

/** Which paths a checkpoint neither keeps nor brings back: messages, and what Signalbox keeps for itself. */
export function leftAlone(places: readonly RawPath[]): (path: RawPath) => boolean {
  const roots = places.map((place) => place.replace(/\/$/, '').toLowerCase())
  return (path) => {
    const folded = path.toLowerCase()
    if (/(^|\/)(\.signalbox|\.git)(\/|$)/.test(folded)) return true
    return roots.some((root) => root === '' || folded === root || folded.startsWith(`${root}/`))
  }
}

/** Folders as they are named below a workspace, by their path from the top. */
export const placesBelow = (workspace: RawPath, folders: readonly string[]): RawPath[] =>
  folders.map((folder) => workspace + rawPath(folder))

/**
 * The folders that hold any of these paths and are a workspace, by what Signalbox leaves there. With a slash at the end; the
 * top is empty.
 */
export function workspacesAmong(files: PlainFiles, top: RawPath, paths: Iterable<RawPath>): RawPath[] {
  const seen = new Set<RawPath>()
  const configured = new Set<RawPath>()
  for (const path of paths) {
    let slash = path.lastIndexOf('/')
    if (path.slice(slash + 1) === 'signalbox.yaml') configured.add(path.slice(0, slash + 1))
    for (; slash > 0 && !seen.has(path.slice(0, slash + 1)); slash = path.lastIndexOf('/', slash - 1))
      seen.add(path.slice(0, slash + 1))
  }
  return [...seen.add('')].filter(
    (folder) => configured.has(folder) || files.look(`${top}/${folder}.signalbox`)?.kind === 'folder',
  )
}

/** Of repositories within this one, those that are there: a submodule need not be. */
export const standingRepositories = (files: PlainFiles, top: RawPath, nested: Iterable<RawPath>): RawPath[] =>
  [...new Set(nested)].filter((path) => files.look(`${top}/${path}.git`))

/**
 * Where a checkpoint has files, what lies there now must be kept before it gives way, also if git ignores it: a file, all
 * files of a folder, or a file or link where a folder is needed.
 */
export function standingAt(files: PlainFiles, top: RawPath, wanted: Iterable<RawPath>): Set<RawPath> {
  const found = new Set<RawPath>()
  const seen = new Set<RawPath>()
  for (const path of wanted) {
    for (let slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
      const folder = path.slice(0, slash)
      if (seen.has(folder)) continue
      seen.add(folder)
      const kind = files.look(`${top}/${folder}`)?.kind
      if (kind === 'file' || kind === 'link') found.add(folder)
    }
    const kind = files.look(`${top}/${path}`)?.kind
    if (kind === 'file' || kind === 'link') found.add(path)
    if (kind === 'folder') for (const inside of filesBelow(files, top, path)) found.add(inside)
  }
  return found
}

function* filesBelow(files: PlainFiles, top: RawPath, folder: RawPath): Generator<RawPath> {
  for (const name of files.names(`${top}/${folder}`)) {
    const path = `${folder}/${name}`
    if (name === '.git') throw inTheWay(folder, 'a repository of its own')
    const kind = files.look(`${top}/${path}`)?.kind
    if (kind === 'folder') yield* filesBelow(files, top, path)
    else if (kind === 'file' || kind === 'link') yield path
    else if (kind === 'other') throw inTheWay(path, 'a pipe, socket or device')
  }
}

export const inTheWay = (path: RawPath, what: string) =>
  conflict('IN_THE_WAY', `The checkpoint has a file where ${shownPath(path)} is now, and that is ${what}.`, {
    hint: 'Move it away, then repeat the rollback. Nothing was changed.',
    details: { path: shownPath(path) },
  })
