/**
 * Turns (`Tree.exclusively`): a process that wants one puts a key under the turn's name and waits until the key before
 * it is gone. So processes get the turn in the order in which they asked, and its end wakes one waiter. The keys end with
 * the etcd lease of their process (`Session`); and each process puts its key again and again, so that the ones behind it can
 * remove the key of a dead one (`SignsOfLife`). A process that only slept writes nothing without its key (`CurrentTurn`).
 */
import { SignalboxError, unavailable } from '../../kernel/errors.ts'
import { Queues } from '../../tree/for-engines.ts'
import type { Gateway } from './gateway.ts'
import { fromWire, type Key, wire } from './keys.ts'
import type { Parts } from './parts.ts'
import { leaseGone } from './refusals.ts'
import type { Session } from './session.ts'
import { SignsOfLife } from './signs-of-life.ts'
import {
  drop,
  foundBy,
  getAll,
  isAbsent,
  isPresent,
  isUnchanged,
  type KeyValue,
  put,
  type RangeAnswer,
  revisionOf,
  type TransactionAnswer,
} from './transaction.ts'
import type { Done } from './transactions.ts'

/** A turn is a few quick steps, and that of a dead process ends in seconds. No process should have to wait longer. */
const giveUpAfterMs = 60_000
/** If the watch is silent for so long, read the line again: the member may be paused. */
const lookAgainMs = 1000

/** The keys of all processes that have or want one turn, at one revision. */
interface Line {
  readonly all: readonly KeyValue[]
  readonly revision: number
}

/** Our key in the line, and the line as it was when we joined. */
interface Placed {
  readonly key: Key
  readonly line: Line
}

interface TurnParts extends Pick<Parts, 'keys' | 'turn' | 'unanswered'> {
  readonly gateway: Gateway
  readonly session: Session
}

export class ExclusiveTurns {
  readonly #parts: TurnParts
  /** Callers in this process queue here, so that only one of them at a time joins the line. */
  readonly #queues = new Queues()

  constructor(parts: TurnParts) {
    this.#parts = parts
  }

