import { describe, expect, it } from 'vitest'
import { openMemoryTree } from '../../engines/memory/index.ts'
import { treePath } from '../../kernel/tree-path.ts'
import type { Leaf, Tree } from '../../tree/tree.ts'
import { changeLeaf, writeOver } from './change.ts'

const path = treePath('counters/one')
const textOf = (leaf: Leaf | undefined) => leaf && Buffer.from(leaf.bytes).toString('utf8')
const plusOne = (before: Leaf | undefined) => Buffer.from(String(Number(textOf(before) ?? 0) + 1))

describe('changing a leaf', () => {
  it('makes it where nothing is, and replaces what is there', async () => {
    const tree = openMemoryTree()
    expect(await changeLeaf(tree, path, plusOne)).toMatchObject({ outcome: 'created', durability: 'process' })
    expect(await changeLeaf(tree, path, async (before) => plusOne(before))).toMatchObject({ outcome: 'replaced' })
    expect(textOf(await tree.read(path))).toBe('2')
  })

  it('writes nothing when nothing is to change', async () => {
    const tree = openMemoryTree()
    expect(await changeLeaf(tree, path, () => undefined)).toEqual({ outcome: 'unchanged' })
    expect(await tree.read(path)).toBeUndefined()
    await tree.create(path, 'a')
    const before = await tree.look(path)
    expect(await changeLeaf(tree, path, () => Buffer.from('a'))).toEqual({ outcome: 'unchanged' })
    expect(await tree.look(path)).toEqual(before)
  })

  it('loses no change of many at once', async () => {
    const tree = openMemoryTree()
    await Promise.all(Array.from({ length: 100 }, () => changeLeaf(tree, path, plusOne)))
    expect(textOf(await tree.read(path))).toBe('100')
  })

  it('begins again when the leaf went, came or changed in between', async () => {
    const tree = openMemoryTree()
    await tree.create(path, '1')
    const seen: (string | undefined)[] = []
    const meanwhile = [
      () => tree.remove(path),
      () => tree.create(path, '10'),
      async () => tree.replace(path, Buffer.from('20'), (await tree.read(path))!.revision),
    ]
    await changeLeaf(tree, path, async (before) => {
      seen.push(textOf(before))
      await meanwhile.shift()?.()
      return plusOne(before)
    })
    expect([seen, textOf(await tree.read(path))]).toEqual([['1', undefined, '10', '20'], '21'])
  })

  it('gives up with a clear error when it never wins, and passes on what `change` throws', async () => {
    const tree = openMemoryTree()
    const hopeless = {
      place: '/box',
      read: async () => undefined,
      create: async () => ({ outcome: 'taken' }),
    } as unknown as Tree
    await expect(changeLeaf(hopeless, path, plusOne, { attempts: 3 })).rejects.toMatchObject({
      kind: 'Unavailable',
      code: 'LEAF_CONTENDED',
      message: '/box/counters/one could not be changed: others changed it 3 times.',
    })
    const refuse = () => {
      throw new Error('no')
    }
    await expect(changeLeaf(tree, path, refuse)).rejects.toThrow('no')
  })

  it('writes once over what was read, or not at all', async () => {
    const tree = openMemoryTree()
    expect(await writeOver(tree, path, Buffer.from('a'), undefined)).toMatchObject({ outcome: 'created' })
    expect(await writeOver(tree, path, Buffer.from('b'), undefined)).toBeUndefined()
    const { revision } = (await tree.read(path))!
    expect(await writeOver(tree, path, Buffer.from('c'), revision)).toMatchObject({ outcome: 'replaced' })
    expect(await writeOver(tree, path, Buffer.from('d'), revision)).toBeUndefined()
    expect(textOf(await tree.read(path))).toBe('c')
  })
})
