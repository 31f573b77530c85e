import { expect, it } from 'vitest'
import { openDream } from '../../../../test/support/dream.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import { IdLog } from './id-log.ts'

const path = treePath('log.jsonl')

async function opened() {
  const { tree, put, clock } = openDream()
  const read: unknown[] = []
  const ids = new IdLog(tree, path, (value) => {
    read.push(value)
    return [String((value as { id: string }).id), 1]
  })
  const now = async () => {
    clock.advance(1000)
    return [...(await ids.all()).keys()]
  }
  return { tree, put, read, now, append: (id: string) => tree.append(path, JSON.stringify({ id })) }
}

it('reads only what has come since', async () => {
  const { append, read, now } = await opened()
  expect(await now()).toEqual([])
  await append('a')
  await append('b')
  expect(await now()).toEqual(['a', 'b'])
  await append('c')
  expect(await now()).toEqual(['a', 'b', 'c'])
  expect(await now()).toEqual(['a', 'b', 'c'])
  expect(read).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'c' }])
})

it('reads a file that was written anew from its beginning', async () => {
  const { append, put, now, tree } = await opened()
  await append('first')
  expect(await now()).toEqual(['first'])
  await put('log.jsonl', '{"id":"other"}\n{"id":"one more"}\n')
  expect(await now()).toEqual(['other', 'one more'])
  await put('log.jsonl', '{"id":"x"}\n')
  expect(await now()).toEqual(['x'])
  await tree.remove(path)
  expect(await now()).toEqual([])
})

it('reads a line that was torn when it is whole', async () => {
  const { put, now } = await opened()
  await put('log.jsonl', '{"id":"a"}\n{"id":"b"')
  expect(await now()).toEqual(['a'])
  await put('log.jsonl', '{"id":"a"}\n{"id":"b"}\n')
  expect(await now()).toEqual(['a', 'b'])
})
