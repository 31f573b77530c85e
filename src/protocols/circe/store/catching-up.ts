/**
 * What every command does first: finishes what killed processes left, sets aside what is no message, brings messages to all to
 * everybody, and lets messages count for their tasks, whoever wrote them.
 */
import type { Applying } from './applying.ts'
import { ensureBook } from './book.ts'
import type { FanOut } from './fan-out.ts'
import type { Journal, Stuck } from './journal.ts'
import { loggedNews } from './logged-news.ts'
import type { CirceRejected } from './outcomes.ts'
import type { CirceParts } from './parts.ts'
import { type Lying, lookAround } from './places.ts'
import { rejectAll } from './rejecting.ts'

export interface CaughtUp extends Lying {
  readonly rejected: readonly CirceRejected[]
  /** Changes of killed processes that could not be finished. Whoever asks for their subject gets the error. */
  readonly stuck: readonly Stuck[]
}

/** Each pass can bring news for the next one; nothing keeps doing so. */
const mostPasses = 5

export class CatchingUp {
  readonly #parts: CirceParts
  readonly #journal: Journal
  readonly #fanOut: FanOut
  readonly #applying: Applying

  constructor(parts: CirceParts, journal: Journal, fanOut: FanOut, applying: Applying) {
    this.#parts = parts
    this.#journal = journal
    this.#fanOut = fanOut
    this.#applying = applying
  }

  /** `logs`: also what somebody put straight into the log. Not inside a turn. */
  async catchUp({ logs = false } = {}): Promise<CaughtUp> {
    await ensureBook(this.#parts)
    const stuck = await this.#journal.finishAll()
    let lying = await lookAround(this.#parts)
    const rejected = await rejectAll(this.#parts, lying.unusable)
    for (let pass = 1; pass <= mostPasses; pass++) {
      const news = logs ? await loggedNews(this.#parts) : undefined
      const did = [
        await this.#fanOut.all(lying.found),
        await this.#applying.applyAll([...lying.found, ...(news?.found ?? [])]),
      ]
      await news?.remember()
      if (!did.includes(true)) break
      lying = await lookAround(this.#parts)
    }
    return { ...lying, rejected, stuck }
  }
}
