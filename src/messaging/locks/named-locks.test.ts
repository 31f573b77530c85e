import { describe, expect, it } from 'vitest'
import { openMemoryTree } from '../../engines/memory/index.ts'
import { heldClock } from '../../kernel/clock.ts'
import { circleOf, NamedLocks } from './named-locks.ts'

const wish = (owner: string, resource = 'a', priority: 0 | 1 | 2 | 3 = 2) => ({
  owner,
  resource,
  ttl: 60_000,
  priority,
})
const open = (clock = heldClock()) => {
  const tree = openMemoryTree({ clock })
  return { clock, tree, locks: new NamedLocks(tree, 'test') }
}
/** Until somebody waits for a resource. */
const joined = async (locks: NamedLocks, count: number) => {
  while ((await locks.list()).flatMap(({ waiting }) => waiting).length < count) await new Promise(setImmediate)
}

describe('named locks', () => {
  it('are held by one, renewed by the same owner, and released by nobody else', async () => {
    const { locks } = open()
    expect(await locks.acquire(wish('dev'))).toMatchObject({ outcome: 'held', lease: { fence: 1, resource: 'a' } })
    expect(await locks.acquire(wish('dev'))).toMatchObject({ outcome: 'held', lease: { fence: 1 } })
    expect(await locks.acquire(wish('test'))).toEqual({ outcome: 'busy', owner: 'dev' })
    expect(await locks.release('a', 'test')).toBe('gone')
    expect(await locks.release('a', 'dev')).toBe('released')
    expect(await locks.acquire(wish('test'))).toMatchObject({ outcome: 'held', lease: { fence: 2 } })
  })

  it('end by time', async () => {
    const { locks, clock } = open()
    await locks.acquire(wish('dev'))
    clock.advance(60_000)
    expect(await locks.list()).toEqual([])
    expect(await locks.acquire(wish('test'))).toMatchObject({ outcome: 'held' })
  })

  it('are apart in each space', async () => {
    const { locks, tree } = open()
    const others = new NamedLocks(tree, 'other')
    await locks.acquire(wish('dev'))
    expect(await others.acquire(wish('test'))).toMatchObject({ outcome: 'held' })
    expect(await locks.releaseAll()).toBe(1)
    expect((await others.list()).map(({ owner }) => owner)).toEqual(['test'])
  })

  it('go to those who wait by priority, then by time; a later one does not push in', async () => {
    const { locks } = open()
    await locks.acquire(wish('dev'))
    const served: string[] = []
    const wait = async (owner: string, priority: 0 | 1 | 2 | 3) => {
      const { outcome } = await locks.wait(wish(owner, 'a', priority), { waitMs: 5000 })
      served.push(`${owner} ${outcome}`)
      expect(await locks.acquire(wish('late', 'a', 2))).toEqual({ outcome: 'busy', owner })
      await locks.release('a', owner)
    }
    const all: Promise<void>[] = []
    for (const [owner, priority] of [
      ['x', 2],
      ['y', 2],
      ['z', 0],
    ] as const) {
      all.push(wait(owner, priority))
      await joined(locks, all.length)
    }
    expect((await locks.list())[0]!.waiting.map(({ owner }) => owner)).toEqual(['z', 'x', 'y'])
    await locks.release('a', 'dev')
    await Promise.all(all)
    expect(served).toEqual(['z held', 'x held', 'y held'])
    expect(await locks.list()).toEqual([])
  })

  it('are given up waiting for after the time, and leave no place in the line', async () => {
    const { locks } = open()
    await locks.acquire(wish('dev'))
    expect(await locks.wait(wish('test'), { waitMs: 0 })).toEqual({ outcome: 'timeout', owner: 'dev' })
    expect(await locks.wait(wish('test'), { waitMs: 5 })).toEqual({ outcome: 'timeout', owner: 'dev' })
    expect((await locks.list())[0]!.waiting).toEqual([])
  })

  it('pass over a waiter that died', async () => {
    const { locks, clock } = open()
    await locks.acquire(wish('dev'))
    const stop = new AbortController()
    const dead = locks.wait(wish('dead', 'a', 0), { waitMs: 60_000, signal: stop.signal })
    await joined(locks, 1)
    await locks.release('a', 'dev')
    clock.advance(5000)
    expect(await locks.acquire(wish('test', 'b'))).toMatchObject({ outcome: 'held' })
    stop.abort()
    await dead
  })

  it('[SA-12a] go on to the next also when the process that released one was killed before it could tell', async () => {
    const { locks, tree } = open()
    let isReleased = false
    const killed = new Proxy(tree, {
      get(target, key: keyof typeof tree) {
        if (key === 'release')
          return async (...given: Parameters<typeof tree.release>) => {
            isReleased = true
            return target.release(...given)
          }
        const verb = target[key]
        if (typeof verb !== 'function') return verb
        if (isReleased) return () => Promise.reject(new Error('killed'))
        return verb.bind(target)
      },
    })
    await locks.acquire(wish('dev'))
    const waiting = locks.wait(wish('test'), { waitMs: 4000 })
    await joined(locks, 1)
    await expect(new NamedLocks(killed, 'test').release('a', 'dev')).rejects.toThrow('killed')
    expect(await waiting).toMatchObject({ outcome: 'held' })
  })

  it('refuse a wait that would close a circle, and name it', async () => {
    const { locks } = open()
    await locks.acquire(wish('dev', 'a'))
    await locks.acquire(wish('test', 'b'))
    const waiting = locks.wait(wish('dev', 'b'), { waitMs: 5000 })
    await joined(locks, 1)
    expect(await locks.wait(wish('test', 'a'), { waitMs: 5000 })).toEqual({
      outcome: 'circle',
      owner: 'dev',
      circle: ['test', 'a', 'dev', 'b', 'test'],
    })
    expect(await locks.force('b')).toBe('test')
    expect(await waiting).toMatchObject({ outcome: 'held' })
    expect(await locks.force('nothing')).toBeUndefined()
  })
})

describe('a circle', () => {
  it.each([
    ['nobody waits', [['a', 'x']], [], undefined],
    ['it is free', [], [['x', 'a']], undefined],
    [
      'of two',
      [
        ['a', 'x'],
        ['b', 'me'],
      ],
      [['x', 'b']],
      ['me', 'a', 'x', 'b', 'me'],
    ],
    [
      'of three',
      [
        ['a', 'x'],
        ['b', 'y'],
        ['c', 'me'],
      ],
      [
        ['x', 'b'],
        ['y', 'c'],
      ],
      ['me', 'a', 'x', 'b', 'y', 'c', 'me'],
    ],
    [
      'of others',
      [
        ['a', 'x'],
        ['b', 'y'],
      ],
      [
        ['x', 'b'],
        ['y', 'a'],
      ],
      undefined,
    ],
  ] as const)('%s', (_, held, waiting, expected) => {
    const leases = held.map(([resource, owner]) => ({ resource, owner }))
    const line = waiting.map(([owner, resource]) => ({ owner, resource }))
    expect(circleOf({ owner: 'me', resource: 'a' }, leases, line)).toEqual(expected)
  })
})
