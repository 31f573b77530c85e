/** A disk on which the mode of a file counts for root too, as it does for everybody else: tests often run as root. */
import { type Disk, realDisk } from '../../src/engines/file-system/disk.ts'
import { isCreating, steppingDisk } from './stepping-disk.ts'

const ownerMayRead = 0o400

export function strictDisk(disk: Disk = realDisk()): Disk {
  return steppingDisk(disk, (step, values, call) => {
    if (step !== 'open' || isCreating(step, values)) return call()
    const [place] = values as Parameters<Disk['open']>
    const stats = typeof place === 'string' ? undefined : disk.stat(place)
    if (stats?.isFile() && (stats.mode & ownerMayRead) === 0) {
      throw Object.assign(new Error('EACCES: permission denied, open'), { code: 'EACCES' })
    }
    return call()
  })
}
