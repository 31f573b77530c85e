import { afterEach, expect, it, vi } from 'vitest'
import { conflict, unavailable } from '../kernel/errors.ts'
import type { Context } from './define.ts'
import { Rounds, restFor } from './rounds.ts'

afterEach(() => vi.useRealTimers())

function begun() {
  const told: string[] = []
  const stop = new AbortController()
  const report = { tell: ({ text }: { text: string }) => told.push(text) }
  const rounds = new Rounds({ report, signal: stop.signal } as unknown as Context)
  return { told, stop, rounds }
}

async function all<T>(happening: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const one of happening) found.push(one)
  return found
}

it('rests until somebody rings, also during a round, and ends at once when stopped', async () => {
  const { rounds, stop } = begun()
  let count = 0
  const happening = rounds.repeat(async () => {
    count++
    if (count === 1) rounds.ring()
    else if (count === 2) setImmediate(() => rounds.ring())
    else setImmediate(() => stop.abort())
    return count < 3 ? { least: 0, happened: [count] } : { least: 3_600_000 }
  })
  expect(await all(happening)).toEqual([1, 2])
  expect(count).toBe(3)
})

it('a ring does not cut the shortest rest, and the longest ends by itself', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const { rounds, stop } = begun()
  let count = 0
  const ended = all(
    rounds.repeat(async () => {
      count++
      rounds.ring()
      return { least: 1000, most: 1000 }
    }),
  )
  await vi.advanceTimersByTimeAsync(999)
  expect(count).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(count).toBe(2)
  stop.abort()
  await ended
})

it('[AC-8.2b] rests long after a long round, but never longer than the next one may wait', () => {
  expect([10, 500, 90_000].map((took) => restFor(took, 60_000))).toEqual([1000, 10_000, 60_000])
})

it('goes on after what only time can help, and after nothing else', async () => {
  const { rounds, told } = begun()
  const failing = (error: Error) => () => Promise.reject(error)
  expect(await rounds.attempt(failing(unavailable('DISK_FULL', 'The disk is full.')))).toBeUndefined()
  expect(told).toEqual(['The disk is full. Trying again.'])
  await expect(rounds.attempt(failing(conflict('WRONG_STATE', 'No.')))).rejects.toMatchObject({ code: 'WRONG_STATE' })
  expect(await rounds.attempt(async () => 'done')).toBe('done')
})
