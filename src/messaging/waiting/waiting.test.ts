import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { TreePath } from '../../kernel/tree-path.ts'
import type { Tree } from '../../tree/tree.ts'
import { type News, waitFor } from './waiting.ts'

const [inbox, outbox] = ['inbox', 'outbox'] as TreePath[] as [TreePath, TreePath]

/** A tree whose hints are given by the test, and a look that finds something when it is told to. */
function start() {
  const hints = new Map<TreePath, (name?: string) => void>()
  const told: (News | undefined)[] = []
  let found: string | undefined
  let during: () => void = () => {}
  const tree = {
    watch: (folder: TreePath, onChange: (name?: string) => void) => {
      hints.set(folder, onChange)
      return { by: 'events', close: () => hints.delete(folder) }
    },
  } as unknown as Tree
  const look = async (news: News | undefined) => {
    told.push(news)
    during()
    during = () => {}
    return found
  }
  const waiting = waitFor(tree, [inbox, outbox], look, { waitMs: 60_000 })
  return {
    told,
    hint: (folder: TreePath, name?: string) => hints.get(folder)!(name),
    whileLooking: (act: () => void) => (during = act),
    async end() {
      found = 'it'
      hints.get(inbox)!()
      expect(await waiting).toBe('it')
      await turn()
      expect(hints.size).toBe(0)
    },
  }
}

describe('waitFor', () => {
  it('tells a look what it was woken for', async () => {
    const { told, hint, end } = start()
    await turn()
    hint(inbox, 'one.md')
    await turn()
    hint(outbox, 'two.md')
    await turn()
    expect(told).toEqual([undefined, { folder: inbox, name: 'one.md' }, { folder: outbox, name: 'two.md' }])
    await end()
  })

  it.each([
    [
      'hints about two leaves',
      [
        [inbox, 'one.md'],
        [inbox, 'two.md'],
      ],
    ],
    [
      'the same name in two folders',
      [
        [inbox, 'one.md'],
        [outbox, 'one.md'],
      ],
    ],
    ['a hint without a name', [[inbox, undefined]]],
    [
      'a name, and then a hint without',
      [
        [inbox, 'one.md'],
        [inbox, undefined],
      ],
    ],
  ] as const)('says nothing of %s: then everything is to be looked at', async (_what, hints) => {
    const { told, hint, end } = start()
    await turn()
    for (const [folder, name] of hints) hint(folder, name)
    await turn()
    expect(told).toEqual([undefined, undefined])
    await end()
  })

  it('does not lose what happens during a look', async () => {
    const { told, hint, whileLooking, end } = start()
    await turn()
    whileLooking(() => hint(inbox, 'second.md'))
    hint(inbox, 'first.md')
    await turn()
    expect(told.slice(1)).toEqual([
      { folder: inbox, name: 'first.md' },
      { folder: inbox, name: 'second.md' },
    ])
    await end()
  })
})
