/** Whole files in a few calls: read all of one, write all of one. */
import { corrupt } from '../../kernel/errors.ts'
import { codeOf, type Disk, openFlags, type Place, type Stats } from './disk.ts'

/** Nothing of ours comes near; a stranger's file of this size is refused instead of filling the memory. */
export const largestLeaf = 512 * 1024 * 1024

/**
 * Where every read lands first. Most leaves fit, and then get memory of just their size: a new page for each would cost
 * more than the read. Reads are synchronous and copy before they return, so one for all is enough.
 */
const landing = Buffer.allocUnsafeSlow(16 * 1024)

/**
 * Reads a whole file like `readOpen`, into memory that the next read overwrites: for those who are done with it by then.
 * Memory of its own for every message is the dearest thing about reading it.
 */
export function readFleeting(disk: Disk, fd: number): Buffer {
  const length = disk.read(fd, landing, 0, landing.length, 0)
  return length < landing.length ? landing.subarray(0, length) : readOpen(disk, fd, landing.length, largestLeaf)
}

/** The first bytes of a file, in the same memory. `undefined` for what is not there or is nothing to be read from. */
export function headOf(disk: Disk, place: Place, atMost: number): Buffer | undefined {
  let fd: number | undefined
  try {
    fd = disk.open(place, openFlags.read)
    return landing.subarray(0, disk.read(fd, landing, 0, Math.min(atMost, landing.length), 0))
  } catch {
    // Gone, a link, a pipe, a folder, not ours to read: whoever wants to know why reads it alone.
    return undefined
  } finally {
    if (fd !== undefined) disk.close(fd)
  }
}

/** The same bytes in memory that nobody overwrites. */
export const keepable = (bytes: Uint8Array): Uint8Array =>
  bytes.buffer === landing.buffer ? Buffer.from(bytes) : bytes

/** Reads from the start of an open file up to `atMost` bytes, whatever its size says: it may be growing. */
export function readOpen(disk: Disk, fd: number, expected: number, atMost: number): Buffer {
  if (expected > largestLeaf && atMost > largestLeaf) {
    throw corrupt('LEAF_TOO_LARGE', `A file of ${expected} bytes is too large to be read as a message.`, {
      hint: 'Move it out of the tree and refer to it by its path instead.',
    })
  }
  let wanted = Math.min(landing.length, atMost)
  let length = disk.read(fd, landing, 0, wanted, 0)
  // An ordinary file gives less than asked for only at its end.
  if (length < wanted || length === atMost) return copyOf(landing, length, length)
  let buffer = copyOf(landing, length, Math.min(Math.max(expected + 1, length * 2), atMost))
  for (;;) {
    wanted = buffer.length - length
    const count = disk.read(fd, buffer, length, wanted, length)
    length += count
    if (count < wanted || length === atMost) return buffer.subarray(0, length)
    buffer = copyOf(buffer, length, Math.min(length * 2, atMost))
  }
}

function copyOf(bytes: Buffer, length: number, size: number): Buffer {
  const copy = Buffer.allocUnsafe(size)
  bytes.copy(copy, 0, 0, length)
  return copy
}

export function readWhole(disk: Disk, place: Place): { bytes: Buffer; stats: Stats } | undefined {
  let fd: number
  try {
    fd = disk.open(place, openFlags.read)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
  try {
    const stats = disk.statOpen(fd)
    return { bytes: readOpen(disk, fd, stats.size, Number.POSITIVE_INFINITY), stats }
  } finally {
    disk.close(fd)
  }
}

/** What opening answers for things that are no ordinary file. */
const notPlain = ['ELOOP', 'ENXIO', 'EISDIR', 'ENODEV', 'EAGAIN', 'ENOTDIR']

/**
 * A small file that may be anybody's: only an ordinary one of at most so many bytes is read. Never waits, never follows
 * a link.
 */
export function readSmall(
  disk: Disk,
  place: Place,
  most: number,
): { readonly bytes: Buffer; readonly stats: Stats } | 'bad-kind' | 'bad-size' | 'unreadable' | undefined {
  let fd: number
  try {
    fd = disk.open(place, openFlags.read)
  } catch (error) {
    const code = codeOf(error) ?? ''
    if (code === 'ENOENT') return undefined
    if (notPlain.includes(code)) return 'bad-kind'
    if (code === 'EACCES' || code === 'EPERM') return 'unreadable'
    throw error
  }
  try {
    const stats = disk.statOpen(fd)
    if (!stats.isFile()) return 'bad-kind'
    if (stats.size > most) return 'bad-size'
    return { bytes: readOpen(disk, fd, stats.size, most), stats }
  } finally {
    disk.close(fd)
  }
}

/** Writes all of it; a short write is carried on with. */
export function writeAll(disk: Disk, fd: number, bytes: Uint8Array, position: number | null): void {
  writeFirst(disk, fd, bytes, bytes.length, position)
}

function writeFirst(disk: Disk, fd: number, bytes: Uint8Array, length: number, position: number | null): void {
  let done = 0
  while (done < length) done += disk.write(fd, bytes, done, length - done, position === null ? null : position + done)
}

/** Where text becomes bytes before it is written, for the same reason that reads have their landing. */
const takeOff = Buffer.allocUnsafeSlow(64 * 1024)
const bytesEach = 3

/** Writes all of a content, text as UTF-8. */
export function writeContent(disk: Disk, fd: number, content: Uint8Array | string): void {
  if (typeof content !== 'string') writeAll(disk, fd, content, null)
  else if (content.length * bytesEach > takeOff.length) writeAll(disk, fd, Buffer.from(content), null)
  else writeFirst(disk, fd, takeOff, takeOff.write(content), null)
}
