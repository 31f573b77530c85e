/**
 * The messages that wait in a mission: the face of this folder. Index, cache and labels only make finding the best message
 * quick. The move that claims a message decides, by the header of the file that was won. AC-MQ §4.2.
 */
import { everyone } from '../../names.ts'
import { type ByLabel, foundBy, labelsFor } from '../label.ts'
import { type Candidate, candidateOf, isAsRemembered } from './candidate.ts'
import { PendingIndex } from './pending-index.ts'

export type { Candidate } from './candidate.ts'
export { candidateOf, isAsRemembered }

/** How many messages are tried before all are looked at. */
const few = 16

export class WaitingMessages extends PendingIndex {
  #isFirst = true

  /**
   * The messages that this agent may claim, best first, until the caller has claimed one. Ends after a look at all messages.
   *
   * The first call uses labels, where the tree keeps them, or the cache, because the process may claim once and end.
   * `isCareful`: a policy may hold messages back, so that the best few may not be enough. `isMine`: leaves out messages to all.
   */
  async *bestFor(agent: string, isCareful: boolean, isMine = false): AsyncGenerator<Candidate, void> {
    const isFirst = this.#isFirst
    this.#isFirst = false
    if (isFirst && !isCareful) {
      const found = await this.#fewFor(isMine ? [agent] : [agent, everyone])
      if (found?.length === 0) return
      for (const one of found ?? []) {
        const candidate = await this.#ifReady(one)
        if (candidate) yield candidate
        // The header differed from cache or label. It was read again, so the index knows it now and decides what is best.
        if (this.isKnown(one.name)) break
      }
    }
    for (const step of ['known', 'away', 'all'] as const) {
      if (step === 'known' && !this.isFresh) await this.refresh()
      // Quicker than a listing, where messages wait for some that other processes have claimed.
      if (step === 'away' && !(await this.wakeWithoutListing())) continue
      if (step === 'all') await this.refresh(true)
      for (;;) {
        // Await only a promise: each `await` costs as much as a system call.
        const best = this.best(agent, isMine)
        const candidate = best instanceof Promise ? await best : best
        if (!candidate) break
        const offeredAt = performance.now()
        try {
          yield candidate
        } finally {
          this.handBack(candidate)
          if (isFirst) await this.remember()
        }
        // A process that claims once and ends keeps the strict order: leaping would not help it.
        if (!isFirst && !this.isInQueue(candidate.name)) await this.lost(candidate, performance.now() - offeredAt)
      }
    }
  }

  /** The best few, if they are known without reading every header. An empty list: no message is for these recipients. */
  async #fewFor(recipients: readonly string[]): Promise<readonly Candidate[] | undefined> {
    const { tree, queues } = this.files
    const labelled = await tree.first?.(queues.pending, labelsFor(recipients), few)
    if (labelled) return foundBy(labelled).slice(0, few)
    const found = await (await this.cache()).bestFor(recipients)
    // The cache may lack messages, so an empty list from it does not count.
    return found?.length === 0 ? undefined : found
  }

  async #ifReady(one: Candidate | ByLabel): Promise<Candidate | undefined> {
    let candidate: Candidate | undefined = one
    if ('mayWait' in one && one.mayWait) {
      // The label says that there are dependencies, but not which.
      const record = await this.files.readRecord('pending', one.name)
      candidate = record && candidateOf(one.name, record)
    }
    return candidate && (await this.judge(candidate)).length === 0 ? candidate : undefined
  }

  /** True when this agent may claim a message after all. */
  async hasReady(agent: string, isMine = false): Promise<boolean> {
    const candidate = await this.best(agent, isMine)
    if (candidate) this.handBack(candidate)
    return candidate !== undefined
  }
}
