import { describe, expect, it } from 'vitest'
import { openMemoryTree } from '../../engines/memory/index.ts'
import { denied } from '../../kernel/errors.ts'
import { treePath } from '../../kernel/tree-path.ts'
import type { Tree } from '../../tree/tree.ts'
import { isUnread, readOrSayWhy, whyClosed } from './readable.ts'

const path = treePath('inbox/a.md')

describe('reading one leaf among many', () => {
  it.each([
    [10, {}, 'text'],
    [10, { most: 10 }, 'text'],
    [11, { most: 10 }, 'too-large'],
    [11, { most: 10, atMost: 4 }, 'too-large'],
    [11, { most: 20, atMost: 4 }, 'text'],
    [100_000, { most: 200_000 }, 'text'],
    [16 * 1024 * 1024, {}, 'text'],
    [16 * 1024 * 1024 + 1, {}, 'too-large'],
  ])('%i bytes with %o: %s', async (size, options, outcome) => {
    const tree = openMemoryTree()
    await tree.create(path, new Uint8Array(size))
    const read = (await readOrSayWhy(tree, path, options))!
    expect(isUnread(read) ? read.outcome : 'text').toBe(outcome)
    if (!isUnread(read) && !('atMost' in options)) expect(read.bytes.length).toBe(size)
  })

  it('missing is missing', async () => {
    expect(await readOrSayWhy(openMemoryTree(), path)).toBeUndefined()
  })

  const failing = (error: Error) => ({ read: () => Promise.reject(error) }) as unknown as Tree

  it('a leaf that belongs to somebody else is an outcome with what to do', async () => {
    const closed = denied('PERMISSION_DENIED', 'No.', { hint: 'Ask her.', details: { owner: 'ada', mode: '0600' } })
    const told = 'It belongs to ada, with mode 0600, and this user may not read it.'
    expect(await readOrSayWhy(failing(closed), path)).toEqual({
      outcome: 'closed',
      problem: { code: 'PERMISSION_DENIED', field: '', message: told, hint: 'Ask her.' },
    })
  })

  it('a folder that is closed, and any other failure, is not about this leaf alone', async () => {
    for (const error of [denied('PERMISSION_DENIED', 'No.'), new Error('a defect')]) {
      await expect(readOrSayWhy(failing(error), path)).rejects.toBe(error)
      expect(whyClosed(error)).toBeUndefined()
    }
  })
})
