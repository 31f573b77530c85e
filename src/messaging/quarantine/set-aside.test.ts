import { describe, expect, it } from 'vitest'
import { openMemoryTree } from '../../engines/memory/index.ts'
import { heldClock } from '../../kernel/clock.ts'
import { isSegment, treePath } from '../../kernel/tree-path.ts'
import { setAside, spareName } from './set-aside.ts'

const [path, folder] = [treePath('inbox/a.json'), treePath('rejected')]

describe('setting a file aside', () => {
  it('moves it as it is, tells why once, and finds a free name', async () => {
    const tree = openMemoryTree()
    const told: string[] = []
    const tell = async (where: string) => told.push(where)
    for (const text of ['one', 'two', 'three']) {
      await tree.create(path, text)
      const several = await Promise.all([1, 2, 3].map(() => setAside(tree, path, folder, { tell })))
      expect(several.map(({ outcome }) => outcome).sort()).toEqual(['gone', 'gone', 'moved'])
    }
    expect(told).toEqual(['rejected/a.json', 'rejected/a~2.json', 'rejected/a~3.json'])
    const texts = told.map(async (where) => Buffer.from((await tree.read(treePath(where)))!.bytes).toString())
    expect(await Promise.all(texts)).toEqual(['one', 'two', 'three'])
  })

  it('leaves what is not meant any more when it is won', async () => {
    const tree = openMemoryTree()
    await tree.create(path, '{"whole": true}')
    const heads: string[] = []
    const isMeant = (head: Uint8Array) => {
      heads.push(Buffer.from(head).toString())
      return false
    }
    expect(await setAside(tree, path, folder, { isMeant, atMost: 4 })).toEqual({ outcome: 'kept' })
    expect(heads).toEqual(['{"wh'])
    expect(await tree.look(path)).toBeDefined()
  })

  it('leaves what may still be being written, by the time of the tree', async () => {
    const clock = heldClock()
    const tree = openMemoryTree({ clock })
    expect(await setAside(tree, path, folder, { quietMs: 100 })).toEqual({ outcome: 'gone' })
    await tree.create(path, '{')
    clock.advance(99)
    expect(await setAside(tree, path, folder, { quietMs: 100 })).toEqual({ outcome: 'young' })
    clock.advance(1)
    expect(await setAside(tree, path, folder, { quietMs: 100 })).toMatchObject({
      outcome: 'moved',
      path: 'rejected/a.json',
      name: 'a.json',
      durability: 'process',
    })
  })

  it.each([
    ['msg_a3f5d8b2.json', 2, 'msg_a3f5d8b2~2.json'],
    ['a.b.md', 10, 'a.b~10.md'],
    ['README', 3, 'README~3'],
    ['.hidden', 2, '.hidden~2'],
  ])('%s, taken: %i is %s', (name, n, spare) => expect(spareName(name, n)).toBe(spare))

  it('keeps a long name within what a tree can say', () => {
    for (const name of [`${'x'.repeat(175)}.json`, `${'é'.repeat(87)}.json`, `${'😀'.repeat(43)}.json`]) {
      expect([isSegment(name), isSegment(spareName(name, 12))]).toEqual([true, true])
    }
  })
})
