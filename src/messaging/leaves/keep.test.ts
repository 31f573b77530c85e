import { describe, expect, it } from 'vitest'
import { openMemoryTree } from '../../engines/memory/index.ts'
import { heldClock } from '../../kernel/clock.ts'
import { childOf, treePath } from '../../kernel/tree-path.ts'
import { prune, tooMany } from './keep.ts'

const leaf = (name: string, changedAt: number, size = 100) => ({
  name,
  kind: 'leaf' as const,
  size,
  modifiedAt: 0,
  changedAt,
})

describe('keeping for a while', () => {
  it('lets go of the oldest by age and by the disk they take', () => {
    const leaves = [leaf('a', 1), leaf('b', 2), leaf('c', 3, 5000), leaf('d', 4)]
    const names = (oldest: number, bytes: number) => tooMany(leaves, oldest, bytes).map(({ name }) => name)
    expect(names(0, 1e9)).toEqual([])
    expect(names(3, 1e9)).toEqual(['b', 'a'])
    expect(names(0, 3 * 4096)).toEqual(['b', 'a'])
    expect(names(0, 2 * 4096)).toEqual(['c', 'b', 'a'])
    expect(names(0, 0)).toEqual(['d', 'c', 'b', 'a'])
  })

  it('removes from one folder only, and counts from when a file came there', async () => {
    const clock = heldClock()
    const tree = openMemoryTree({ clock })
    const folder = treePath('taken')
    await tree.create(childOf(folder, 'old'), 'x')
    await tree.create(treePath('inbox/moved'), 'x')
    await tree.create(treePath('taken/below/deep'), 'x')
    clock.advance(1000)
    await tree.move(treePath('inbox/moved'), childOf(folder, 'moved'))
    clock.advance(1)
    expect(await prune(tree, folder, { keepMs: 1000, keepBytes: 1e9 })).toBe(1)
    expect((await tree.list(folder)).map(({ name }) => name)).toEqual(['below', 'moved'])
    expect(await prune(tree, treePath('nowhere'), { keepMs: 0, keepBytes: 0 })).toBe(0)
  })
})
