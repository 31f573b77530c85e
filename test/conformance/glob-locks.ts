/** What locks by pattern promise, on one engine: overlapping ones exclude each other, and a killed process leaves one or none. */
import { describe, expect } from 'vitest'
import { GlobLocks } from '../../src/messaging/locks/glob-locks.ts'
import { NamedLocks } from '../../src/messaging/locks/named-locks.ts'
import { killedBeforeEach, openers } from '../support/mortal-tree.ts'
import { verifies } from '../support/verifies.ts'
import type { EnginePlace } from './every-engine.ts'

const ttlMs = 60_000

export function describeGlobLocks(title: string, prepare: () => Promise<EnginePlace>): void {
  describe(`locks by pattern on ${title}`, () => {
    const place = openers(prepare)

    verifies(
      'X-neutral',
      'overlapping patterns of two agents exclude each other, and the answer says who and why',
      async () => {
        const open = await place()
        const [one, other] = [new GlobLocks(await open()), new GlobLocks(await open())]
        const taken = await one.take({ glob: 'src/auth/**', owner: 'a', ttlMs, reason: 'new login' })
        expect(taken).toMatchObject({ outcome: 'locked', lock: { glob: 'src/auth/**', owner: 'a' } })
        expect(await other.take({ glob: 'src/auth/a.ts', owner: 'b', ttlMs })).toMatchObject({
          outcome: 'busy',
          lock: { owner: 'a', reason: 'new login' },
        })
        expect((await other.take({ glob: 'docs', owner: 'b', ttlMs })).outcome).toBe('locked')
        expect((await one.take({ glob: 'src/auth/a.ts', owner: 'a', ttlMs })).outcome).toBe('locked')
        expect((await other.list()).map(({ glob }) => glob).toSorted()).toEqual([
          'docs',
          'src/auth/**',
          'src/auth/a.ts',
        ])
        expect(await other.release('src/auth/**', 'b')).toBe('not-owner')
        expect(await one.release('src/auth/**', 'a')).toBe('released')
        expect(await one.release('src/auth/**', 'a')).toBe('gone')
      },
    )

    verifies('X-neutral', 'of many who want it one has it', async () => {
      const open = await place()
      const trees = await Promise.all(['a', 'b', 'c', 'd'].map(() => open()))
      const globs = ['src/**', 'src/*.ts', 'src/a.ts', 'src']
      const taken = await Promise.all(
        trees.map((tree, n) => new GlobLocks(tree).take({ glob: globs[n]!, owner: `agent-${n}`, ttlMs })),
      )
      expect(taken.filter(({ outcome }) => outcome === 'locked')).toHaveLength(1)
    })

    verifies('X-neutral', 'a lock of a session and a pattern of another agent exclude each other', async () => {
      const open = await place()
      const tree = await open()
      const session = new NamedLocks(tree, 'session/s/1')
      const inSession = (owner: string, resource: string) => {
        const request = session.request({ owner, resource, ttl: ttlMs, priority: 2 })
        return session.turn(async () => (await request.busy()) ?? request.take())
      }
      const globs = new GlobLocks(tree)
      expect((await inSession('dev', 'src/a.ts')).outcome).toBe('held')
      expect(await globs.take({ glob: 'src/**', owner: 'qa', ttlMs })).toMatchObject({
        outcome: 'busy',
        lock: { owner: 'dev', session: 's' },
      })
      expect((await globs.take({ glob: 'docs/**', owner: 'qa', ttlMs })).outcome).toBe('locked')
      expect(await inSession('dev', 'docs/x.md')).toMatchObject({ outcome: 'busy', owner: 'qa' })
      expect((await inSession('qa', 'docs/x.md')).outcome).toBe('held')
    })

    verifies(
      'X-crash',
      'a process killed before any change leaves the lock or none, and the next one gets it or is told',
      async () => {
        await killedBeforeEach(place, {
          work: (tree) => new GlobLocks(tree).take({ glob: 'src/**', owner: 'a', ttlMs, reason: 'why' }),
          async after(tree, when) {
            const next = await new GlobLocks(tree).take({ glob: 'src/**', owner: 'b', ttlMs })
            const held = (await new GlobLocks(tree).list()).map(({ owner }) => owner)
            expect(held, when).toEqual([next.outcome === 'locked' ? 'b' : 'a'])
          },
        })
      },
    )
  })
}
