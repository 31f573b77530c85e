/**
 * What `waiting` promises, on one engine: a change wakes whoever waits for it, a caller that went away has claimed nothing, and
 * of those who call a waiter one has done so, whoever is killed or held before whichever change.
 */
import { describe, expect, it } from 'vitest'
import { childOf, type TreePath, treePath } from '../../src/kernel/tree-path.ts'
import { listen, ring, Waiters, waitFor } from '../../src/messaging/waiting/waiting.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { gate, heldBeforeEach, killedBeforeEach, namesIn, openers } from '../support/mortal-tree.ts'
import { verifies } from '../support/verifies.ts'
import type { EnginePlace } from './every-engine.ts'

const [inbox, taken, line, bell] = ['inbox', 'taken', 'line', 'bell'].map((path) => treePath(path)) as [
  TreePath,
  TreePath,
  TreePath,
  TreePath,
]
const message = childOf(inbox, 'a')
/** Long enough never to be reached. */
const long = { waitMs: 60_000 }

/** Claims whatever lies in the inbox. */
const claim = async (tree: Tree): Promise<string | undefined> => {
  for (const name of await namesIn(tree, inbox))
    if ((await tree.move(childOf(inbox, name), childOf(taken, name))).outcome === 'moved') return name
  return undefined
}
const giveBackOn = (tree: Tree) => (name: string) => tree.move(childOf(taken, name), childOf(inbox, name))
const all = async (tree: Tree) => [await namesIn(tree, inbox), await namesIn(tree, taken)]

export function describeWaiting(title: string, prepare: () => Promise<EnginePlace>): void {
  describe(`waiting on ${title}`, () => {
    const place = openers(prepare)

    it('a change by another process wakes whoever waits in that folder, one of them gets it', async () => {
      const open = await place()
      const readers = [await open(), await open()]
      const looked = [gate(), gate()]
      const ended = [new AbortController(), new AbortController()]
      const waiting = readers.map((tree, n) => {
        const attempt = async () => {
          looked[n]!.open()
          return claim(tree)
        }
        return waitFor(tree, [inbox], attempt, { ...long, signal: ended[n]!.signal })
      })
      await Promise.all(looked.map(({ opened }) => opened))
      await (await open()).create(message, 'hello')
      const first = await Promise.race(waiting.map(async (one, n) => ({ found: await one, n })))
      expect(first.found).toBe('a')
      ended[1 - first.n]!.abort()
      expect(await waiting[1 - first.n]).toBeUndefined()
      expect(await all(await open())).toEqual([[], ['a']])
    })

    it('when the time is up nothing is found, also when there was none', async () => {
      const tree = await (await place())()
      expect(await waitFor(tree, [inbox], () => claim(tree), { waitMs: 20 })).toBeUndefined()
      await tree.create(message, 'hello')
      expect(await waitFor(tree, [inbox], () => claim(tree), { waitMs: 0 })).toBe('a')
    })

    it('a caller that went away has claimed nothing: before, while waiting, and in the middle of a claim', async () => {
      const open = await place()
      const [tree, other] = [await open(), await open()]
      await tree.create(message, 'hello')
      const gone = AbortSignal.abort()
      expect(await waitFor(tree, [inbox], () => claim(tree), { ...long, signal: gone })).toBeUndefined()
      expect(await all(tree)).toEqual([['a'], []])

      const inClaim = new AbortController()
      const attempt = async () => {
        const found = await claim(tree)
        inClaim.abort()
        return found
      }
      const options = { ...long, signal: inClaim.signal, giveBack: giveBackOn(tree) }
      expect(await waitFor(tree, [inbox], attempt, options)).toBeUndefined()
      expect(await all(tree)).toEqual([['a'], []])

      await tree.remove(message)
      const looked = gate()
      const whileWaiting = new AbortController()
      const look = async () => {
        const found = await claim(tree)
        looked.open()
        return found
      }
      const waiting = waitFor(tree, [inbox], look, { ...long, signal: whileWaiting.signal })
      await looked.opened
      whileWaiting.abort()
      await other.create(message, 'hello')
      expect(await waiting).toBeUndefined()
      expect(await all(await open())).toEqual([['a'], []])
    })

    it('a bell wakes who listens, also one that rings between two calls; the signal ends it', async () => {
      const open = await place()
      const [tree, other] = [await open(), await open()]
      const ended = new AbortController()
      const listening = await listen(tree, bell, { signal: ended.signal })
      const next = listening.next(60_000)
      await ring(other, bell)
      expect(await next).toBe('rung')
      await ring(other, bell)
      expect(await listening.next(60_000)).toBe('rung')
      const last = listening.next(60_000)
      ended.abort()
      expect(['due', 'rung']).toContain(await last)
      expect(await listening.next(60_000)).toBe('due')
      listening.close()
    })

    const join = (tree: Tree) => new Waiters(tree, line).join('w', 'ann')
    const first = async (tree: Tree) => (await new Waiters(tree, line).names())[0]!
    const call = async (tree: Tree) => {
      const name = await first(tree)
      return name !== undefined && (await new Waiters(tree, line).call(name, bell))
    }

    verifies(
      'X-crash',
      'killed before any change, a waiter is in the line or not, and a killed caller has called or not',
      async () => {
        await killedBeforeEach(place, {
          work: join,
          async after(tree, when, isWhole) {
            const living = await new Waiters(tree, line).living()
            expect(
              living.map(({ text }) => text),
              when,
            ).toEqual(isWhole ? ['ann'] : [])
          },
        })
        await killedBeforeEach(place, {
          before: join,
          work: call,
          async after(tree, when, isWhole) {
            expect((await namesIn(tree, line)).length + (await namesIn(tree, bell)).length, when).toBe(1)
            expect(await call(tree), when).toBe(!isWhole)
          },
        })
      },
    )

    verifies('X-held', 'held before any change while another calls or leaves, one has called the waiter', async () => {
      await heldBeforeEach(place, {
        before: join,
        work: call,
        meanwhile: call,
        async after(tree, when, { held, other }) {
          expect([held, other].filter(Boolean).length, when).toBe(1)
          expect(await new Waiters(tree, line).names(), when).toEqual([])
        },
      })
      await heldBeforeEach(place, {
        before: join,
        work: call,
        meanwhile: async (tree) => {
          const name = await first(tree)
          return name !== undefined && (await new Waiters(tree, line).dismiss(name))
        },
        async after(tree, when, { held, other }) {
          expect([held, other].filter(Boolean).length, when).toBe(1)
          expect(await new Waiters(tree, line).names(), when).toEqual([])
        },
      })
    })

    verifies('X-held', 'held before any change while it is taken for dead, a waiter takes its place again', () =>
      heldBeforeEach(place, {
        async work(tree) {
          const own = await join(tree)
          if (!(await own.beat())) await own.hold()
          return own
        },
        meanwhile: async (tree) => {
          const name = await first(tree)
          return name === undefined ? false : new Waiters(tree, line).dismiss(name)
        },
        async after(tree, when, { held, other }) {
          // Taken out after its last look: it learns that when it looks again.
          const isThere = await held.isThere()
          expect(await new Waiters(tree, line).names(), when).toEqual(isThere ? [held.name] : [])
          if (!isThere) expect(other, when).toBe(true)
        },
      }),
    )
  })
}
