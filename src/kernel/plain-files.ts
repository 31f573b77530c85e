/**
 * Files by their path, for adapters that work on a directory which is not a tree, such as the one of a git repository. The
 * file-system engine implements it; `main.ts` hands it in.
 *
 * A path is its bytes, one character each (`latin1`): names in a repository need not be UTF-8. `rawPath` and `shownPath`
 * translate. No call follows a link at the end of a path.
 */
export type RawPath = string

/** A path as the system knows it, from text. */
export const rawPath = (text: string): RawPath => Buffer.from(text).toString('latin1')

/** A path as people read it; bytes that are not UTF-8 become replacement characters. */
export const shownPath = (path: RawPath): string => Buffer.from(path, 'latin1').toString()

/** The bytes of a path, for the input of a program. */
export const pathBytes = (path: RawPath): Buffer => Buffer.from(path, 'latin1')

export interface FileFacts {
  readonly kind: 'file' | 'link' | 'folder' | 'other'
  /** The permission bits, 0o777 at most. */
  readonly mode: number
  readonly modifiedAt: number
  /** Names the file itself: two paths with the same one are two names of one file. */
  readonly identity: string
  /** Differs when the file was written, replaced or its mode changed in between. */
  readonly fingerprint: string
}

export interface PlainFiles {
  /** Missing, also when a part of the path is no folder: `undefined`. */
  look(path: RawPath): FileFacts | undefined
  /** The names in a folder; none when there is no such folder. */
  names(folder: RawPath): RawPath[]
  /** The bytes of a small file. Missing: `undefined`. Longer than `atMost`: throws. */
  read(path: RawPath, atMost: number): Uint8Array | undefined
  /** Writes a file that is not there. */
  writeNew(path: RawPath, bytes: Uint8Array): void
  /** Copies a file to a path where nothing is. False when there is nothing to copy. */
  copy(from: RawPath, to: RawPath): boolean
  /** Gives a file a second name. 'taken' when something has that name. */
  link(from: RawPath, to: RawPath): 'linked' | 'taken'
  /** Moves a file or link, and replaces what file or link is there. */
  rename(from: RawPath, to: RawPath): void
  /** Removes a file or link. False when it was not there. */
  remove(path: RawPath): boolean
  /** Makes one folder. One that is there is fine. */
  makeFolder(path: RawPath): void
  /** Removes an empty folder. False when it is not empty, or not there. */
  removeFolder(path: RawPath): boolean
  setMode(path: RawPath, mode: number): void
  setTime(path: RawPath, modifiedAt: number): void
}
