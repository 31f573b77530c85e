/**
 * Every file-system call of this engine goes through here. Tests wrap it to count the steps, to kill the process between
 * two of them, or to make one fail.
 *
 * Synchronous, because on paths without fsync that is several times faster than promises; only the two flushes
 * that many callers can share have an asynchronous form.
 */
import fs from 'node:fs'

export type Stats = fs.Stats
export type Dirent = fs.Dirent

/** An open folder: the prefix for the names of its files, and its descriptor for calls that take one. */
export interface Folder {
  readonly fd: number
  readonly prefix: string
}

/** A name in an open folder, whether or not a file has it. */
export class FilePlace {
  readonly folder: Folder
  readonly name: string
  #path: string | undefined

  constructor(folder: Folder, name: string) {
    this.folder = folder
    this.name = name
  }

  /** For calls that take a path. Kept, because most places are used twice and joining costs a tenth of a system call. */
  get path(): string {
    this.#path ??= this.folder.prefix + this.name
    return this.#path
  }
}

const anywhere: Folder = { fd: -100, prefix: '' } // AT_FDCWD: the name is the whole path.

/** A place outside the tree: the root itself, or something the system tells in `/proc`. */
export const absolute = (path: string): FilePlace => new FilePlace(anywhere, path)

export interface Disk {
  open(place: FilePlace, flags: number, mode?: number): number
  close(fd: number): void
  read(fd: number, into: Uint8Array, offset: number, length: number, position: number): number
  /** `position` null: at the end of what this descriptor wrote, or at the end of the file with O_APPEND. */
  write(fd: number, bytes: Uint8Array, offset: number, length: number, position: number | null): number
  statOpen(fd: number): Stats
  /** Does not follow a link. `undefined` when there is nothing. */
  stat(place: FilePlace): Stats | undefined
  rename(from: FilePlace, to: FilePlace): void
  link(from: FilePlace, to: FilePlace): void
  unlink(place: FilePlace): void
  makeDirectory(place: FilePlace, mode: number): void
  list(folder: Folder): Dirent[]
  /** Throws, with the code of the system, if this user may not read the file. */
  expectReadable(place: FilePlace): void
  /** The same for making and removing files in a folder. */
  expectWritable(folder: Folder): void
  readLink(path: string): string
  setTimes(place: FilePlace, milliseconds: number): void
  changeMode(fd: number, mode: number): void
  flush(fd: number): void
  flushData(fd: number): void
  flushLater(fd: number): Promise<void>
  flushDataLater(fd: number): Promise<void>
  /**
   * One rename that never replaces, where the system has it. `undefined`: not available (yet), use `link`.
   * `strange`: it failed for another reason; the portable way will fail too and name it.
   */
  renameNew: ((from: FilePlace, to: FilePlace) => 'done' | 'taken' | 'gone' | 'strange') | undefined
  /** Takes the lock of an open file that other programs take by `flock`, if it is free. It ends when the file is closed. */
  lockOpen: ((fd: number) => 'held' | 'busy' | 'strange') | undefined
  /** Swaps two files in one step, where the system has it. */
  exchange: ((a: FilePlace, b: FilePlace) => 'done' | 'gone' | 'strange') | undefined
}

const later = (flush: (fd: number, done: (error: Error | null) => void) => void, fd: number) =>
  new Promise<void>((resolve, reject) => flush(fd, (error) => (error ? reject(error) : resolve())))

const quietStat = { throwIfNoEntry: false } as const

export const realDisk = (): Disk => ({
  open: (place, flags, mode) => fs.openSync(place.path, flags, mode),
  close: fs.closeSync,
  read: (fd, into, offset, length, position) => fs.readSync(fd, into, offset, length, position),
  write: (fd, bytes, offset, length, position) => fs.writeSync(fd, bytes, offset, length, position),
  statOpen: (fd) => fs.fstatSync(fd),
  stat: (place) => fs.lstatSync(place.path, quietStat),
  rename: (from, to) => fs.renameSync(from.path, to.path),
  link: (from, to) => fs.linkSync(from.path, to.path),
  unlink: (place) => fs.unlinkSync(place.path),
  makeDirectory: (place, mode) => {
    fs.mkdirSync(place.path, mode)
  },
  list: (folder) => fs.readdirSync(folder.prefix, { withFileTypes: true }),
  expectReadable: (place) => fs.accessSync(place.path, fs.constants.R_OK),
  expectWritable: (folder) => fs.accessSync(folder.prefix, fs.constants.W_OK | fs.constants.X_OK),
  readLink: (path) => fs.readlinkSync(path),
  setTimes: (place, milliseconds) => fs.lutimesSync(place.path, milliseconds / 1000, milliseconds / 1000),
  changeMode: fs.fchmodSync,
  flush: fs.fsyncSync,
  flushData: fs.fdatasyncSync,
  flushLater: (fd) => later(fs.fsync, fd),
  flushDataLater: (fd) => later(fs.fdatasync, fd),
  renameNew: undefined,
  lockOpen: undefined,
  exchange: undefined,
})

const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_APPEND, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = fs.constants

/** Nothing is ever opened through a link, and a pipe never makes us wait for its other end. */
export const openFlags = {
  read: O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
  change: O_RDWR | O_NOFOLLOW | O_NONBLOCK,
  create: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW,
  append: O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK,
  directory: O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
} as const

export const codeOf = (error: unknown): string | undefined => (error as { code?: string } | undefined)?.code

/** Runs a call; failing with one of these codes answers `undefined`. */
export function unless<T>(codes: readonly string[], call: () => T): T | undefined {
  try {
    return call()
  } catch (error) {
    if (codes.includes(codeOf(error) ?? '')) return undefined
    throw error
  }
}

/** Runs a step and says whether it took place: false when it failed with one of these codes. */
export const did = (codes: readonly string[], step: () => void): boolean =>
  unless(codes, () => {
    step()
    return true
  }) === true
