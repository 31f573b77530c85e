/** Plain files by their path, for adapters that work beside the tree. See `kernel/plain-files.ts`. */
import fs from 'node:fs'
import { type FileFacts, type PlainFiles, pathBytes, type RawPath, shownPath } from '../../kernel/plain-files.ts'
import { codeOf } from './disk.ts'
import { explain } from './failures.ts'

/** What `work` gives, or `instead` when it fails for one of these reasons; others are explained. */
function attempt<T, U>(path: RawPath, work: () => T, expected: readonly string[], instead: U): T | U {
  try {
    return work()
  } catch (error) {
    if (expected.includes(codeOf(error) ?? '')) return instead
    throw explain(error, shownPath(path))
  }
}

/** The same for a step: false when it fails for one of these reasons. */
function done(path: RawPath, step: () => void, expected: readonly string[]): boolean {
  const work = () => {
    step()
    return true
  }
  return attempt(path, work, expected, false)
}

const missing = ['ENOENT', 'ENOTDIR']

export const plainFiles: PlainFiles = {
  look: (path) => attempt(path, () => factsOf(fs.lstatSync(pathBytes(path), { bigint: true })), missing, undefined),

  names: (folder) =>
    attempt(
      folder,
      () => fs.readdirSync(pathBytes(folder), { encoding: 'buffer' }).map((name) => name.toString('latin1')),
      missing,
      [],
    ),

  read: (path, atMost) => attempt(path, () => readBounded(path, atMost), missing, undefined),

  writeNew: (path, bytes) =>
    attempt(path, () => fs.writeFileSync(pathBytes(path), bytes, { flag: 'wx' }), [], undefined),

  copy: (from, to) =>
    done(from, () => fs.copyFileSync(pathBytes(from), pathBytes(to), fs.constants.COPYFILE_EXCL), missing),

  link: (from, to) => (done(to, () => fs.linkSync(pathBytes(from), pathBytes(to)), ['EEXIST']) ? 'linked' : 'taken'),

  rename: (from, to) => attempt(to, () => moveOver(from, to), [], undefined),

  remove: (path) => done(path, () => fs.unlinkSync(pathBytes(path)), missing),

  makeFolder: (path) => attempt(path, () => fs.mkdirSync(pathBytes(path)), ['EEXIST'], undefined),

  removeFolder: (path) => done(path, () => fs.rmdirSync(pathBytes(path)), [...missing, 'ENOTEMPTY', 'EEXIST']),

  setMode: (path, mode) => attempt(path, () => fs.chmodSync(pathBytes(path), mode), [], undefined),

  setTime: (path, modifiedAt) =>
    attempt(path, () => fs.utimesSync(pathBytes(path), modifiedAt / 1000, modifiedAt / 1000), [], undefined),
}

function factsOf(found: fs.BigIntStats): FileFacts {
  const kind = found.isFile() ? 'file' : found.isSymbolicLink() ? 'link' : found.isDirectory() ? 'folder' : 'other'
  const identity = `${found.dev}:${found.ino}`
  return {
    kind,
    mode: Number(found.mode & 0o777n),
    modifiedAt: Number(found.mtimeMs),
    identity,
    fingerprint: `${identity}:${found.size}:${found.mode}:${found.mtimeNs}:${found.ctimeNs}`,
  }
}

function readBounded(path: RawPath, atMost: number): Uint8Array {
  const bytes = pathBytes(path)
  // Opened so that neither a link is followed nor a pipe waited for.
  const fd = fs.openSync(bytes, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
  try {
    const buffer = Buffer.alloc(atMost + 1)
    let size = 0
    for (let n = -1; n !== 0 && size <= atMost; size += n) n = fs.readSync(fd, buffer, size, buffer.length - size, null)
    if (size > atMost) throw Object.assign(new Error('too large'), { code: 'EFBIG' })
    return buffer.subarray(0, size)
  } finally {
    fs.closeSync(fd)
  }
}

/**
 * Onto another file system: a copy beside the target first, so that the target is whole at every moment. It has a name of its
 * own, since that of the target may be as long as names can be; the process that goes on after a crash begins with the same one.
 */
function moveOver(from: RawPath, to: RawPath): void {
  try {
    fs.renameSync(pathBytes(from), pathBytes(to))
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error
    const beside = pathBytes(`${to.slice(0, to.lastIndexOf('/') + 1)}.signalbox-arriving`)
    fs.rmSync(beside, { force: true })
    const found = fs.lstatSync(pathBytes(from))
    if (found.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(pathBytes(from), { encoding: 'buffer' }), beside)
    else {
      fs.copyFileSync(pathBytes(from), beside, fs.constants.COPYFILE_EXCL)
      fs.chmodSync(beside, found.mode & 0o777)
    }
    fs.renameSync(beside, pathBytes(to))
    fs.unlinkSync(pathBytes(from))
  }
}
