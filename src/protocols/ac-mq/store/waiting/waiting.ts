/**
 * What waits in a mission: the face of this folder. Index, cache and labels only make it quick to find the best message; none
 * of them decides anything, because a claim is judged on what was won. AC-MQ §4.2.
 */
import { everyone } from '../../names.ts'
import { type ByLabel, foundBy, labelsFor } from '../label.ts'
import { type Candidate, candidateOf, isAsRemembered } from './candidate.ts'
import { PendingIndex } from './pending-index.ts'

export type { Candidate } from './candidate.ts'
export { candidateOf, isAsRemembered }

/** As many as may be found held back before all are looked at. */
const few = 16

export class WaitingMessages extends PendingIndex {
  #isFirst = true

  /**
   * The messages that this agent may claim, best first, until one is taken. Ends after a look at everything.
   *
   * The first call goes by labels where the tree keeps some, or by the cache, since the process may claim once and end.
   * `isCareful`: a policy may hold messages back, so that the best few may not be enough. `isMine`: not what is for all.
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
        // Its header differs from what cache or label say. It has been read again, and may still be the best.
        if (this.isKnown(one.name)) break
      }
    }
    for (const step of ['known', 'away', 'all'] as const) {
      if (step === 'known' && !this.isFresh) await this.refresh()
      // Where many wait for each other, what others finished is all that has changed: no need to list anything.
      if (step === 'away' && !(await this.wakeWithoutListing())) continue
      if (step === 'all') await this.refresh(true)
      for (;;) {
        // Await only what is not known yet: each `await` costs as much as a system call.
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
        // A process that claims once and ends has nothing to win by leaping, and keeps to the order.
        if (!isFirst && !this.isInQueue(candidate.name)) await this.lost(candidate, performance.now() - offeredAt)
      }
    }
  }

  /** The best few, if they are known without reading every header. None at all: nothing is there for these recipients. */
  async #fewFor(recipients: readonly string[]): Promise<readonly Candidate[] | undefined> {
    const { tree, queues } = this.files
    const labelled = await tree.first?.(queues.pending, labelsFor(recipients), few)
    if (labelled) return foundBy(labelled).slice(0, few)
    const found = await (await this.cache()).bestFor(recipients)
    // The cache may lack messages, so an empty answer is no answer.
    return found?.length === 0 ? undefined : found
  }

  async #ifReady(one: Candidate | ByLabel): Promise<Candidate | undefined> {
    let candidate: Candidate | undefined = one
    if ('mayWait' in one && one.mayWait) {
      // A label says no more than that it may have to wait for something.
      const record = await this.files.readRecord('pending', one.name)
      candidate = record && candidateOf(one.name, record)
    }
    return candidate && (await this.judge(candidate)).length === 0 ? candidate : undefined
  }

  /** True when something may be claimed by this agent after all. */
  async hasReady(agent: string, isMine = false): Promise<boolean> {
    const candidate = await this.best(agent, isMine)
    if (candidate) this.handBack(candidate)
    return candidate !== undefined
  }
}
