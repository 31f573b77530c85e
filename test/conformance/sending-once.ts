/** What `SendingOnce` promises, on one engine: a key sends one message, whoever is killed or held before whichever change. */
import { describe, expect } from 'vitest'
import { childOf, nameOf, type TreePath, treePath } from '../../src/kernel/tree-path.ts'
import { keyUsed, SendingOnce, type SendingPlaces } from '../../src/messaging/sending-once/sending-once.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { heldBeforeEach, killedBeforeEach, namesIn, openers, textOf, textsIn } from '../support/mortal-tree.ts'
import { verifies } from '../support/verifies.ts'
import type { EnginePlace } from './every-engine.ts'

const [notes, staged, inbox] = ['notes', 'staged', 'inbox'].map((path) => treePath(path)) as [
  TreePath,
  TreePath,
  TreePath,
]

const places: SendingPlaces = {
  notes,
  staged,
  ending: '.md',
  keyIn: (content) => /^key: (.*)/.exec(textOf(content))?.[1],
}

/** A sender and what it does with the answers: it moves what is to be moved. */
const sendingOn = (tree: Tree) => {
  const once = new SendingOnce(tree, places)
  const publish = (from: TreePath) => tree.move(from, childOf(inbox, nameOf(from)))
  return {
    once,
    async send(key: string, content: string, digest: string) {
      const begun = await once.begin(key, content, digest)
      if (begun.staged) await publish(begun.staged)
      return begun
    },
    async publishAll() {
      for await (const one of once.unmoved()) await publish(one)
    },
  }
}

