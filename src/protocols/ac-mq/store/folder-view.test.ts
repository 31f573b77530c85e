import { describe, expect, it } from 'vitest'
import { treePath } from '../../../kernel/tree-path.ts'
import type { Tree } from '../../../tree/tree.ts'
import { FolderView } from './folder-view.ts'

const folder = treePath('queue')

/** A folder whose times are old enough to be believed, and whose listing takes a while. */
function slowFolder() {
  let changedAt = 1000
  let names: string[] = []
  const tree = {
    now: async () => Date.now(),
    look: async () => ({ changedAt }),
    async list() {
      const listed = names.map((name) => ({ name, kind: 'leaf' }))
      await new Promise((resolve) => setTimeout(resolve, 5))
      return listed
    },
  } as unknown as Tree
  const put = (...all: string[]) => {
    names = all
    changedAt++
  }
  return { view: new FolderView(tree, folder), put }
}

describe('updates of a folder by several callers of one process', () => {
  it('[AC-4.3] end when what came has been taken in, also if another caller listed it', async () => {
    const { view, put } = slowFolder()
    put('one')
    const known = new Set<string>()
    const update = async () => {
      await view.update(true, async ({ came }) => {
        await Promise.resolve()
        for (const { name } of came) known.add(name)
      })
      return [...known]
    }
    expect(await update()).toEqual(['one'])
    put('one', 'two')
    expect(await Promise.all([update(), update()])).toEqual([
      ['one', 'two'],
      ['one', 'two'],
    ])
  })

  it('tell everything again after a failure', async () => {
    const { view, put } = slowFolder()
    put('one')
    const failing = view.update(true, () => {
      throw new Error('The disk is full.')
    })
    const told: string[] = []
    const next = view.update(true, ({ came }) => void told.push(...came.map(({ name }) => name)))
    await expect(failing).rejects.toThrow('The disk is full.')
    await next
    expect(told).toEqual(['one'])
  })
})
