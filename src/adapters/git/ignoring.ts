/**
 * Files that git ignored when a checkpoint was made are not in it, and a rollback must not take them for new: the rules have
 * changed since, not the files. So a file that was never added, and that the rules of then ignore, stays where it is.
 */
import { pathBytes, type RawPath, shownPath } from '../../kernel/plain-files.ts'
import { changesBetween } from './changes.ts'
import { readBlob } from './keeping.ts'
import { entryOf, indexEntries, parts, putEntries, treeEntries } from './listing.ts'
import { parentOf } from './modes.ts'
import type { Parts } from './parts.ts'

/** A moment at which files were kept. */
interface Moment {
  readonly tree: string
  readonly indexHash: string | undefined
}

interface Options {
  readonly work: RawPath
  /** The tree of the files that are there now. */
  readonly tree: string
  /** The files of it that the rollback would remove. */
  readonly going: readonly RawPath[]
  readonly moment: Moment
}

const rules = '.gitignore'
const isRules = (path: RawPath): boolean => path === rules || path.endsWith(`/${rules}`)

/** Of the files that would go, those that were ignored at that moment. Asks git only where the rules have changed. */
export async function ignoredAt(at: Parts, { work, tree, going, moment }: Options): Promise<Set<RawPath>> {
  const { own, user, place } = at
  const none = new Set<RawPath>()
  if (going.length === 0) return none
  if (!(await changesBetween(at, [tree, moment.tree])).some(({ path }) => isRules(path))) return none
  const entries = await treeEntries(own, place.top, moment.tree)
  const kept = new Set(entries.map(({ path }) => path))
  const added = new Set((await indexEntries(user, place.top)).map(({ path }) => path))
  const asked = going.filter((path) => !added.has(path) && !isBelow(path, kept))
  const files = entries.filter(({ mode, path }) => isRules(path) && mode !== '120000')
  if (asked.length === 0 || files.length === 0) return none

  const name = `${work}/rules-${moment.tree}`
  at.files.makeFolder(name)
  const env = { GIT_INDEX_FILE: shownPath(`${name}-index`) }
  await putEntries(own, place.top, env, files.map(entryOf))
  await own({ args: ['checkout-index', '--all', `--prefix=${shownPath(name)}/`], cwd: place.top, env })
  const { bytes } = await user({
    args: ['check-ignore', '-z', '--stdin', '--no-index'],
    cwd: shownPath(name),
    env: { GIT_WORK_TREE: shownPath(name) },
    // A name can begin with a colon, which would mean something else to git.
    input: pathBytes(asked.map((path) => `./${path}\0`).join('')),
    fine: [1],
  })
  const ignored = new Set(parts(bytes).map((path) => path.slice(2)))
  // A file that the user had added to the index was not ignored, whatever the rules say.
  for (const path of ignored.size === 0 ? [] : await addedAt(at, name, moment)) ignored.delete(path)
  return ignored
}

/** Where the checkpoint has a file, nothing can stay. */
function isBelow(path: RawPath, kept: ReadonlySet<RawPath>): boolean {
  for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder)) if (kept.has(folder)) return true
  return false
}

async function addedAt(at: Parts, name: RawPath, { indexHash }: Moment): Promise<RawPath[]> {
  if (indexHash === undefined) return []
  const index = `${name}-added`
  at.files.writeNew(index, await readBlob(at, indexHash))
  const entries = await indexEntries(at.user, at.place.top, { GIT_INDEX_FILE: shownPath(index) })
  return entries.map(({ path }) => path)
}
