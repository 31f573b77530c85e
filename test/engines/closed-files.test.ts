/** A file that this user may not read: reading and moving it says whose it is, and leaves it where it was. */
import { chmodSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { strictDisk } from '../support/strict-disk.ts'
import { withTempDir } from '../support/temp.ts'

const [from, to] = [treePath('a/one.md'), treePath('b/one.md')]

describe('a file of somebody else', () => {
  it('is told with its owner, its mode and what to do', () =>
    withTempDir(async (root) => {
      mkdirSync(join(root, 'a'))
      writeFileSync(join(root, 'a/one.md'), 'text')
      chmodSync(join(root, 'a/one.md'), 0)
      const tree = await openFileTree({ root, disk: strictDisk() })
      const told = {
        code: 'PERMISSION_DENIED',
        exit: 6,
        message: expect.stringMatching(
          /^This user may not read .*\/a\/one\.md: it belongs to \S+( \d+)?, with mode 0000\.$/,
        ),
        details: { path: join(root, 'a/one.md'), mode: '0000' },
      }
      await expect(tree.read(from)).rejects.toMatchObject(told)
      await expect(tree.move(from, to, { change: (bytes) => bytes })).rejects.toMatchObject(told)
      expect(readdirSync(join(root, 'a'))).toEqual(['one.md'])
      // Its size and times can be told, and a move as it is needs no reading.
      expect(await tree.look(from)).toMatchObject({ kind: 'leaf', size: 4 })
      expect(await tree.move(from, to)).toMatchObject({ outcome: 'moved' })
      await tree.close()
    }))
})

describe('a file that is larger than what is read whole', () => {
  it('is told by its path; judged by its beginning it moves as it is', () =>
    withTempDir(async (root) => {
      mkdirSync(join(root, 'a'))
      writeFileSync(join(root, 'a/one.md'), 'text')
      truncateSync(join(root, 'a/one.md'), 600 * 1024 * 1024)
      const tree = await openFileTree({ root })
      const told = { code: 'LEAF_TOO_LARGE', message: expect.stringContaining(join(root, 'a/one.md')) }
      await expect(tree.read(from)).rejects.toMatchObject(told)
      await expect(tree.move(from, to, { change: () => Buffer.from('less') })).rejects.toMatchObject(told)
      expect(await tree.look(from)).toMatchObject({ size: 600 * 1024 * 1024 })
      const change = (head: Uint8Array) => (head.length === 5 ? head : Buffer.from('less'))
      expect(await tree.move(from, to, { change, atMost: 5 })).toMatchObject({ outcome: 'moved' })
      expect(await tree.look(to)).toMatchObject({ size: 600 * 1024 * 1024 })
      await tree.close()
    }))

  it('a leaf that was seen whole may change all the same', () =>
    withTempDir(async (root) => {
      const tree = await openFileTree({ root })
      await tree.create(from, 'text')
      await tree.move(from, to, { change: () => Buffer.from('other'), atMost: 5 })
      expect(Buffer.from((await tree.read(to))!.bytes).toString()).toBe('other')
      await tree.close()
    }))
})
