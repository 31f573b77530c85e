/** Whole files in a few calls: read all of one, write all of one. */
import { codeOf, type Disk, type FilePlace, openFlags, type Stats, unless } from './disk.ts'

/** No message comes near this size. A larger file is not read whole, so that it cannot fill the memory. */
const largestLeaf = 512 * 1024 * 1024

/** The code of the failure to read a larger one; `failures.ts` says which file it is. */
export const leafTooLarge = 'LEAF_TOO_LARGE'

/**
 * The buffer for all reads. Most leaves fit, and are copied to memory of just their size: a large buffer for each would
 * cost more than the read. Reads are synchronous and copy before they return, so one buffer is enough.
 */
const readBuffer = Buffer.allocUnsafeSlow(16 * 1024)

/**
 * Reads a file like `readOpen`, but into the shared buffer, which the next read overwrites. Memory of its own for every
 * message would cost more than everything else about reading it.
 */
export function readShared(disk: Disk, fd: number, expected: number, atMost = Number.POSITIVE_INFINITY): Buffer {
  const wanted = Math.min(readBuffer.length, atMost)
  const length = disk.read(fd, readBuffer, 0, wanted, 0)
  return length < wanted || length === atMost ? readBuffer.subarray(0, length) : readOpen(disk, fd, expected, atMost)
}

/** Calls back with the first bytes of a file (in the shared buffer) and its size. Skips a file that is missing or unreadable. */
export function readHead(
  disk: Disk,
  place: FilePlace,
  atMost: number,
  onHead: (head: Buffer, size: number) => void,
): void {
  const wanted = Math.min(atMost, readBuffer.length)
  let fd: number | undefined
  let [length, size] = [0, 0]
  try {
    fd = disk.open(place, openFlags.read)
    length = disk.read(fd, readBuffer, 0, wanted, 0)
    size = length < wanted ? length : disk.statOpen(fd).size
  } catch {
    // Gone, a link, a pipe, a folder, not ours to read. `read` would say which.
    return
  } finally {
    if (fd !== undefined) disk.close(fd)
  }
  onHead(readBuffer.subarray(0, length), size)
}

/** A copy of bytes that lie in the shared buffer; other bytes as they are. */
export const unshared = (bytes: Uint8Array): Uint8Array =>
  bytes.buffer === readBuffer.buffer ? Buffer.from(bytes) : bytes

/** Reads from the start of an open file up to `atMost` bytes, whatever its size says: it may be growing. */
export function readOpen(disk: Disk, fd: number, expected: number, atMost: number): Buffer {
  if (expected > largestLeaf && atMost > largestLeaf) {
    throw Object.assign(new Error(`A file of ${expected} bytes is not read whole.`), { code: leafTooLarge })
  }
  let wanted = Math.min(readBuffer.length, atMost)
  let length = disk.read(fd, readBuffer, 0, wanted, 0)
  // A regular file gives less than asked for only at its end.
  if (length < wanted || length === atMost) return copyOf(readBuffer, length, length)
  let buffer = copyOf(readBuffer, length, Math.min(Math.max(expected + 1, length * 2), atMost))
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

export function readWhole(disk: Disk, place: FilePlace): { bytes: Buffer; stats: Stats } | undefined {
  const fd = unless(['ENOENT'], () => disk.open(place, openFlags.read))
  if (fd === undefined) return undefined
  try {
    const stats = disk.statOpen(fd)
    return { bytes: readOpen(disk, fd, stats.size, Number.POSITIVE_INFINITY), stats }
  } finally {
    disk.close(fd)
  }
}

/** What opening fails with for things that are no regular file. */
const notPlain = ['ELOOP', 'ENXIO', 'EISDIR', 'ENODEV', 'EAGAIN', 'ENOTDIR']

/**
 * Reads a small file that may be a stranger's: only a regular file of at most `most` bytes. Never waits, never follows a link.
 */
export function readSmall(
  disk: Disk,
  place: FilePlace,
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

/** Writes all bytes, or the first `length`, in several calls if the system writes fewer than asked. */
export function writeAll(
  disk: Disk,
  fd: number,
  bytes: Uint8Array,
  position: number | null,
  length = bytes.length,
): void {
  let done = 0
  while (done < length) done += disk.write(fd, bytes, done, length - done, position === null ? null : position + done)
}

/** The buffer in which text becomes bytes before it is written: one for all writes. */
const writeBuffer = Buffer.allocUnsafeSlow(64 * 1024)
const bytesEach = 3

/** Writes all of a content, text as UTF-8. */
export function writeContent(disk: Disk, fd: number, content: Uint8Array | string): void {
  if (typeof content !== 'string') writeAll(disk, fd, content, null)
  else if (content.length * bytesEach > writeBuffer.length) writeAll(disk, fd, Buffer.from(content), null)
  else writeAll(disk, fd, writeBuffer, null, writeBuffer.write(content))
}