  /** `first` is tried without a place in the line, once earlier callers in this process are done. */
  async take<T>(
    name: string,
    work: () => Promise<T>,
    { waitMs }: { readonly waitMs?: number } = {},
    first: () => Promise<Done<T>> = async () => 'too large',
  ): Promise<T> {
    // A process that waits at all must wait long enough to find out whether the ones before it are dead.
    const patience = waitMs ? Math.max(waitMs, this.#parts.session.silenceMs * 2) : (waitMs ?? giveUpAfterMs)
    const taken = async () => {
      const done = await first()
      return typeof done === 'object' ? done.value : this.#taken(name, work, performance.now() + patience)
    }
    return this.#queues.run(name, taken, waitMs)
  }

  async #taken<T>(name: string, work: () => Promise<T>, giveUpAt: number): Promise<T> {
    const startedAt = performance.now()
    for (;;) {
      const lease = await this.#parts.session.join()
      const signs = new SignsOfLife(this.#parts.session.silenceMs)
      let placed: Placed | undefined
      let living: NodeJS.Timeout | undefined
      try {
        placed = await this.#lineUp(name, lease)
        if (placed) {
          const { key } = placed
          living = setInterval(() => void this.#giveSign(key, lease, signs), this.#parts.session.renewMs).unref()
        }
        const since = placed && (await this.#untilFirst(name, placed, { startedAt, giveUpAt }, signs))
        if (placed && since !== undefined) return await this.#parts.turn.run({ name, key: placed.key, since }, work)
        // The lease ran out while this process was paused: take a new one and join the end of the line.
        this.#parts.session.abandon(lease)
      } finally {
        clearInterval(living)
        if (placed) await this.#stepOut(placed.key, lease)
        this.#parts.session.leave()
      }
    }
  }

  /** `undefined` when the lease has run out. */
  async #lineUp(name: string, lease: string): Promise<Placed | undefined> {
    for (;;) {
      const operation = crypto.randomUUID()
      const key = this.#parts.keys.turn(name, operation)
      try {
        const answer = await this.#parts.gateway.write<TransactionAnswer>('/v3/kv/txn', {
          compare: [isAbsent(this.#parts.keys.revoked(operation))],
          success: [put(key, '', lease), getAll(this.#parts.keys.turns(name))],
          failure: [],
        })
        if (answer) return { key, line: { all: foundBy(answer)[1] ?? [], revision: revisionOf(answer.header) } }
        // Only we use this key. Once the write is revoked, the key is there if and only if the write was done.
        await this.#parts.unanswered.revoke(operation)
        const line = await this.#line(name)
        if (isIn(line, key)) return { key, line }
      } catch (error) {
        // Our key may be in the line all the same. Only the end of the lease removes it then.
        this.#parts.session.abandon(lease)
        if (error instanceof SignalboxError && error.code === leaseGone) return undefined
        throw error
      }
    }
  }

  /** The revision at which our key was the first; `undefined` if it is gone from the line. */
  async #untilFirst(
    name: string,
    { key, line: first }: Placed,
    { startedAt, giveUpAt }: { readonly startedAt: number; readonly giveUpAt: number },
    signs: SignsOfLife,
  ): Promise<number | undefined> {
    for (let line = first; ; line = await this.#line(name)) {
      if (!isIn(line, key)) return undefined
      const ahead = keysBefore(line, key)
      const before = ahead.at(-1)
      if (before === undefined) return line.revision
      const left = giveUpAt - performance.now()
      if (left <= 0) throw waitedTooLong(name, performance.now() - startedAt)
      const dead = signs.silentAmong(ahead, performance.now())
      for (const one of dead) await this.#remove(one)
      if (dead.length === 0) await this.#change(before.key, line.revision, Math.min(left, lookAgainMs))
    }
  }

  /** Puts our key again, if it is still there. A failure is ignored: the next sign is due soon. */
  async #giveSign(key: Key, lease: string, signs: SignsOfLife): Promise<void> {
    try {
      const body = { compare: [isPresent(key)], success: [put(key, '', lease)], failure: [] }
      const answer = await this.#parts.gateway.write<TransactionAnswer>('/v3/kv/txn', body)
      if (answer?.succeeded) signs.answered()
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error
    }
  }

  /** Removes the key of a dead process, unless that has given a sign of life. If no answer comes, the next look at the line tells. */
  async #remove({ key, mod_revision = '' }: KeyValue): Promise<void> {
    const dead = fromWire(key)
    const body = { compare: [isUnchanged(dead, Number(mod_revision))], success: [drop(dead)], failure: [] }
    await this.#parts.gateway.write('/v3/kv/txn', body)
  }

  async #line(name: string): Promise<Line> {
    const { from, to } = this.#parts.keys.turns(name)
    const { kvs = [], header } = await this.#parts.gateway.read<RangeAnswer>('/v3/kv/range', {
      key: wire(from),
      range_end: wire(to),
    })
    return { all: kvs, revision: revisionOf(header) }
  }

  /** Resolves when the key may be gone; read the line again to be sure. */
  #change(key: string, since: number, longestMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        stream.close()
        resolve()
      }
      const timer = setTimeout(done, longestMs)
      const stream = this.#parts.gateway.stream(
        '/v3/watch',
        { create_request: { key, start_revision: `${since + 1}`, filters: ['NOPUT'] } },
        {
          onMessage: ({ events = [] }: { events?: readonly unknown[] }) => {
            if (events.length > 0) done()
          },
          onEnd: done,
        },
      )
    })
  }

  /** Lets the next process in, also if the work failed. If we cannot reach the cluster, the lease runs out. */
  async #stepOut(key: Key, lease: string): Promise<void> {
    try {
      // Sent as a read, which is repeated until it is answered: deleting a key twice does no harm.
      await this.#parts.gateway.read('/v3/kv/deleterange', { key: wire(key) })
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error
      this.#parts.session.abandon(lease)
    }
  }
}

const isIn = ({ all }: Line, key: Key): boolean => all.some((one) => fromWire(one.key) === key)

/** The keys that came before ours, the oldest first. */
function keysBefore({ all }: Line, key: Key): KeyValue[] {
  const inOrder = [...all].sort((a, b) => Number(a.create_revision) - Number(b.create_revision))
  return inOrder.slice(
    0,
    inOrder.findIndex((one) => fromWire(one.key) === key),
  )
}

const waitedTooLong = (name: string, waited: number) =>
  unavailable('LOCK_BUSY', `Waited ${Math.ceil(waited / 1000)} s for others who are busy with the same.`, {
    hint: 'Look for a process that hangs, or for more work than the cluster can do; then repeat the command.',
    details: { turn: name },
  })
