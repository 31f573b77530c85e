/**
 * What waits in a mission: the face of this folder, and all that the rest of the store knows of it. Everything behind it
 * (index, cache, labels) only makes it quick to find the best message; none of it decides anything, because a claim is
 * judged on what was won. AC-MQ §4.2.
 */
import type { Entry } from '../../../../tree/tree.ts'
import { type DependencyState, explain } from '../../dependencies.ts'
import { everyone } from '../../names.ts'
import type { AcmqRecord } from '../../schema.ts'
import type { Finder } from '../finder.ts'
import { type ByLabel, foundBy, labelsFor } from '../label.ts'
import { blockedAs } from '../outcomes.ts'
import type { MissionFiles } from '../parts.ts'
import { type Candidate, candidateOf, isAsRemembered } from './candidate.ts'
import { DependencyStates } from './dependency-states.ts'
import { PendingIndex } from './pending-index.ts'

export type { Candidate } from './candidate.ts'
export { candidateOf, isAsRemembered }

/** As many as may be found held back before all are looked at. */
const few = 16

export class Waiting {
  readonly #files: MissionFiles
  readonly #dependencies: DependencyStates
  readonly #index: PendingIndex
  #isFirst = true

  constructor(files: MissionFiles, finder: Finder) {
    this.#files = files
    this.#dependencies = new DependencyStates(files, finder)
    this.#index = new PendingIndex(files, this.#dependencies)
  }

  /**
   * The messages that this agent may claim, best first, until one is taken. Ends after a look at everything. What is
   * offered is the caller's while it is looked at: nobody else of this process is offered it.
   *
   * The first call is for a process that may claim once and end: it goes by labels where the tree keeps
   * some, or by what others left in the cache. `isCareful`: a policy may hold messages back, so that the best few may not be enough. `isMine`: only what is
   * for this agent alone.
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
        if (this.#index.all.has(one.name)) break
      }
    }
    const index = this.#index
    for (const step of ['known', 'away', 'all'] as const) {
      if (step === 'known' && !index.isFresh) await index.refresh()
      // Where many wait for each other, what others finished is all that has changed: no need to list anything.
      if (step === 'away' && !(await index.wakeWithoutListing())) continue
      if (step === 'all') await index.refresh(true)
      for (;;) {
        // Await only what is not known yet: each `await` costs as much as a system call.
        const best = index.best(agent, isMine)
        const candidate = best instanceof Promise ? await best : best
        if (!candidate) break
        const offeredAt = performance.now()
        try {
          yield candidate
        } finally {
          index.handBack(candidate)
          if (isFirst) await index.remember()
        }
        // A process that claims once and ends has nothing to win by leaping, and keeps to the order.
        if (!isFirst && this.#isGone(candidate)) await index.lost(candidate, performance.now() - offeredAt)
      }
    }
  }

  /** The best few, if they are known without reading every header. None at all: nothing is there for these recipients. */
  async #fewFor(recipients: readonly string[]): Promise<readonly Candidate[] | undefined> {
    const { tree, queues } = this.#files
    const labelled = await tree.first?.(queues.pending, labelsFor(recipients), few)
    if (labelled) return foundBy(labelled).slice(0, few)
    const found = await (await this.#index.cache()).bestFor(recipients)
    // The cache may lack messages, so an empty answer is no answer.
    return found?.length === 0 ? undefined : found
  }

  async #ifReady(one: Candidate | ByLabel): Promise<Candidate | undefined> {
    let candidate: Candidate | undefined = one
    if ('mayWait' in one && one.mayWait) {
      // A label says no more than that it may have to wait for something.
      const record = await this.#files.readRecord('pending', one.name)
      candidate = record && candidateOf(one.name, record)
    }
    return candidate && (await this.judge(candidate)).length === 0 ? candidate : undefined
  }

  #isGone({ name }: Candidate): boolean {
    return !this.#index.all.has(name) && !this.#index.malformed.has(name) && !this.#index.closed.has(name)
  }

  /** A message came that this process has put there. */
  came(name: string, record: AcmqRecord): void {
    this.#index.add(name, record)
  }

  /** A message is not waiting any more. */
  went(name: string): void {
    this.#index.drop(name)
  }

  /** Something is completed: what waited for it is judged again. */
  wake(id: string): void {
    this.#index.wake(id)
  }

  /** Not for now, for a reason that is none of its dependencies: it is offered again when nothing else is left. */
  holdBack(candidate: Candidate): void {
    this.#index.holdBack(candidate)
  }

  /** A header turned out to be other than remembered, or cannot be read by now. True when it cannot. */
  async reread(name: string): Promise<boolean> {
    await this.#index.reread(name)
    return this.#index.malformed.has(name) || this.#index.closed.has(name)
  }

  /** True when something may be claimed by this agent after all. */
  async hasReady(agent: string, isMine = false): Promise<boolean> {
    const candidate = await this.#index.best(agent, isMine)
    if (candidate) this.#index.handBack(candidate)
    return candidate !== undefined
  }

  /** True when something waits for this agent, as far as is known without looking. */
  hasAny(agent: string): boolean {
    return this.#index.hasAny(agent)
  }

  /** True when what these texts name is known to be done, without looking. */
  areMet(dependencies: readonly string[]): boolean {
    return this.#dependencies.areMet(dependencies)
  }

  /** What still holds a message back; empty when nothing does. */
  judge(message: Pick<AcmqRecord, 'id' | 'dependencies'>): Promise<readonly DependencyState[]> {
    return this.#index.judge(message)
  }

  /** Where messages of other missions will be completed that are waited for here. */
  get elsewhere() {
    return this.#index.elsewhere
  }

  /** Where a message is by now, wherever that is; `undefined` when nobody knows it. */
  stateOf(id: string) {
    return this.#dependencies.stateOf(id)
  }

  /** The same for people, who are told of the cycle that it is in: that takes a look at all that waits. */
  whyHeld(candidate: Candidate): Promise<readonly DependencyState[]> {
    return this.#index.whyHeld(candidate)
  }

  /** All that waits, by file name, after a look at everything. */
  async all(): Promise<ReadonlyMap<string, Candidate>> {
    await this.#index.refresh(true)
    return this.#index.all
  }

  /** What is held back, for this agent or for anybody, and why, as far as is known without another look. */
  async blocked(agent?: string, isMine = false) {
    const parked = await this.#index.blocked(agent, isMine)
    return parked.map(({ candidate, states }) => ({ candidate, states, why: blockedAs(candidate, explain(states)) }))
  }

  /** Files in the queue that are no messages, and what is wrong with them. */
  get malformed() {
    return [...this.#index.malformed].map(([name, problem]) => ({ name, problem }))
  }

  /** Files in the queue that this user may not read, and whose they are. */
  get closed() {
    return [...this.#index.closed].map(([name, problem]) => ({ name, problem }))
  }

  /** Named like messages, but no files. */
  get strange(): readonly Entry[] {
    return this.#index.strange
  }
}
