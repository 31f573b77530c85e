/**
 * What `NamedLocks` promises, on one engine: one holder at a time with a growing fence, a line by priority and time, nothing for the
 * dead, and a note of the caller's before every lock, wherever a process is killed or held.
 */
import { afterEach, describe, expect } from 'vitest'
import { type Clock, heldClock } from '../../src/kernel/clock.ts'
import { type TreePath, treePath } from '../../src/kernel/tree-path.ts'
import type { LockPriority } from '../../src/messaging/locks/line.ts'
import { NamedLocks } from '../../src/messaging/locks/named-locks.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { acquire, waitFor } from '../support/locks.ts'
import { gate, KilledHere, mortal, stoppedAt, survives } from '../support/mortal-tree.ts'
import { verifies } from '../support/verifies.ts'
import type { EnginePlace } from './every-engine.ts'

const ttl = 60_000
const wish = (owner: string, resource = 'a', priority: LockPriority = 2) => ({ owner, resource, ttl, priority })
const noteOf = (owner: string): TreePath => treePath(`notes/${owner}`)

export function describeLocks(title: string, prepare: () => Promise<EnginePlace>): void {
  describe(`locks on ${title}`, () => {
    const opened: Tree[] = []
    afterEach(async () => {
      for (const tree of opened.splice(0)) await tree.close()
    })
    const opener = async () => {
      const place = await prepare()
      // Files have the time of the disk, which goes on.
      const clock = heldClock(Date.now())
      const open = async (now: Clock = clock) => {
        const tree = await place.open(now)
        opened.push(tree)
        return tree
      }
      return { clock, open }
    }
    /** Two processes. */
    const two = async () => {
      const { clock, open } = await opener()
      const tree = await open()
      return { clock, open, tree, one: new NamedLocks(tree, 'test'), other: new NamedLocks(await open(), 'test') }
    }
    /** Until so many wait. */
    const joined = async (locks: NamedLocks, count: number) => {
      while ((await locks.waiting()).length < count) await new Promise(setImmediate)
    }
    /** Writes a note before it takes the lock, as a session writes its line. */
    const takeNoted = (tree: Tree, owner: string) => {
      const locks = new NamedLocks(tree, 'test')
      const request = locks.request(wish(owner))
      return locks.turn(async () => {
        const busy = await request.busy()
        if (busy) return busy
        await tree.create(noteOf(owner), '')
        return request.take()
      })
    }

    verifies('SA-12a', 'one holds it, renews it and releases it, and nobody else does', async () => {
      const { one, other } = await two()
      expect(await acquire(one, wish('dev'))).toMatchObject({ outcome: 'held', lease: { fence: 1, resource: 'a' } })
      expect(await acquire(one, wish('dev'))).toMatchObject({ outcome: 'held', lease: { fence: 1 } })
      expect(await acquire(other, wish('test'))).toEqual({ outcome: 'busy', owner: 'dev' })
      expect(await other.release('a', 'test')).toBe('gone')
      expect(await one.release('a', 'dev')).toBe('released')
      expect(await acquire(other, wish('test'))).toMatchObject({ outcome: 'held', lease: { fence: 2 } })
    })

    verifies('SA-12a', 'it ends by time', async () => {
      const { one, other, clock } = await two()
      await acquire(one, wish('dev'))
      clock.advance(ttl)
      expect(await one.list()).toEqual([])
      expect(await acquire(other, wish('test'))).toMatchObject({ outcome: 'held', lease: { fence: 2 } })
    })

    verifies('SA-12a', 'spaces are apart, and one is cleared of locks and of those who wait', async () => {
      const { one, tree } = await two()
      const others = new NamedLocks(tree, 'other')
      await acquire(one, wish('dev'))
      expect(await acquire(others, wish('test'))).toMatchObject({ outcome: 'held' })
      const request = await one.waitingRequest(wish('late'), { waitMs: 60_000 })
      expect(await one.turn(() => request.busy())).toEqual({ outcome: 'busy', owner: 'dev' })
      await one.clear()
      expect([await one.list(), await one.waiting()]).toEqual([[], []])
      // It is woken, and may look whether it still wants the lock.
      expect(await request.next()).toBe(true)
      await request.close()
      expect((await others.list()).map(({ owner }) => owner)).toEqual(['test'])
    })

    verifies(
      'SA-12a',
      'it goes to those who wait by priority, then by time; a later one does not push in',
      async () => {
        const { one, other } = await two()
        await acquire(one, wish('dev'))
        const served: string[] = []
        const wait = async (owner: string, priority: LockPriority) => {
          const { outcome } = await waitFor(one, wish(owner, 'a', priority), { waitMs: 20_000 })
          served.push(`${owner} ${outcome}`)
          expect(await acquire(other, wish('late', 'a', 2))).toEqual({ outcome: 'busy', owner })
          await one.release('a', owner)
        }
        const all: Promise<void>[] = []
        for (const [owner, priority] of [
          ['x', 2],
          ['y', 2],
          ['z', 0],
        ] as const) {
          all.push(wait(owner, priority))
          await joined(one, all.length)
        }
        expect((await one.list())[0]!.waiting.map(({ owner }) => owner)).toEqual(['z', 'x', 'y'])
        await one.release('a', 'dev')
        await Promise.all(all)
        expect(served).toEqual(['z held', 'x held', 'y held'])
        expect(await one.list()).toEqual([])
      },
    )

    verifies('SA-12a', 'whoever gives up leaves no place in the line', async () => {
      const { one, other } = await two()
      await acquire(one, wish('dev'))
      for (const waitMs of [0, 5])
        expect(await waitFor(other, wish('test'), { waitMs })).toEqual({ outcome: 'busy', owner: 'dev' })
      const signal = AbortSignal.abort()
      expect(await waitFor(other, wish('test'), { waitMs: 60_000, signal })).toMatchObject({ outcome: 'busy' })
      expect((await one.list())[0]!.waiting).toEqual([])
    })

    verifies(['SA-12a', 'X-crash'], 'one that died in the line is passed over', async () => {
      const { one, other, clock } = await two()
      await acquire(one, wish('dev'))
      // It never says again that it lives.
      const dead = await other.waitingRequest(wish('dead', 'a', 0), { waitMs: 60_000 })
      await other.turn(() => dead.busy())
      await one.release('a', 'dev')
      expect(await acquire(one, wish('test'))).toEqual({ outcome: 'busy', owner: 'dead' })
      clock.advance(30_000)
      expect(await acquire(one, wish('test'))).toMatchObject({ outcome: 'held' })
      await dead.close()
    })

    verifies(['SA-12a', 'X-held'], 'one that was taken for dead in the line comes back to its place', async () => {
      const { one, other } = await two()
      await acquire(one, wish('dev'))
      const held = await other.waitingRequest(wish('held', 'a', 0), { waitMs: 60_000 })
      await other.turn(() => held.busy())
      const [found] = await one.waiting()
      expect(await one.lineOf('a').dismiss(found!.name)).toBe(true)
      expect(await other.turn(() => held.busy())).toEqual({ outcome: 'busy', owner: 'dev' })
      await one.release('a', 'dev')
      expect(await acquire(one, wish('test', 'a', 1))).toEqual({ outcome: 'busy', owner: 'held' })
      expect(await other.turn(async () => (await held.busy()) ?? held.take())).toMatchObject({ outcome: 'held' })
      await held.close()
    })

    verifies(
      ['SA-12a', 'X-crash'],
      'the next in the line gets it also when the process that released it was killed',
      async () => {
        const { one, tree } = await two()
        // Before each of its changes: the two rings, and the release between them.
        for (const lives of [1, 2]) {
          await acquire(one, wish('dev'))
          const waiting = waitFor(one, wish('test'), { waitMs: 20_000 })
          await joined(one, 1)
          const killed = new NamedLocks(mortal(tree, lives), 'test')
          expect(await survives(killed.release('a', 'dev'))).toBe(false)
          if (lives === 1) await one.release('a', 'dev')
          expect(await waiting).toMatchObject({ outcome: 'held' })
          await one.release('a', 'test')
        }
      },
    )

    verifies('SA-12e', 'a wait that would close a circle is refused, and named', async () => {
      const { one, other } = await two()
      await acquire(one, wish('dev', 'a'))
      await acquire(other, wish('test', 'b'))
      const waiting = waitFor(one, wish('dev', 'b'), { waitMs: 20_000 })
      await joined(one, 1)
      expect(await waitFor(other, wish('test', 'a'), { waitMs: 20_000 })).toEqual({
        outcome: 'busy',
        owner: 'dev',
        circle: ['test', 'a', 'dev', 'b', 'test'],
      })
      await other.release('b', 'test')
      expect(await waiting).toMatchObject({ outcome: 'held' })
    })

    verifies(
      ['SA-12a', 'X-crash'],
      'killed before any change, it is not taken, or was noted before and ends by time',
      async () => {
        for (let lives = 0, isAlive = false; !isAlive; lives++) {
          const { open, tree, one, clock } = await two()
          isAlive = await survives(takeNoted(mortal(await open(), lives), 'dev'))
          const isNoted = (await tree.look(noteOf('dev'))) !== undefined
          const taken = await acquire(one, wish('test'))
          if (taken.outcome === 'busy') expect([taken.owner, isNoted], `${lives}`).toEqual(['dev', true])
          clock.advance(ttl)
          expect(await acquire(one, wish('test')), `${lives}`).toMatchObject({ outcome: 'held' })
        }
      },
    )

    verifies(
      ['SA-12a', 'X-crash'],
      'one that waits and is killed before any change keeps nobody from the lock for long',
      async () => {
        for (let lives = 0, isAlive = false; !isAlive; lives++) {
          const { open, one, clock } = await two()
          await acquire(one, wish('dev'))
          const killed = new NamedLocks(mortal(await open(), lives), 'test')
          isAlive = await survives(
            killed.waitingRequest(wish('dead', 'a', 0), { waitMs: 60_000 }).then(async (request) => {
              try {
                await killed.turn(() => request.busy())
              } finally {
                await request.close()
              }
            }),
          )
          await one.release('a', 'dev')
          clock.advance(30_000)
          expect(await acquire(one, wish('test')), `${lives}`).toMatchObject({ outcome: 'held' })
        }
      },
    )

    verifies(
      ['SA-12a', 'X-held'],
      'while one is held before any change another waits for it, and one alone has it',
      async () => {
        for (let moment = 0, isHeld = true; isHeld; moment++) {
          const { open, tree } = await two()
          const [reached, goOn] = [gate(), gate()]
          const slow = stoppedAt(await open(), async (change) => {
            if (change !== moment) return
            reached.open()
            await goOn.opened
          })
          const first = takeNoted(slow, 'dev')
          isHeld = await Promise.race([reached.opened.then(() => true), first.then(() => false)])
          const second = takeNoted(tree, 'test')
          goOn.open()
          const outcomes = [(await first).outcome, (await second).outcome]
          expect(outcomes.sort(), `${moment}`).toEqual(['busy', 'held'])
          // Only the one that has it wrote its note.
          const noted = await Promise.all(['dev', 'test'].map((owner) => tree.look(noteOf(owner))))
          expect(noted.filter(Boolean).length, `${moment}`).toBe(1)
        }
      },
    )

    verifies('X-crash', 'a kill is one that no code of ours catches', async () => {
      const { tree } = await two()
      await expect(takeNoted(mortal(tree, 0), 'dev')).rejects.toThrow(KilledHere)
    })
  })
}
