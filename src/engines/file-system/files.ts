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

/** Writes the bytes from `start` to `end` over those at the same place. */
export function writePart(disk: Disk, fd: number, bytes: Uint8Array, start: number, end: number): void {
  for (let at = start; at < end; ) at += disk.write(fd, bytes, at, end - at, at)
}

/** Writes all of it; a short write is carried on with. */
export function writeAll(disk: Disk, fd: number, bytes: Uint8Array, position: number | null): void {
  let done = 0
  while (done < bytes.length) {
    done += disk.write(fd, bytes, done, bytes.length - done, position === null ? null : position + done)
  }
}
