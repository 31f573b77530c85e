/**
 * Whether a power cut leaves a file under its old name or its new one, never under neither. A rename changes two folders,
 * and only a file system that writes both down together, in a journal or by copying, can promise that.
 */
import fs from 'node:fs'

/** By the number that `statfs` gives: XFS, Btrfs, F2FS. */
const always = new Set([0x58465342, 0x9123683e, 0xf2f52010])
/** ext2, ext3 and ext4 share a number. With a journal they have an entry in here, named after the device. */
const [extended, journals] = [0xef53, '/proc/fs/jbd2']

/** False if it cannot be found out. */
export function renamesAreAtomic(fd: number): boolean {
  try {
    const { type } = fs.statfsSync(`/proc/self/fd/${fd}`)
    if (type !== extended) return always.has(type)
    const device = deviceName(fs.fstatSync(fd).dev)
    return fs.readdirSync(journals).some((name) => name.replace(/-\d+$/, '') === device)
  } catch {
    // Not Linux, or a /proc that does not tell.
    return false
  }
}

/** `vda` for 254:0. */
function deviceName(device: number): string | undefined {
  const major = (device >>> 8) & 0xfff
  const minor = (device & 0xff) | ((device >>> 12) & 0xfff00)
  return fs.readlinkSync(`/sys/dev/block/${major}:${minor}`).split('/').at(-1)
}
