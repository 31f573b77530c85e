/**
 * The user's index: kept byte by byte, with conflicts, flags and all, and put back the way git does it, under `index.lock`.
 *
 * The lock is a second name of a file in our own folder. So the next process after a kill knows our lock from that of another
 * git, and removes only ours.
 */
import { pause } from '../../kernel/clock.ts'
import { unavailable } from '../../kernel/errors.ts'
import { type PlainFiles, type RawPath, rawPath, shownPath } from '../../kernel/plain-files.ts'
import type { Parts } from './parts.ts'

const indexOf = ({ place }: Parts): RawPath => rawPath(`${place.gitDir}/index`)
const lockOf = ({ place }: Parts): RawPath => rawPath(`${place.gitDir}/index.lock`)

export interface IndexFile {
  /** A file with its bytes: the index itself, or a copy if it is in two parts. */
  readonly path: RawPath
  /** When it was written, by which git decides which files it must compare by content. */
  readonly modifiedAt: number
}

/** `undefined` when there is none: nothing was ever added. */
export async function indexFile(at: Parts, work: RawPath): Promise<IndexFile | undefined> {
  const { files, place, user } = at
  const path = indexOf(at)
  const found = files.look(path)
  if (found === undefined) return undefined
  const isSplit = files.names(rawPath(place.gitDir)).some((name) => name.startsWith('sharedindex.'))
  if (!isSplit) return { path, modifiedAt: found.modifiedAt }
  // Git deletes the other half some day.
  const whole = `${work}/whole-index`
  if (!files.look(whole)) {
    files.copy(path, whole)
    files.setTime(whole, found.modifiedAt)
    const args = ['-c', 'core.splitIndex=false', 'update-index', '--no-split-index']
    await user({ args, cwd: place.top, env: { GIT_INDEX_FILE: shownPath(whole) } })
  }
  return { path: whole, modifiedAt: found.modifiedAt }
}

/** While it is held, no git changes the index. */
export interface IndexLock {
  /** Puts another index in place: a finished file in our own folder, or none. Its time becomes that of what it is a copy of. */
  replace(next: IndexFile | undefined): void
  release(): void
}

/** How long another git has: most hold the lock for some milliseconds. */
const patienceMs = 2000

export async function lockIndex(at: Parts, work: RawPath): Promise<IndexLock> {
  const { files } = at
  const draft = `${work}/lock`
  files.writeNew(draft, Buffer.alloc(0))
  for (const startedAt = performance.now(); files.link(draft, lockOf(at)) === 'taken'; await pause(20)) {
    if (performance.now() - startedAt > patienceMs) throw indexBusy(lockOf(at))
  }
  return {
    replace(next) {
      if (next === undefined) files.remove(indexOf(at))
      else {
        files.setTime(next.path, next.modifiedAt)
        files.rename(next.path, indexOf(at))
      }
    },
    release: () => void files.remove(lockOf(at)),
  }
}

/** Throws before anything is done, when another git holds the lock for long. */
export async function expectUnlocked(at: Parts): Promise<void> {
  for (const startedAt = performance.now(); at.files.look(lockOf(at)); await pause(20)) {
    if (performance.now() - startedAt > patienceMs) throw indexBusy(lockOf(at))
  }
}

/** Removes a lock that an operation of ours left when it was killed. Before its folder is cleared. */
export function removeOwnLock(at: Parts): void {
  const held = at.files.look(lockOf(at))
  if (held && ownFiles(at.files, `${at.home}/work`).some((path) => at.files.look(path)?.identity === held.identity))
    at.files.remove(lockOf(at))
}

function ownFiles(files: PlainFiles, folder: RawPath): RawPath[] {
  return files.names(folder).flatMap((name) => {
    const path = `${folder}/${name}`
    return files.look(path)?.kind === 'folder' ? ownFiles(files, path) : [path]
  })
}

const indexBusy = (lock: RawPath) =>
  unavailable('INDEX_LOCKED', `Another git is at work in this repository: it holds ${shownPath(lock)}.`, {
    hint: 'Wait until it has ended, then repeat the command. If no git runs, one was killed: remove that file.',
    details: { path: shownPath(lock) },
  })
