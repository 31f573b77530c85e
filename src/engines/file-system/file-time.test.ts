import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { tempDir } from '../../../test/support/temp.ts'
import { verifies } from '../../../test/support/verifies.ts'
import { type Clock, heldClock } from '../../kernel/clock.ts'
import { type Disk, realDisk } from './disk.ts'
import { FileSystemTime } from './file-time.ts'
import { Folders } from './folders.ts'
import { Holders } from './holder.ts'
import { Scratch, scratchFolder } from './scratch.ts'
import { SetAside } from './set-aside.ts'

const day = 24 * 60 * 60 * 1000
let root: string
beforeEach(() => {
  root = tempDir()
})

function timeOf(parts: { readonly own?: Clock; readonly held?: Clock; readonly disk?: Disk }): FileSystemTime {
  const { disk = realDisk(), ...clocks } = parts
  const folders = new Folders(disk, root, 0o700, () => {})
  return new FileSystemTime({
    disk,
    scratch: new Scratch(disk, folders, new Holders(disk), new SetAside(disk, folders), 0o600),
    ...clocks,
  })
}

const off = (by: number): Clock => ({ now: () => Date.now() + by })
/** How far from what files say here, which is what this machine's clock says. */
const error = (time: FileSystemTime) => Math.abs(time.now() - Date.now())

const failing = (code: string, step: 'open' | 'write'): Disk => {
  const fail = () => {
    throw Object.assign(new Error(code), { code })
  }
  return { ...realDisk(), [step]: fail }
}

describe('the time of the file system', () => {
  for (const by of [2 * day, -2 * day, 60 * 60 * 1000, 200]) {
    verifies('X-clock', `does not follow a clock that is ${by} ms off`, () => {
      const time = timeOf({ own: off(by) })
      for (let i = 0; i < 100; i++) expect(error(time)).toBeLessThan(100)
    })
  }

  verifies('X-clock', 'does not follow a clock that is set in between', () => {
    let by = 0
    const time = timeOf({ own: { now: () => Date.now() + by } })
    expect(error(time)).toBeLessThan(100)
    for (by of [2 * day, -2 * day, 0]) expect(error(time)).toBeLessThan(100)
  })

  it('is our own clock, to the millisecond, where that agrees', () => {
    let told = 0
    const time = timeOf({ own: { now: () => (told = Date.now()) } })
    for (let i = 0; i < 100; i++) expect(time.now()).toBe(told)
  })

  it('is asked for about once a second, however often somebody wants to know, and leaves nothing behind', () => {
    let asked = 0
    const disk = realDisk()
    const write: Disk['write'] = (...values) => {
      asked++
      return disk.write(...values)
    }
    const counting: Disk = { ...disk, write }
    const startedAt = performance.now()
    const times = [timeOf({ disk: counting }), timeOf({ own: off(day), disk: counting })]
    for (const time of times) for (let i = 0; i < 1000; i++) time.now()
    // On a machine that takes its time with this, some more.
    expect(asked).toBeLessThanOrEqual(2 + 2 * Math.floor((performance.now() - startedAt) / 50))
    expect(readdirSync(join(root, scratchFolder))).toEqual([])
  })

  it('is a clock that is given for it, and then nothing is written', () => {
    const held = heldClock(1000)
    const time = timeOf({ held, own: off(day) })
    expect(time.now()).toBe(1000)
    held.advance(5)
    expect([time.now(), readdirSync(root)]).toEqual([1005, []])
  })

  it('is our own clock where nothing may be written', () => {
    for (const code of ['EROFS', 'EACCES', 'EIO', 'EMFILE']) {
      const disk = realDisk()
      const time = timeOf({ own: heldClock(1000), disk })
      disk.open = failing(code, 'open').open
      expect([code, time.now()]).toEqual([code, 1000])
    }
  })

  verifies('X-clock', 'is known on a full disk too, by a file without a byte', () => {
    for (const code of ['ENOSPC', 'EDQUOT']) {
      const time = timeOf({ own: off(2 * day), disk: failing(code, 'write') })
      expect(error(time)).toBeLessThan(100)
    }
    expect(readdirSync(join(root, scratchFolder))).toEqual([])
  })

  verifies('X-clock', 'goes on as it was when nothing can be written any more', () => {
    const disk = realDisk()
    let by = 2 * day
    const time = timeOf({ own: { now: () => Date.now() + by }, disk })
    expect(error(time)).toBeLessThan(100)
    disk.open = failing('EROFS', 'open').open
    by = 3 * day
    expect(error(time)).toBeLessThan(100)
  })
})
