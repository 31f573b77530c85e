/**
 * Our own corner of a work tree's git directory, `.git/signalbox/WORKSPACE/`, one for each directory in it that is the root of
 * a workspace:
 *
 *   id          a name for this work tree and workspace, made up once; it moves along with the repository
 *   git/        a git directory that shares the objects and nothing else: no configuration, hooks, filters or attributes of
 *               the user's count in it, so that bytes go in and out as they are
 *   index       what the last capture found, so that the next one reads only what has changed since
 *   intent      what an earlier version left under way
 *   work/NAME/  one operation's own files. Never the same name twice: a git that outlived its killed caller may still
 *               write there.
 *
 * In the directory of the work tree, not the common one: it goes when a linked work tree is removed.
 */
import { createHash, randomBytes } from 'node:crypto'
import { type PlainFiles, type RawPath, rawPath, shownPath } from '../../kernel/plain-files.ts'
import type { RepositoryPlace } from './locate.ts'
import type { Git } from './run.ts'

/**
 * `info/attributes` beats every `.gitattributes`. An encoding can only be left unspecified: git refuses `-` for it.
 * `diff` too, since a driver would be a program.
 */
const attributes = '* -text -crlf -eol -ident -filter !working-tree-encoding !diff !merge\n'

const configFor = (objectFormat: string): string =>
  [
    '[core]',
    `\trepositoryFormatVersion = ${objectFormat === 'sha1' ? 0 : 1}`,
    '\tbare = false',
    '\tautocrlf = false',
    '\tsafecrlf = false',
    '\teol = lf',
    '\tfileMode = true',
    '\tsymlinks = true',
    '\tignoreCase = false',
    '\tprecomposeUnicode = false',
    '\tprotectHFS = false',
    '\tprotectNTFS = false',
    '\tuntrackedCache = false',
    '\tsplitIndex = false',
    ...(objectFormat === 'sha1' ? [] : ['[extensions]', `\tobjectFormat = ${objectFormat}`]),
    '',
  ].join('\n')

interface PrivateDir {
  readonly home: RawPath
  /** Names this work tree. */
  readonly id: string
}

/** Makes what is missing. Twice, also at once, is fine. */
export function openPrivateDir(files: PlainFiles, { gitDir, prefix, objectFormat }: RepositoryPlace): PrivateDir {
  const all = rawPath(`${gitDir}/signalbox`)
  files.makeFolder(all)
  // One for each workspace: a turn on its tree does not keep the processes of another workspace out.
  const home = `${all}/${prefix === '' ? 'top' : createHash('sha256').update(prefix).digest('hex').slice(0, 12)}`
  for (const folder of ['', '/git', '/git/info', '/git/objects', '/git/refs', '/work']) files.makeFolder(home + folder)
  keepText(files, `${home}/git/HEAD`, 'ref: refs/heads/none\n')
  keepText(files, `${home}/git/config`, configFor(objectFormat))
  keepText(files, `${home}/git/info/attributes`, attributes)
  return { home, id: idOf(files, home) }
}

function idOf(files: PlainFiles, home: RawPath): string {
  for (;;) {
    const id = textOf(files.read(`${home}/id`, 100))
    if (/^[0-9a-f]{8}$/.test(id ?? '')) return id!
    if (id !== undefined) files.remove(`${home}/id`)
    // Not in `work/`: the process that has its turn by now clears that, and an id is made before there is a turn.
    const draft = `${home}/id.${newName()}`
    files.writeNew(draft, Buffer.from(randomBytes(4).toString('hex')))
    files.link(draft, `${home}/id`)
    files.remove(draft)
  }
}

/** Makes a file say this, whole or not at all. */
function keepText(files: PlainFiles, path: RawPath, text: string): void {
  if (textOf(files.read(path, 100_000)) === text) return
  const draft = `${path}.${newName()}`
  files.writeNew(draft, Buffer.from(text))
  files.rename(draft, path)
}

const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString()

const newName = (): string => randomBytes(6).toString('hex')

const mostIntent = 64 * 1024

export const readIntent = (files: PlainFiles, { home }: PrivateDir): string | undefined =>
  textOf(files.read(`${home}/intent`, mostIntent))

export const clearIntent = (files: PlainFiles, { home }: PrivateDir): boolean => files.remove(`${home}/intent`)

export function openWork(files: PlainFiles, { home }: PrivateDir): RawPath {
  const work = `${home}/work/${newName()}`
  files.makeFolder(work)
  return work
}

/**
 * Removes what operations left. Only for the process that has the turn: then every other folder belongs to a dead process. A
 * git that still runs there loses its folder and fails, as it should.
 */
export function clearWork(files: PlainFiles, { home }: PrivateDir): void {
  for (const name of files.names(`${home}/work`)) removeAll(files, `${home}/work/${name}`)
}

function removeAll(files: PlainFiles, path: RawPath): void {
  if (files.look(path)?.kind !== 'folder') files.remove(path)
  else {
    for (const name of files.names(path)) removeAll(files, `${path}/${name}`)
    files.removeFolder(path)
  }
}

/** git that sees the user's files and objects, and nothing else of theirs. */
export const asOurselves = (git: Git, place: RepositoryPlace, { home }: PrivateDir): Git => {
  const own = shownPath(home)
  const env = {
    GIT_DIR: `${own}/git`,
    GIT_WORK_TREE: place.top,
    GIT_OBJECT_DIRECTORY: `${place.commonDir}/objects`,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    HOME: `${own}/git`,
    XDG_CONFIG_HOME: `${own}/git`,
  }
  return (call) => git({ ...call, env: { ...env, ...call.env } })
}
