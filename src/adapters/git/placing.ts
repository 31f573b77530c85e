/**
 * Brings a work tree back to a checkpoint. git lays out the files in our own folder; this process then puts each in its place
 * by a rename, so that no reader sees half a file, and nothing goes on changing files when this process is killed.
 *
 * A file gives way only if it is, to the last bit of its times, the one that was saved before: see `fingerprints`.
 */
import { conflict, SignalboxError } from '../../kernel/errors.ts'
import { type PlainFiles, type RawPath, rawPath, shownPath } from '../../kernel/plain-files.ts'
import type { Capture } from './capture.ts'
import { changesBetween, type FileChange } from './changes.ts'
import { ignoredAt } from './ignoring.ts'
import type { Kept } from './keeping.ts'
import { entryOf, inTheWay, putEntries, treeEntries } from './listing.ts'
import { modeLookup, parentOf } from './modes.ts'
import type { Parts } from './parts.ts'
import { outputLine } from './run.ts'
import { type IndexLock, indexFile, lockIndex } from './user-index.ts'

/** What is there now, as it was found a moment ago. */
export interface Now {
  readonly tree: string
  readonly indexHash: string | undefined
}

export interface Prepared {
  readonly changes: readonly FileChange[]
  readonly fingerprints: ReadonlyMap<RawPath, string | undefined>
  /** Files that differ in nothing but their permissions. */
  readonly modes: readonly (readonly [RawPath, number])[]
  /** Folders that may have been emptied before a kill. */
  readonly emptied: readonly RawPath[]
  readonly to: Kept
  readonly work: RawPath
  readonly lock: IndexLock
  readonly changesIndex: boolean
  /** Files that another program keeps changing; they are left as they are. */
  readonly left: readonly RawPath[]
}

/** What another program has changed since a moment ago. */
export interface Restless {
  readonly changed: readonly RawPath[]
}

interface Options {
  readonly work: RawPath
  readonly to: Kept
  readonly now: Now
  /** What was there when the rollback began; after a kill some of it is gone already. */
  readonly saved: Kept
  /** What is neither brought back nor removed. */
  readonly isLeftAlone: (path: RawPath) => boolean
  /** What has changed since `now` stays as it is; otherwise nothing is begun. */
  readonly leavesRestless: boolean
  /** Looks again what is there. */
  capture(): Promise<Capture>
}

