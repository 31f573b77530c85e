/**
 * The same work for every queue, one after the other: enqueue one by one, empty with one worker, enqueue with many in flight,
 * empty with four. A queue that fails is named and left out; the others go on.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { inFlight } from '../durable/in-flight.ts'
import { Resident } from '../resident.ts'
import type { Peer } from './peers.ts'
import type { Missing, Ready } from './ready.ts'
import { reasonOf } from './unavailable.ts'

/** In this order: each step leaves the queue as the next one needs it, full or empty. */
export const stepNames = {
  awaited: 'enqueue, awaited',
  oneWorker: '1 worker',
  inFlight: `enqueue, ${inFlight} in flight`,
  fourWorkers: '4 workers',
} as const
export type Step = keyof typeof stepNames

const lines: Readonly<Record<Step, (count: number) => string>> = {
  awaited: (count) => `awaited ${count}`,
  oneWorker: (count) => `handle ${count} 1`,
  inFlight: (count) => `flight ${count}`,
  fourWorkers: (count) => `handle ${count} 4`,
}

/** Our flushes of many files at once need a thread each. The other queues get as many. */
const environment = { UV_THREADPOOL_SIZE: `${inFlight}` }
const patienceMs = 120_000
const idleMs = 10

/** One value for every round: microseconds a message for a step, milliseconds for a pick-up. */
export type PeerSamples = Readonly<Record<Step | 'pickUp', number[]>>

export class Contest {
  readonly #running = new Map<Ready, Resident>()
  readonly samples = new Map<Peer, PeerSamples>()
  readonly failed: Missing[] = []

  constructor(all: readonly Ready[]) {
    for (const one of all) {
      this.#running.set(one, start('work', one))
      this.samples.set(one.peer, { awaited: [], oneWorker: [], inFlight: [], fourWorkers: [], pickUp: [] })
    }
  }

  /** Round 0 does not count. */
  async run(rounds: number, count: (peer: Peer) => number): Promise<void> {
    await this.#each((_, resident) => resident.next())
    for (let round = 0; round <= rounds; round++) {
      for (const step of Object.keys(stepNames) as Step[]) {
        await this.#each(async ({ peer }, resident) => {
          const each = Number(await resident.ask(lines[step](count(peer))))
          if (round > 0) this.samples.get(peer)![step].push(each)
        }, round)
      }
    }
  }

  /** A worker waits in another process while a message is sent now and then. */
  async pickUp(rounds: number): Promise<void> {
    const waiting = new Map<Ready, Resident>()
    try {
      await this.#each(async (one) => {
        if (one.peer.polls) return
        const waiter = start('wait', one)
        waiting.set(one, waiter)
        await waiter.next()
      })
      for (let round = -2; round < rounds; round++) {
        await this.#each(async (one, resident) => {
          const waiter = waiting.get(one)
          if (!waiter) return
          await pause(idleMs)
          const [since, at] = await Promise.all([resident.ask('one'), waiter.next()])
          if (round >= 0) this.samples.get(one.peer)!.pickUp.push(Number(at) - Number(since))
        }, round + 2)
      }
    } finally {
      for (const waiter of waiting.values()) waiter.kill()
    }
  }

  end(): void {
    for (const resident of this.#running.values()) resident.kill()
  }

  /** All queues one after the other, beginning with another one each time. */
  async #each(turn: (one: Ready, resident: Resident) => Promise<unknown>, shift = 0): Promise<void> {
    const all = [...this.#running]
    for (let i = 0; i < all.length; i++) {
      const [one, resident] = all[(i + shift) % all.length]!
      try {
        await within(turn(one, resident))
      } catch (error) {
        resident.kill()
        this.#running.delete(one)
        this.samples.delete(one.peer)
        this.failed.push({ name: one.peer.name, reason: reasonOf(error) })
      }
    }
  }
}

const start = (role: 'work' | 'wait', { peer, packages, place }: Ready): Resident =>
  new Resident('peer', [role, peer.kind, packages, place], environment)

async function within(turn: Promise<unknown>): Promise<void> {
  const ended = new AbortController()
  const late = pause(patienceMs, undefined, { signal: ended.signal }).then(() => {
    throw new Error(`it did not answer within ${patienceMs / 1000} seconds`)
  })
  late.catch(() => {}) // AbortError: the work was done in time.
  try {
    await Promise.race([turn, late])
  } finally {
    ended.abort()
  }
}
