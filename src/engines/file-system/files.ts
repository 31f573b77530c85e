/** Whole files in a few calls: read all of one, write all of one. */
import { corrupt } from '../../kernel/errors.ts'
import { type Disk, openFlags, type Stats } from './disk.ts'

/** Nothing of ours comes near; a stranger's file of this size is refused instead of filling the memory. */
export const largestLeaf = 512 * 1024 * 1024

/** Reads from the start of an open file up to `atMost` bytes, whatever its size says: it may be growing. */
export function readOpen(disk: Disk, fd: number, expected: number, atMost: number): Buffer {
  if (expected > largestLeaf && atMost > largestLeaf) {
    throw corrupt('LEAF_TOO_LARGE', `A file of ${expected} bytes is too large to be read as a message.`, {
      hint: 'Move it out of the tree and refer to it by its path instead.',
    })
  }
  let buffer = Buffer.allocUnsafe(Math.min(expected + 1, atMost))
  let length = 0
  for (;;) {
    if (length === buffer.length) {
      if (length >= atMost) return buffer
      const larger = Buffer.allocUnsafe(Math.min(Math.max(buffer.length * 2, 4096), atMost))
      buffer.copy(larger)
      buffer = larger
    }
    const wanted = buffer.length - length
    const count = disk.read(fd, buffer, length, wanted, length)
    length += count
    // An ordinary file gives less than asked for only at its end.
    if (count < wanted) return buffer.subarray(0, length)
  }
}

export function readWhole(disk: Disk, path: string): { bytes: Buffer; stats: Stats } | undefined {
  let fd: number
  try {
    fd = disk.open(path, openFlags.read)
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const stats = disk.statOpen(fd)
    return { bytes: readOpen(disk, fd, stats.size, Number.POSITIVE_INFINITY), stats }
  } finally {
    disk.close(fd)
  }
}

/** Writes all of it; a short write is carried on with. */
export function writeAll(disk: Disk, fd: number, bytes: Uint8Array, position: number | null): void {
  let done = 0
  while (done < bytes.length) {
    done += disk.write(fd, bytes, done, bytes.length - done, position === null ? null : position + done)
  }
}
