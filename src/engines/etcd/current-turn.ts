/**
 * Knows in which turn (`Tree.exclusively`) a call is made. Every write in a turn compares the turn's key in its own
 * transaction, so a process that was paused for longer than its lease writes nothing afterwards. And reads in a turn see
 * everything written before it began: a copy of a folder that lags behind would not do.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { unavailable } from '../../kernel/errors.ts'
import type { Key } from './keys.ts'
import { type Fence, noFence } from './leases.ts'
import { get, isPresent, type KeyValue } from './transaction.ts'

export interface Turn {
  readonly name: string
  /** Exists exactly as long as the turn lasts. */
  readonly key: Key
  /** The revision of the cluster at which the turn began. */
  readonly since: number
}

export class CurrentTurn {
  readonly #storage = new AsyncLocalStorage<{ turn: Turn | undefined }>()

  /** Runs `work` so that everything it calls knows of the turn. */
  async run<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
    const held: { turn: Turn | undefined } = { turn }
    try {
      return await this.#storage.run(held, work)
    } finally {
      // Watches and timers that the work has started go on, but are in no turn any more.
      held.turn = undefined
    }
  }

  /** The oldest revision that a read may show. */
  get since(): number {
    return this.#turn?.since ?? 0
  }

  /** What a write compares, and what it reads if that fails; hand the latter to `expectHeld`. */
  get fence(): Fence {
    const turn = this.#turn
    return turn ? { compare: [isPresent(turn.key)], otherwise: [get(turn.key)] } : noFence
  }

  expectHeld(found: readonly KeyValue[] | undefined): void {
    if (found?.length === 0) throw turnLost(this.#turn?.name ?? '')
  }

  get #turn(): Turn | undefined {
    return this.#storage.getStore()?.turn
  }
}

const turnLost = (name: string) =>
  unavailable(
    'TURN_LOST',
    'This process did not answer for so long that its turn went to another; nothing was written.',
    {
      hint: 'Repeat the command. If it happens often, look whether this machine is overloaded or suspended.',
      details: { turn: name },
    },
  )