/** Changes nothing yet but takes the lock of the index. */
export async function prepare(
  at: Parts,
  { work, to, now, saved, isLeftAlone, leavesRestless, capture: lookAgain }: Options,
): Promise<Prepared | Restless> {
  const { place } = at
  const top = rawPath(place.top)
  const differing = (await changesBetween(at, [now.tree, to.tree])).filter(({ path }) => !isLeftAlone(path))
  const going = differing.flatMap(({ path, to: side }) => (side ? [] : [path]))
  const ignored = new Set<RawPath>()
  // After a kill the rules may be those of the checkpoint already, and no longer those of what was there before.
  for (const moment of saved.tree === now.tree ? [to] : [to, saved])
    for (const path of await ignoredAt(at, { work, tree: now.tree, going, moment })) ignored.add(path)
  const changes = differing.filter(({ path }) => !ignored.has(path))
  const fingerprints = new Map(changes.map(({ path }) => [path, fingerprintOf(at, top, path)]))
  for (const { path, from } of changes) if (!from) expectNothing(at, top, path, changes)
  await layOut(at, work, to, changes)
  const lock = await lockIndex(at, work)
  try {
    const capture = await lookAgain()
    const since = capture.tree === now.tree ? [] : await changesBetween(at, [now.tree, capture.tree])
    const isOtherIndex = (await indexHash(at, work)) !== now.indexHash
    if (!leavesRestless && (capture.tree !== now.tree || isOtherIndex)) {
      lock.release()
      return { changed: [...since.map(({ path }) => path), ...(isOtherIndex ? [userIndex] : [])] }
    }
    const restless = since.flatMap(({ path }) => (isLeftAlone(path) || ignored.has(path) ? [] : [path]))
    const modeNow = modeLookup(capture.modes)
    const modeThen = modeLookup(to.about.modes)
    const moved = new Set([...changes.map(({ path }) => path), ...restless])
    const modes = (await treeEntries(at.own, place.top, to.tree)).flatMap(({ path, mode }) => {
      const wanted = modeThen(path, mode)
      const isOther = mode !== '120000' && !moved.has(path) && !isLeftAlone(path) && modeNow(path, mode) !== wanted
      return isOther ? [[path, wanted] as const] : []
    })
    const gone = saved.tree === now.tree ? [] : await changesBetween(at, [saved.tree, to.tree])
    const emptied = gone.flatMap(({ path, to: side }) => (side || isLeftAlone(path) ? [] : [parentOf(path)]))
    const changesIndex = !isOtherIndex && now.indexHash !== to.indexHash
    const left = [...restless, ...(isOtherIndex ? [userIndex] : [])]
    return { changes, fingerprints, modes, emptied, to, work, lock, changesIndex, left }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** How the user's index is named in an answer. */
const userIndex = '.git/index'

/** None for a folder: what is in it has fingerprints of its own, and it can only be removed when it is empty. */
function fingerprintOf({ files }: Parts, top: RawPath, path: RawPath): string | undefined {
  const facts = files.look(`${top}/${path}`)
  return facts?.kind === 'folder' ? undefined : facts?.fingerprint
}

/** A new file needs a free place: nothing there, or what is about to go. */
function expectNothing({ files }: Parts, top: RawPath, path: RawPath, changes: readonly FileChange[]): void {
  for (let part = path; part !== ''; part = parentOf(part))
    if (files.look(`${top}/${part}`)?.kind === 'other') throw inTheWay(part, 'a pipe, socket or device')
  if (files.look(`${top}/${path}`)?.kind !== 'folder') return
  const going = new Set(changes.filter(({ to }) => !to).map((change) => change.path))
  const check = (folder: RawPath): void => {
    for (const name of files.names(`${top}/${folder}`)) {
      const inside = `${folder}/${name}`
      if (files.look(`${top}/${inside}`)?.kind === 'folder') check(inside)
      else if (!going.has(inside)) throw inTheWay(inside, 'not part of any checkpoint')
    }
  }
  check(path)
}

/** By number, so that no name can do harm or be too long. */
async function layOut({ own, place }: Parts, work: RawPath, to: Kept, changes: readonly FileChange[]): Promise<void> {
  const entries = changes.flatMap(({ to: side }, n) => (side ? [entryOf({ ...side, path: String(n) })] : []))
  if (to.indexHash !== undefined) entries.push(entryOf({ mode: '100644', hash: to.indexHash, path: 'index' }))
  const env = { GIT_INDEX_FILE: shownPath(`${work}/out-index`) }
  await putEntries(own, place.top, env, entries)
  await own({ args: ['checkout-index', '--all', `--prefix=${shownPath(work)}/out/`], cwd: place.top, env })
}

/** The hash of the user's index, as it would be kept. */
export async function indexHash(at: Parts, work: RawPath): Promise<string | undefined> {
  const index = await indexFile(at, work)
  if (index === undefined) return undefined
  const args = ['hash-object', '-w', '--no-filters', '--', shownPath(index.path)]
  return outputLine(at.own, { args, cwd: at.place.top })
}

/**
 * Puts everything in place. A file that another program has changed since stays as it is and is answered; unless `leavesRestless`, the
 * first one is thrown as `CHANGED_MEANWHILE`.
 */
export function placeFiles(
  at: Parts,
  { changes, fingerprints, modes, emptied, to, work, left: restless }: Prepared,
  { leavesRestless }: Pick<Options, 'leavesRestless'>,
): RawPath[] {
  const { files, place } = at
  const left = new Set(restless)
  const unlessRestless = (path: RawPath, step: () => void): void => {
    if (left.has(path)) return
    try {
      step()
    } catch (error) {
      if (!leavesRestless || !(error instanceof SignalboxError) || error.code !== 'CHANGED_MEANWHILE') throw error
      left.add(path)
    }
  }
  const top = rawPath(place.top)
  const modeThen = modeLookup(to.about.modes)
  const expectSame = (path: RawPath): void => {
    if (fingerprintOf(at, top, path) !== fingerprints.get(path)) throw changedMeanwhile(path)
  }
  for (const { path, to: side } of changes) {
    if (side || fingerprints.get(path) === undefined) continue
    unlessRestless(path, () => {
      expectSame(path)
      files.remove(`${top}/${path}`)
      removeEmptied(at, top, parentOf(path))
    })
  }
  for (const folder of emptied) removeEmptied(at, top, folder)
  for (const [n, { path, to: side }] of changes.entries()) {
    if (!side) continue
    unlessRestless(path, () => {
      makeFolders(files, top, parentOf(path), modeThen)
      const target = `${top}/${path}`
      if (files.look(target)?.kind !== 'folder') expectSame(path)
      else if (!removeHollow(files, target)) throw changedMeanwhile(path)
      if (side.mode !== '120000') files.setMode(`${work}/out/${n}`, modeThen(path, side.mode))
      files.rename(`${work}/out/${n}`, target)
    })
  }
  for (const [path, mode] of modes)
    if (files.look(`${top}/${path}`)?.kind === 'file') files.setMode(`${top}/${path}`, mode)
  return [...left]
}

/** Folders that have become empty, as git does it; but never the root of the workspace. */
function removeEmptied({ files, place }: Parts, top: RawPath, from: RawPath): void {
  for (let folder = from; folder !== '' && !place.prefix.startsWith(`${folder}/`); folder = parentOf(folder))
    if (!files.removeFolder(`${top}/${folder}`)) return
}

/** Where a file is to be: a folder with nothing in it but folders, which no checkpoint keeps. False: there is more in it. */
function removeHollow(files: PlainFiles, folder: RawPath): boolean {
  for (const name of files.names(folder)) {
    const inside = `${folder}/${name}`
    if (files.look(inside)?.kind === 'folder') removeHollow(files, inside)
  }
  return files.removeFolder(folder)
}

function makeFolders(files: PlainFiles, top: RawPath, folder: RawPath, modeOf: ReturnType<typeof modeLookup>): void {
  if (folder === '') return
  makeFolders(files, top, parentOf(folder), modeOf)
  const path = `${top}/${folder}`
  const facts = files.look(path)
  if (facts?.kind === 'folder') return
  // A link here would lead the file out of the work tree.
  if (facts) throw changedMeanwhile(folder)
  files.makeFolder(path)
  files.setMode(path, modeOf(folder, '040000'))
}

/** The index as it was at the checkpoint. */
export function placeIndex({ to, work, lock, changesIndex }: Prepared): void {
  const { indexModifiedAt } = to.about
  if (changesIndex)
    lock.replace(
      to.indexHash === undefined || indexModifiedAt === undefined
        ? undefined
        : { path: `${work}/out/index`, modifiedAt: indexModifiedAt },
    )
}

const changedMeanwhile = (path: RawPath) =>
  conflict('CHANGED_MEANWHILE', `Somebody changed ${shownPath(path)} while the rollback was under way.`, {
    hint: 'Repeat the rollback when nobody else works on these files; what was there is kept.',
    details: { path: shownPath(path) },
  })
