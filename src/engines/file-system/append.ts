/** Whole lines at the end of a file that several processes append to. */
import { type Disk, type FilePlace, openFlags } from './disk.ts'
import { notALeaf } from './failures.ts'
import { writeAll } from './files.ts'

const lineEnd = 10

/**
 * Appends the line and returns the open file. One write with O_APPEND never mixes with another's. If the file does
 * not end in a line end, a crash cut the last line off: ours starts on a new line and the fragment stays. Such a cut can
 * also happen between our check and our write, so we read back where our line landed.
 *
 * `shared`: the file has a second name, perhaps outside the root, so that nothing was written. `replaced`: another
 * file was put in its place meanwhile, and our line is in the old one.
 */
export function appendLine(disk: Disk, place: FilePlace, line: string, mode: number): number | 'shared' | 'replaced' {
  const fd = disk.open(place, openFlags.append, mode)
  let outcome: 'appended' | 'shared' | 'replaced' | undefined
  try {
    outcome = appendTo(disk, fd, place, line)
    return outcome === 'appended' ? fd : outcome
  } finally {
    if (outcome !== 'appended') disk.close(fd)
  }
}

function appendTo(disk: Disk, fd: number, place: FilePlace, line: string): 'appended' | 'shared' | 'replaced' {
  for (let attempt = 0; ; attempt++) {
    const stats = disk.statOpen(fd)
    if (!stats.isFile()) throw notALeaf(place.name)
    if (stats.nlink > 1 && attempt === 0) return 'shared'
    const sizeBefore = stats.size
    const isCut = sizeBefore > 0 && byteAt(disk, fd, sizeBefore - 1) !== lineEnd
    const text = Buffer.from(`${isCut ? '\n' : ''}${line}\n`)
    writeAll(disk, fd, text, null)
    if (attempt > 2 || landedOnItsOwnLine(disk, fd, sizeBefore, text)) break
  }
  const { nlink, ino } = disk.statOpen(fd)
  // Some file systems always count 0 names. So compare which file has the name now.
  return nlink === 0 && disk.stat(place)?.ino !== ino ? 'replaced' : 'appended'
}

export const hasLine = (bytes: Buffer, line: string): boolean =>
  Buffer.concat([Buffer.from('\n'), bytes]).includes(`\n${line}\n`)

function byteAt(disk: Disk, fd: number, position: number): number | undefined {
  const byte = Buffer.alloc(1)
  return disk.read(fd, byte, 0, 1, position) === 1 ? byte[0] : undefined
}

function landedOnItsOwnLine(disk: Disk, fd: number, sizeBefore: number, text: Buffer): boolean {
  if (text[0] === lineEnd) return true
  // Starts at the last byte that was there before: normally a line end, then our line.
  const start = Math.max(0, sizeBefore - 1)
  const readOn = (length: number) => {
    const bytes = Buffer.alloc(length)
    return bytes.subarray(0, disk.read(fd, bytes, 0, length, start))
  }
  const afterLineEnd = Buffer.concat([Buffer.from([lineEnd]), text])
  const wanted = sizeBefore === 0 ? text : afterLineEnd
  if (readOn(wanted.length).equals(wanted)) return true
  const all = readOn(disk.statOpen(fd).size - start)
  return all.includes(afterLineEnd) || (start === 0 && all.indexOf(text) === 0)
}