export function describeSendingOnce(title: string, prepare: () => Promise<EnginePlace>): void {
  describe(`sending once on ${title}`, () => {
    const place = openers(prepare)

    verifies(
      ['X-key', 'X-crash'],
      'one message comes of a key, and the second sender is told for what it was used',
      async () => {
        const open = await place()
        const [first, second] = [sendingOn(await open()), sendingOn(await open())]
        expect(await first.send('k1', 'hello', 'digest of hello')).toMatchObject({ outcome: 'begun' })
        expect(await second.send('k1', 'other', 'digest of other')).toMatchObject({
          outcome: 'known',
          digest: 'digest of hello',
          staged: undefined,
        })
        expect(await second.once.find('k1')).toMatchObject({ digest: 'digest of hello', staged: undefined })
        expect(await second.once.find('k3')).toBeUndefined()
        expect(await second.send('k2', 'other', 'digest of other')).toMatchObject({ outcome: 'begun' })
        const tree = await open()
        expect((await textsIn(tree, inbox)).sort()).toEqual(['hello', 'other'])
        expect(await namesIn(tree, staged)).toEqual([])
      },
    )

    for (const whoFinishes of ['the next sender', 'supervision'] as const) {
      verifies('X-crash', `killed before any change, ${whoFinishes} makes it one message`, () =>
        killedBeforeEach(place, {
          work: (tree) => sendingOn(tree).send('k1', 'hello', 'd'),
          async after(tree, when) {
            const next = sendingOn(tree)
            await next.publishAll()
            // With the note the message is sent, whatever became of its sender.
            const isNoted = (await namesIn(tree, notes)).length > 0
            expect(await textsIn(tree, inbox), when).toEqual(isNoted ? ['hello'] : [])
            if (whoFinishes === 'supervision') return
            await next.send('k1', 'hello', 'd')
            expect(await textsIn(tree, inbox), when).toEqual(['hello'])
          },
        }),
      )
    }

    verifies('X-held', 'held before any change while another sends the same key, it is one message', () =>
      heldBeforeEach(place, {
        work: (tree) => sendingOn(tree).send('k1', 'hello', 'd'),
        async meanwhile(tree) {
          const sent = await sendingOn(tree).send('k1', 'hello', 'd')
          await sendingOn(tree).publishAll()
          return sent
        },
        async after(tree, when, { held, other }) {
          expect([held.outcome, other.outcome].sort(), when).toEqual(['begun', 'known'])
          expect(await textsIn(tree, inbox), when).toEqual(['hello'])
        },
      }),
    )

    verifies('X-crash', 'any text can be a key, and the id that was noted is told to the next sender', async () => {
      const open = await place()
      const [first, second] = [sendingOn(await open()), sendingOn(await open())]
      const keys = ['acmq:shop:a1b2@2', '../../etc/passwd', 'x'.repeat(5000), '~k1', '', 'k1.json', 'K 1\n']
      for (const [n, key] of keys.entries()) {
        const begun = await first.once.begin(key, `hello ${n}`, 'd', `id-${n}`)
        expect(begun, key).toMatchObject({ outcome: 'begun' })
        expect(await second.send(key, 'other', 'd'), key).toMatchObject({ outcome: 'known', id: `id-${n}` })
      }
      const tree = await open()
      expect((await textsIn(tree, inbox)).sort()).toEqual(keys.map((_, n) => `hello ${n}`))
      expect(await namesIn(tree, staged)).toEqual([])
      expect(keyUsed('k\u001b1', { id: 'id-1' })).toMatchObject({ kind: 'Conflict', code: 'KEY_USED' })
    })

    verifies('X-held', 'a message that its sender did not move yet is told to others, and moves once', async () => {
      const open = await place()
      const [slow, next] = [sendingOn(await open()), sendingOn(await open())]
      const begun = await slow.once.begin('k1', 'hello', 'd')
      expect(begun).toMatchObject({ outcome: 'begun' })
      expect(await next.once.begin('k1', 'other', 'e')).toMatchObject({
        outcome: 'known',
        digest: 'd',
        staged: begun.staged,
      })
      expect(await next.once.find('k1')).toMatchObject({ outcome: 'known', digest: 'd', staged: begun.staged })
      await next.publishAll()
      const tree = await open()
      expect((await tree.move(begun.staged!, childOf(inbox, 'again'))).outcome).toBe('gone')
      expect(await textsIn(tree, inbox)).toEqual(['hello'])
      expect(await namesIn(tree, staged)).toEqual([])
    })

    verifies(
      ['X-key', 'X-held'],
      'of many senders of a key at once one begins, and the others learn of it',
      async () => {
        const open = await place()
        const senders = await Promise.all(Array.from({ length: 8 }, async () => sendingOn(await open())))
        const sent = await Promise.all(senders.map((one, n) => one.send('k1', `hello ${n}`, `d${n}`)))
        const winner = sent.findIndex(({ outcome }) => outcome === 'begun')
        expect(sent.filter(({ outcome }) => outcome === 'begun')).toHaveLength(1)
        for (const one of sent) if (one.outcome === 'known') expect(one.digest).toBe(`d${winner}`)
        const tree = await open()
        expect(await textsIn(tree, inbox)).toEqual([`hello ${winner}`])
        expect(await namesIn(tree, staged)).toEqual([])
      },
    )

    verifies('X-crash', 'supervision moves what an earlier version staged, and removes what lost its key', async () => {
      const tree = await (await place())()
      const [old, lost, unnoted] = [1, 2, 3].map((n) => `0000000${n}-0000-4000-8000-000000000000.md`)
      await tree.create(childOf(staged, old!), 'key: k1')
      await tree.create(childOf(notes, 'k1.json'), JSON.stringify({ staged: old, digest: 'd' }))
      await tree.create(childOf(staged, `k1~${lost}`), 'another message')
      await tree.create(childOf(staged, `k2~${unnoted}`), 'its sender may still note it')
      await sendingOn(tree).publishAll()
      expect(await textsIn(tree, inbox)).toEqual(['key: k1'])
      expect(await namesIn(tree, staged)).toEqual([`k2~${unnoted}`])
    })

    verifies('X-notes', 'a note of a stranger is refused with what to do, and stops nobody else', async () => {
      const tree = await (await place())()
      for (const text of ['', '{', '7', '{"staged":"../../etc","digest":"d"}', '{"staged":7}']) {
        const key = `k${text.length}`
        await tree.create(childOf(notes, `${key}.json`), text)
        await tree.create(childOf(staged, `${key}~00000000-0000-4000-8000-000000000000.md`), 'a stranger')
        await sendingOn(tree).publishAll()
        await expect(sendingOn(tree).send(key, 'hello', 'd')).rejects.toMatchObject({ code: 'BAD_SENT_NOTE' })
      }
      expect(await sendingOn(tree).send('good', 'hello', 'd')).toMatchObject({ outcome: 'begun' })
      expect(await textsIn(tree, inbox)).toEqual(['hello'])
    })
  })
}
