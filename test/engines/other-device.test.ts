/**
 * A folder of the tree that is a mount of its own: from another disk, or from the same one (`mount --bind`). The system
 * refuses to rename or link into it from outside, and every promise must hold all the same.
 */
import fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type FilePlace, realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { steppingDisk } from '../support/stepping-disk.ts'
import { tempDir } from '../support/temp.ts'

const at = treePath
const bytes = (text: string) => Buffer.from(text)
const crossing = new Set(['rename', 'link', 'renameNew', 'exchange'])

/** `mounts`: which of the root's folders are mounts; with `sameDevice` the system says that they are on the root's disk. */
function mountedDisk(root: string, { mounts, sameDevice }: { mounts: readonly string[]; sameDevice: boolean }) {
  const mountOf = (fd: number) => {
    const path = fs.readlinkSync(`/proc/self/fd/${fd}`)
    return mounts.findIndex((mount) => `${path}/`.startsWith(`${join(root, mount)}/`))
  }
  return steppingDisk(realDisk(), (step, values, call) => {
    if (crossing.has(step)) {
      const [from, to] = values as [FilePlace, FilePlace]
      if (mountOf(from.folder.fd) !== mountOf(to.folder.fd)) {
        if (step === 'renameNew' || step === 'exchange') return 'strange'
        throw Object.assign(new Error('EXDEV: cross-device link not permitted'), { code: 'EXDEV' })
      }
    }
    const result = call()
    if (step !== 'statOpen' || sameDevice) return result
    return Object.assign(result as fs.Stats, { dev: 1000 + mountOf(values[0] as number) })
  })
}

const cases = [
  { what: 'another disk', sameDevice: false },
  { what: 'the same disk', sameDevice: true },
]

describe.each(cases)('a folder mounted from $what', ({ sameDevice }) => {
  it.each([
    ['into it', 'near/a.md', 'far/a.md'],
    ['out of it', 'far/a.md', 'near/a.md'],
    ['within it', 'far/a.md', 'far/sub/a.md'],
  ])('a message moves %s and is in one place', async (_, from, to) => {
    const root = join(tempDir(), 'root')
    const tree = await openFileTree({ root, disk: mountedDisk(root, { mounts: ['far'], sameDevice }) })
    expect((await tree.create(at(from), bytes('one'))).outcome).toBe('created')
    expect(await tree.move(at(from), at(to), { change: () => bytes('two') })).toMatchObject({ outcome: 'moved' })
    expect([await tree.read(at(from)), Buffer.from((await tree.read(at(to)))!.bytes).toString()]).toEqual([
      undefined,
      'two',
    ])
    // Few enough bytes that they are written in place, and none at all.
    const restates = { at: 0, bytes: bytes('T'), restates: true } as const
    expect(await tree.move(at(to), at(from), { change: () => restates })).toMatchObject({ outcome: 'moved' })
    expect(await tree.move(at(from), at(to))).toMatchObject({ outcome: 'moved' })
    expect([await tree.read(at(from)), Buffer.from((await tree.read(at(to)))!.bytes).toString()]).toEqual([
      undefined,
      'Two',
    ])
    await tree.close()
    const next = await openFileTree({ root, disk: mountedDisk(root, { mounts: ['far'], sameDevice }) })
    expect([await next.read(at(from)), await next.inspect({ within: [at('near'), at('far')] })]).toEqual([
      undefined,
      [],
    ])
    await next.close()
  })
})
