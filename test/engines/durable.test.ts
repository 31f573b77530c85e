/** What is flushed before an answer, at each level: counted, since no test can cut the power. */
import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import type { Durability, MoveOptions } from '../../src/tree/tree.ts'
import { runtime } from '../support/child.ts'
import { steppingDisk } from '../support/stepping-disk.ts'
import { tempDir } from '../support/temp.ts'

const at = treePath
const before = Buffer.from(`status: pending   \n${'x'.repeat(200)}`)
const after = Buffer.from(`status: processing\n${'x'.repeat(200)}`)
/** Which of them it is depends on the runtime. */
const isNaming = /^(rename|renameNew|link)$/

/** A tree, and the steps that decide what survives, each with the file or folder it was about. */
async function noting(durability: Durability) {
  const root = tempDir()
  const steps: string[] = []
  const disk = steppingDisk(realDisk(), (step, values, call) => {
    if (isNaming.test(step)) steps.push('name')
    if (step.startsWith('flush')) steps.push(`${step.replace(/Later$/, '')} ${nameOf(values[0])}`)
    return call()
  })
  const tree = await openFileTree({ root, durability, disk })
  for (const folder of ['a', 'b']) await tree.makeFolder(at(folder))
  // What every tree makes once is not what is counted here.
  await tree.create(at('a/first.md'), before)
  await tree.move(at('a/first.md'), at('b/first.md'))
  await tree.create(at('a/m.md'), before)
  steps.length = 0
  return { tree, steps }
}

function nameOf(fd: unknown): string {
  const path = fs.readlinkSync(`/proc/self/fd/${fd}`)
  if (path.includes('/engine/moves/')) return 'note'
  return fs.fstatSync(Number(fd)).isDirectory() ? (path.split('/').at(-1) ?? '') : 'file'
}

const here = fs.existsSync('/proc/self/fd') ? '' : ' (skipped: there is no /proc to name what is flushed)'
const test = here ? it.skip : it

describe(`before it answers, on ${runtime}${here}`, () => {
  test('a new file is on the disk before it has its name, and its name before the answer', async () => {
    const { tree, steps } = await noting('batch')
    await tree.create(at('a/new.md'), before)
    expect(steps).toEqual(['flushData file', 'name', 'flush a'])
    await tree.close()
  })

  const change = () => after
  const status = { at: 8, bytes: Buffer.from('processing') }
  const moves: [string, Durability, MoveOptions, string[]][] = [
    ['as it is', 'batch', {}, ['flush a', 'flush b']],
    [
      'with a status that says where it lies',
      'batch',
      { change: () => ({ ...status, restates: true }) },
      ['flush a', 'flush b'],
    ],
    ['with other bytes', 'batch', { change }, ['flush a', 'flush b', 'flushData file']],
    ['with an overwrite', 'batch', { change: () => status }, ['flush a', 'flush b', 'flushData file']],
    ['at level full', 'full', { change: () => ({ ...status, restates: true }) }, ['flush a', 'flush b', 'flush file']],
    ['at level process', 'process', { change }, []],
  ]
  for (const [title, durability, options, expected] of moves) {
    test(`a move ${title} has flushed ${expected.join(', ') || 'nothing'}`, async () => {
      const { tree, steps } = await noting(durability)
      expect((await tree.move(at('a/m.md'), at('b/m.md'), options)).outcome).toBe('moved')
      expect(steps.filter((step) => step.startsWith('flush') && !step.endsWith('note')).sort()).toEqual(expected)
      await tree.close()
    })
  }
})

it.each(['at once', 'later'])(
  'a flush that fails after a move that was judged %s closes its file once',
  async (when) => {
    let isFailing = false
    const closed: unknown[] = []
    const disk = steppingDisk(realDisk(), (step, values, call) => {
      if (!isFailing) return call()
      if (step === 'close') closed.push(values[0])
      if (step === 'flush') throw Object.assign(new Error('EIO: flush'), { code: 'EIO' })
      return call()
    })
    const tree = await openFileTree({ root: tempDir(), durability: 'full', disk })
    // Makes the folders that every tree makes once.
    await tree.create(at('a/first.md'), before)
    await tree.move(at('a/first.md'), at('b/first.md'), { touched: true })
    await tree.create(at('a/m.md'), before)
    isFailing = true
    const change = (bytes: Uint8Array) => (when === 'later' ? Promise.resolve(bytes) : bytes)
    await expect(tree.move(at('a/m.md'), at('b/m.md'), { change, touched: true })).rejects.toMatchObject({
      code: 'DISK_ERROR',
    })
    expect(new Set(closed).size).toBe(closed.length)
    isFailing = false
    expect((await tree.list(at('b'))).map(({ name }) => name)).toEqual(['first.md', 'm.md'])
    await tree.close()
  },
)
