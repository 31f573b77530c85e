/** What `SendingOnce` promises, on one engine: a key sends one message, whoever is killed or held before whichever change. */
import { afterEach, describe, expect } from 'vitest'
import { systemClock } from '../../src/kernel/clock.ts'
import { childOf, nameOf, type TreePath, treePath } from '../../src/kernel/tree-path.ts'
import { SendingOnce } from '../../src/messaging/sending-once/sending-once.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { gate, mortal, stoppedAt, survives } from '../support/mortal-tree.ts'
import { verifies } from '../support/verifies.ts'
import type { EnginePlace } from './every-engine.ts'

const [notes, staged, inbox] = ['notes', 'staged', 'inbox'].map((path) => treePath(path)) as [
  TreePath,
  TreePath,
  TreePath,
]

const sendingOn = (tree: Tree): SendingOnce<string> =>
  new SendingOnce<string>(tree, {
    notes,
    staged,
    ending: '.md',
    async publish(from) {
      const moved = await tree.move(from, childOf(inbox, nameOf(from)))
      return moved.outcome === 'moved' ? nameOf(from) : undefined
    },
  })

export function describeSendingOnce(title: string, prepare: () => Promise<EnginePlace>): void {
  describe(`sending once on ${title}`, () => {
    const opened: Tree[] = []
    afterEach(async () => {
      for (const tree of opened.splice(0)) await tree.close()
    })
    const opener = async () => {
      const place = await prepare()
      return async () => {
        const tree = await place.open(systemClock)
        opened.push(tree)
        return tree
      }
    }
    const textsIn = async (tree: Tree): Promise<string[]> => {
      const texts: string[] = []
      for (const { name } of await tree.list(inbox, { fresh: true }))
        texts.push(Buffer.from((await tree.read(childOf(inbox, name), { fresh: true }))!.bytes).toString('utf8'))
      return texts
    }
    const namesIn = async (tree: Tree, folder: TreePath) =>
      (await tree.list(folder, { fresh: true })).map(({ name }) => name)

    verifies('X-crash', 'one message comes of a key, and the second sender is told for what it was used', async () => {
      const open = await opener()
      const [first, second] = [sendingOn(await open()), sendingOn(await open())]
      expect(await first.send('k1', 'hello', 'digest of hello')).toMatchObject({ outcome: 'sent' })
      expect(await second.send('k1', 'other', 'digest of other')).toEqual({
        outcome: 'known',
        digest: 'digest of hello',
      })
      expect(await second.send('k2', 'other', 'digest of other')).toMatchObject({ outcome: 'sent' })
      const tree = await open()
      expect((await textsIn(tree)).sort()).toEqual(['hello', 'other'])
      expect(await namesIn(tree, staged)).toEqual([])
    })

    for (const whoFinishes of ['the next sender', 'supervision'] as const) {
      verifies('X-crash', `killed before any change, ${whoFinishes} makes it one message`, async () => {
        for (let lives = 0, isWhole = false; !isWhole; lives++) {
          const open = await opener()
          isWhole = await survives(sendingOn(mortal(await open(), lives)).send('k1', 'hello', 'd'))
          const tree = await open()
          const next = sendingOn(tree)
          await next.finishAll()
          // With the note the message is sent, whatever became of its sender.
          const isNoted = (await namesIn(tree, notes)).length > 0
          expect(await textsIn(tree), `killed before change ${lives}`).toEqual(isNoted ? ['hello'] : [])
          if (whoFinishes === 'the next sender') await next.send('k1', 'hello', 'd')
          expect(await textsIn(tree), `killed before change ${lives}`).toEqual(
            isNoted || whoFinishes === 'the next sender' ? ['hello'] : [],
          )
        }
      })
    }

    verifies('X-held', 'held before any change while another sends the same key, it is one message', async () => {
      for (let at = 0, isOver = false; !isOver; at++) {
        const open = await opener()
        const [held, goOn] = [gate(), gate()]
        const slow = stoppedAt(await open(), async (change) => {
          if (change !== at) return
          held.open()
          await goOn.opened
        })
        const sending = sendingOn(slow).send('k1', 'hello', 'd')
        isOver = await Promise.race([held.opened.then(() => false), sending.then(() => true)])
        const tree = await open()
        const other = await sendingOn(tree).send('k1', 'hello', 'd')
        await sendingOn(tree).finishAll()
        goOn.open()
        const outcomes = [(await sending).outcome, other.outcome].sort()
        expect(outcomes, `held before change ${at}`).toEqual(['known', 'sent'])
        expect(await textsIn(tree), `held before change ${at}`).toEqual(['hello'])
      }
    })

    verifies('X-notes', 'a note of a stranger is refused with what to do, and stops nobody else', async () => {
      const tree = await (await opener())()
      for (const text of ['', '{', '7', '{"staged":"../../etc","digest":"d"}', '{"staged":7}']) {
        const key = `k${text.length}`
        await tree.create(childOf(notes, `${key}.json`), text)
        await tree.create(childOf(staged, `${key}~00000000-0000-4000-8000-000000000000.md`), 'a stranger')
        await sendingOn(tree).finishAll()
        await expect(sendingOn(tree).send(key, 'hello', 'd')).rejects.toMatchObject({ code: 'BAD_SENT_NOTE' })
      }
      expect(await sendingOn(tree).send('good', 'hello', 'd')).toMatchObject({ outcome: 'sent' })
      expect(await textsIn(tree)).toEqual(['hello'])
    })
  })
}
