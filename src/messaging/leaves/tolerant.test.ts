import { describe, expect, it } from 'vitest'
import { openMemoryTree } from '../../engines/memory/index.ts'
import { denied, unavailable } from '../../kernel/errors.ts'
import { treePath } from '../../kernel/tree-path.ts'
import {
  listIfFolder,
  lookIfThere,
  readIfLeaf,
  readOrSayWhyIfLeaf,
  removeIfLeaf,
  unlessFailed,
  unlessOdd,
  unlessUnreadable,
} from './tolerant.ts'

const leaf = treePath('inbox/a.md')
const folder = treePath('inbox')

describe('reading where an entry of another kind may be', () => {
  it('reads what is there', async () => {
    const tree = openMemoryTree()
    await tree.create(leaf, 'text')
    expect((await listIfFolder(tree, folder)).map(({ name }) => name)).toEqual(['a.md'])
    expect((await readIfLeaf(tree, leaf))?.size).toBe(4)
    expect((await readIfLeaf(tree, leaf, { atMost: 1 }))?.bytes.length).toBe(1)
    expect(await readOrSayWhyIfLeaf(tree, leaf, { most: 2 })).toMatchObject({ outcome: 'too-large' })
    expect(await lookIfThere(tree, leaf)).toMatchObject({ kind: 'leaf' })
    expect(await removeIfLeaf(tree, leaf)).toMatchObject({ outcome: 'removed' })
  })

  it('takes an entry of another kind for a missing one', async () => {
    const tree = openMemoryTree()
    await tree.create(leaf, 'text')
    expect(await listIfFolder(tree, leaf)).toEqual([])
    expect(await readIfLeaf(tree, folder)).toBeUndefined()
    expect(await readOrSayWhyIfLeaf(tree, folder)).toBeUndefined()
    expect(await removeIfLeaf(tree, folder)).toBeUndefined()
    expect(await lookIfThere(tree, treePath('inbox/a.md/below'))).toBeUndefined()
  })

  it('one leaf that cannot be read, or a cache that fails, stops nothing else', async () => {
    const closed = () => Promise.reject(denied('PERMISSION_DENIED', 'No.', { hint: '' }))
    const full = () => Promise.reject(unavailable('DISK_FULL', 'The disk is full.', { hint: '' }))
    expect(await unlessUnreadable(closed())).toBeUndefined()
    await expect(unlessUnreadable(full())).rejects.toMatchObject({ code: 'DISK_FULL' })
    expect(await unlessFailed(full())).toBeUndefined()
    await expect(unlessFailed(Promise.reject(new Error('a defect')))).rejects.toThrow('a defect')
  })

  it('passes on every other failure', async () => {
    const failed = Promise.reject(unavailable('DISK_FULL', 'The disk is full.', { hint: '' }))
    await expect(unlessOdd(failed)).rejects.toMatchObject({ code: 'DISK_FULL' })
  })
})
