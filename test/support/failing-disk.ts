/** A disk that fails when the test says so. */
import type { Disk } from '../../src/engines/file-system/disk.ts'
import { type StepName, steppingDisk } from './stepping-disk.ts'

/** What people are told of each failure. */
export const expectedCodes: Readonly<Record<string, string>> = {
  ENOSPC: 'DISK_FULL',
  EIO: 'DISK_ERROR',
  EACCES: 'PERMISSION_DENIED',
  EMFILE: 'TOO_MANY_OPEN_FILES',
}

/** A disk that fails once, at step `failAt` counted from `arm`; or for good from there on. */
export function failingDisk(base: Disk, code: string, lasting: boolean, half = false) {
  let step = 0
  let failAt = 0
  const failed: StepName[] = []
  const failure = (name: string) => Object.assign(new Error(`${code}: planted, ${name}`), { code })
  const disk = steppingDisk(base, (name, values, call) => {
    if (failAt === 0 || !(lasting ? ++step >= failAt : ++step === failAt)) return call()
    failed.push(name)
    // A descriptor is closed even when closing reports a failure.
    if (name === 'close') call()
    if (name === 'write' && half) base.write(...halfOf(values as Parameters<Disk['write']>))
    if (name === 'renameNew' || name === 'exchange') return 'strange'
    if (name === 'flushLater' || name === 'flushDataLater') return Promise.reject(failure(name))
    throw failure(name)
  })
  return {
    disk,
    failed,
    steps: () => step,
    arm: (at: number) => {
      step = 0
      failAt = at
    },
    heal: () => {
      failAt = 0
    },
  }
}

const halfOf = ([fd, bytes, offset, length, position]: Parameters<Disk['write']>): Parameters<Disk['write']> => [
  fd,
  bytes,
  offset,
  Math.floor(length / 2),
  position,
]
