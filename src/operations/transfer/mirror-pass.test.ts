import { expect, it } from 'vitest'
import { tempDir } from '../../../test/support/temp.ts'
import * as outside from '../../engines/file-system/outside.ts'
import { openMemoryTree } from '../../engines/memory/index.ts'
import { heldClock } from '../../kernel/clock.ts'
import { unavailable } from '../../kernel/errors.ts'
import { type TreePath, treePath, treeRoot } from '../../kernel/tree-path.ts'
import type { Tree } from '../../tree/tree.ts'
import type { Context } from '../define.ts'
import { Mirror } from './mirror-pass.ts'

it('a folder in which the tree fell silent is mirrored by the next pass of the folder above', async () => {
  const [source, target] = [await openMemoryTree(), await openMemoryTree()]
  const [folder, leaf] = [treePath('post/new'), treePath('post/new/task.md')]
  await source.create(leaf, Buffer.from('text'))
  let isSilent = true
  const list = source.list.bind(source) as (path: TreePath, options?: { times: true }) => Promise<never>
  const failing: Tree = Object.assign(source, {
    list(path: TreePath, options?: { times: true }) {
      if (path === folder && isSilent) throw unavailable('SILENT', 'The cluster does not answer.')
      return list(path, options)
    },
  })
  const context = {
    outside,
    clock: heldClock(0),
    configuration: async () => ({ engine: 'etcd://somewhere/team' }),
    tree: async () => failing,
    openTree: async () => target,
  } as unknown as Context
  const mirror = await Mirror.open(context, tempDir())

  await expect(mirror.pass(treeRoot)).rejects.toMatchObject({ code: 'SILENT' })
  isSilent = false
  await mirror.pass(treeRoot)

  expect(await target.read(leaf)).toBeDefined()
})
