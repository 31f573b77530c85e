import { describe, expect, it } from 'vitest'
import { treePath } from '../../kernel/tree-path.ts'
import type { Disk, Stats } from './disk.ts'
import type { Folders } from './folders.ts'
import { GroupCommit } from './group-commit.ts'

const folder = treePath('a')

/** A disk whose flushes end when the test says so. */
function slowDisk() {
  const flushes: { fd: number; end: () => void; fail: (error: Error) => void }[] = []
  const flushLater = (fd: number) =>
    new Promise<void>((end, fail) => {
      flushes.push({ fd, end, fail })
    })
  const folders = { at: (path: string) => ({ fd: path.charCodeAt(0) }) } as unknown as Folders
  // No file system has this device, so nothing is known of its renames.
  const statOpen = () => ({ dev: -1 }) as Stats
  return { flushes, commit: new GroupCommit({ flushLater, statOpen } as unknown as Disk, folders) }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('flushing folders together', () => {
  it('flushes once for all who changed the folder before the flush began', async () => {
    const { flushes, commit } = slowDisk()
    const waiting = [commit.flushed(folder), commit.flushed(folder), commit.flushed(folder)]
    await turn()
    expect(flushes).toHaveLength(1)
    flushes[0]!.end()
    await Promise.all(waiting)
  })

  it('counts a flush under way for nobody who came after it began', async () => {
    const { flushes, commit } = slowDisk()
    const first = commit.flushed(folder)
    await turn()
    let isSafe = false
    const late = commit.flushed(folder).then(() => {
      isSafe = true
    })
    flushes[0]!.end()
    await first
    await turn()
    expect([flushes.length, isSafe]).toEqual([2, false])
    flushes[1]!.end()
    await late
  })

  it('tells a failure to those who shared the flush and to nobody else', async () => {
    const { flushes, commit } = slowDisk()
    const failing = [1, 2].map(() => commit.flushed(folder).catch((error: Error) => error.message))
    await turn()
    const late = commit.flushed(folder)
    flushes[0]!.fail(new Error('EIO'))
    expect(await Promise.all(failing)).toEqual(['EIO', 'EIO'])
    await turn()
    flushes[1]!.end()
    await late
  })

  it('lets no folder wait for another', async () => {
    const { flushes, commit } = slowDisk()
    const waiting = [commit.flushed(folder), commit.flushed(treePath('b'))]
    await turn()
    expect(flushes.map(({ fd }) => String.fromCharCode(fd))).toEqual(['a', 'b'])
    for (const { end } of flushes) end()
    await Promise.all(waiting)
  })

  it('flushes the target of a move first where a rename may reach the disk by halves', async () => {
    const { flushes, commit } = slowDisk()
    const moved = commit.moved(folder, treePath('b'))
    await turn()
    expect(flushes.map(({ fd }) => String.fromCharCode(fd))).toEqual(['b'])
    flushes[0]!.end()
    await turn()
    await turn()
    expect(flushes.map(({ fd }) => String.fromCharCode(fd))).toEqual(['b', 'a'])
    flushes[1]!.end()
    await moved
  })
})
