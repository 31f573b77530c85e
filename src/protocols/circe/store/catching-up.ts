/**
 * What every command does first: finishes what killed processes left, sets aside what is no message, brings messages to all to
 * every agent, and lets messages count for their tasks, whichever program wrote them.
 */
import type { TaskId } from '../names.ts'
import type { Counting, Left } from './counting.ts'
import type { FanOut } from './fan-out.ts'
import type { Journal, Patience, Stuck } from './journal.ts'
import { logArrivals } from './log-arrivals.ts'
import { publishStaged } from './moving.ts'
import type { CirceRejected } from './outcomes.ts'
import type { CirceParts } from './parts.ts'
import { type Lying, lookAround } from './places.ts'
import { rejectAll } from './rejecting.ts'

export interface CaughtUp extends Lying {
  readonly rejected: readonly CirceRejected[]
  /** Changes of killed processes that could not be finished. A command about their subject gets the error. */
  readonly stuck: readonly Stuck[]
  readonly left: Left
}

/** Each pass can bring news for the next one; nothing keeps doing so. */
const mostPasses = 5

export class CatchingUp {
  readonly #parts: CirceParts
  readonly #journal: Journal
  readonly #fanOut: FanOut
  readonly #counting: Counting

  constructor(parts: CirceParts, journal: Journal, fanOut: FanOut, counting: Counting) {
    this.#parts = parts
    this.#journal = journal
    this.#fanOut = fanOut
    this.#counting = counting
  }

  /** `logs`: also what another program put straight into the log. Not inside a turn. */
  async catchUp({ logs = false, isFresh = true } = {}): Promise<CaughtUp> {
    const stuck = await this.#journal.changes.finishAll()
    await publishStaged(this.#parts)
    const { index } = this.#parts
    let lying = await lookAround(this.#parts, { isFresh })
    const rejected = await rejectAll(this.#parts, lying.unusable)
    let left: Left = new Map()
    for (let pass = 1; pass <= mostPasses; pass++) {
      const news = logs ? await logArrivals(this.#parts) : undefined
      const open = await index.unsettled(lying.found)
      const hasBrought = await this.#fanOut.all(open)
      const counted = await this.#counting.countAll(news ? [...open, ...news.found] : open)
      left = counted.left
      if (left.size === 0) await news?.remember()
      if (left.size > 0 || !(hasBrought || counted.did)) break
      lying = await lookAround(this.#parts)
    }
    await index.save()
    return { ...lying, rejected, stuck, left }
  }

  /** Lets the messages of one task count that were left because there were too many. Not inside a turn. */
  async finish({ left }: Pick<CaughtUp, 'left'>, task: string | undefined, patience?: Patience): Promise<void> {
    const messages = task === undefined ? undefined : left.get(task as TaskId)
    if (messages) await this.#counting.countTask(task as TaskId, messages, patience)
  }
}
