import { describe, expect, it } from 'vitest'
import { openDream } from '../../../../test/support/dream.ts'
import { treePath } from '../../../kernel/tree-path.ts'

const many = 600
const nameOf = (n: number) => `t-${String(n).padStart(4, '0')}`
const fileOf = (n: number) => `runtime/Bob/inbox/task_${nameOf(n)}.json`
const task = (n: number, priority = 3) => ({ task_id: nameOf(n), action: 'RUN', priority })

/** An inbox of so many, and how many of its files were read since one asked last. */
async function large() {
  const all = openDream()
  const { tree } = all
  for (let n = 0; n < many; n++) await all.put(fileOf(n), task(n))
  let reads = 0
  const read = tree.read.bind(tree)
  tree.read = (path, options) => {
    if (path.startsWith('runtime/Bob/inbox/')) reads++
    return read(path, options)
  }
  const readsSince = () => {
    const since = reads
    reads = 0
    return since
  }
  return { ...all, readsSince }
}
const idOf = (taken: object) => (taken as { message?: { id: string } }).message?.id

describe('taking from a large inbox', () => {
  it('reads what has come since, in a process that stays and in the next one', async () => {
    const { dream, another, put, readsSince } = await large()
    expect(idOf(await dream.claiming.take('Bob'))).toBe('t-0000')
    expect(readsSince()).toBe(many)
    expect(idOf(await dream.claiming.take('Bob'))).toBe('t-0001')
    expect(idOf(await another().claiming.take('Bob'))).toBe('t-0002')
    expect(readsSince()).toBe(0)
    await put('runtime/Bob/inbox/task_urgent.json', { task_id: 'urgent', priority: 1 })
    await put('runtime/Bob/inbox/broken.json', '{"half')
    const taken = await another().claiming.take('Bob')
    expect(idOf(taken)).toBe('urgent')
    expect(taken.unreadable).toMatchObject([{ path: 'runtime/Bob/inbox/broken.json' }])
    expect(readsSince()).toBe(2)
    expect(idOf(await another().claiming.take('Bob', { id: 't-0500' }))).toBe('t-0500')
  })

  it('judges what is taken by what it says now, and believes the others for a while only', async () => {
    const { dream, another, put, clock } = await large()
    await dream.claiming.take('Bob')
    // Less urgent than it was: it is not taken before the others.
    await put(fileOf(1), task(1, 5))
    expect(idOf(await another().claiming.take('Bob'))).toBe('t-0002')
    await put(fileOf(400), task(400, 1))
    clock.advance(60_000)
    expect(idOf(await another().claiming.take('Bob'))).toBe('t-0400')
  })

  it.each(['', '[]', '{"readAt": 1e999, "files": [[1]]}', '{"readAt": 99999999999999, "files": []}'])(
    'passes over a cache that says %j',
    async (text) => {
      const { dream, put, another, tree } = await large()
      await dream.claiming.take('Bob')
      const cache = treePath('.signalbox/cache/dream/inbox-Bob.json')
      expect(await tree.look(cache)).toBeDefined()
      await put(cache, text)
      expect(idOf(await another().claiming.take('Bob'))).toBe('t-0001')
    },
  )
})
