/** What `quarantine` promises, on one engine: a file is set aside once and whole, whoever is killed or held before whichever change. */
import { describe, expect, it } from 'vitest'
import { childOf, type TreePath, treePath } from '../../src/kernel/tree-path.ts'
import { quarantinedAt, setAside } from '../../src/messaging/quarantine/quarantine.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { heldBeforeEach, killedBeforeEach, namesIn, openers, textsIn } from '../support/mortal-tree.ts'
import { verifies } from '../support/verifies.ts'
import type { EnginePlace } from './every-engine.ts'

const [inbox, rejected] = ['inbox', 'rejected'].map((path) => treePath(path)) as [TreePath, TreePath]
const path = childOf(inbox, 'a.json')

const isBad = (bytes: Uint8Array): boolean => !Buffer.from(bytes).toString('utf8').startsWith('{')
const reject = (tree: Tree) => setAside(tree, path, rejected, { isMeant: isBad })
const bad = (tree: Tree) => tree.create(path, 'no message')
/** Both folders, what each file says. */
const all = async (tree: Tree) => [await textsIn(tree, inbox), await textsIn(tree, rejected)]

export function describeQuarantine(title: string, prepare: () => Promise<EnginePlace>): void {
  describe(`the quarantine on ${title}`, () => {
    const place = openers(prepare)

    it('one of many sets a file aside, as it is, and finds a free name', async () => {
      const open = await place()
      const trees = [await open(), await open(), await open()]
      for (const text of ['one', 'two', 'three']) {
        await trees[0]!.create(path, text)
        const several = await Promise.all(trees.map(reject))
        expect(several.map(({ outcome }) => outcome).sort()).toEqual(['gone', 'gone', 'moved'])
      }
      const tree = await open()
      expect(await namesIn(tree, rejected)).toEqual(['a.json', 'a~2.json', 'a~3.json'])
      expect(await all(tree)).toEqual([[], ['one', 'two', 'three']])
    })

    it('what its writer has corrected by then stays, judged by no more than it asks for', async () => {
      const tree = await (await place())()
      await tree.create(path, '{"whole": true}')
      expect(await reject(tree)).toEqual({ outcome: 'kept' })
      const heads: string[] = []
      const isMeant = (head: Uint8Array) => heads.push(Buffer.from(head).toString('utf8')) === 0
      expect(await setAside(tree, path, rejected, { isMeant, atMost: 4 })).toEqual({ outcome: 'kept' })
      expect([[...new Set(heads)], await all(tree)]).toEqual([['{"wh'], [['{"whole": true}'], []]])
    })

    verifies(
      'X-crash',
      'killed before any change, the file is in one of the two places, and the next one finishes',
      () =>
        killedBeforeEach(place, {
          before: bad,
          work: reject,
          async after(tree, when, isWhole) {
            expect(await all(tree), when).toEqual(isWhole ? [[], ['no message']] : [['no message'], []])
            expect((await reject(tree)).outcome, when).toBe(isWhole ? 'gone' : 'moved')
            expect(await all(tree), when).toEqual([[], ['no message']])
          },
        }),
    )

    verifies('X-held', 'held before any change while another sets it aside, one of them has done so', () =>
      heldBeforeEach(place, {
        before: bad,
        work: reject,
        meanwhile: reject,
        async after(tree, when, { held, other }) {
          expect([held.outcome, other.outcome].sort(), when).toEqual(['gone', 'moved'])
          expect(await all(tree), when).toEqual([[], ['no message']])
        },
      }),
    )

    verifies('X-held', 'held before any change while its writer exchanges it, a message stays', () =>
      heldBeforeEach(place, {
        before: bad,
        work: reject,
        async meanwhile(tree) {
          await tree.remove(path)
          await tree.create(path, '{"whole": true}')
        },
        async after(tree, when, { held }) {
          // What had been set aside before is still there; the message never is.
          expect((await all(tree))[0], when).toEqual(['{"whole": true}'])
          expect(held.outcome, when).toBe((await namesIn(tree, rejected)).length > 0 ? 'moved' : 'kept')
        },
      }),
    )

    it('a person sees how it begins, since when and why; of what is gone or no file, nothing', async () => {
      const tree = await (await place())()
      const about = { reason: 'It is no JSON.', next: 'Correct it.', place: 'coder-1' }
      await tree.create(path, 'x'.repeat(3000))
      const shown = await quarantinedAt(tree, path, about)
      expect(shown).toMatchObject({ ...about, path, id: 'a.json', text: `${'x'.repeat(2000)}…` })
      expect(Date.parse(shown!.since)).toBeGreaterThan(0)
      await tree.remove(path)
      expect(await quarantinedAt(tree, path, about)).toBeUndefined()
      await tree.create(path, 'x'.repeat(2999))
      expect((await quarantinedAt(tree, path, about))!.digest).not.toBe(shown!.digest)
      await tree.remove(path)
      await tree.create(childOf(path, 'below'), 'a folder in its place')
      expect(await quarantinedAt(tree, path, about)).toBeUndefined()
    })
  })
}
