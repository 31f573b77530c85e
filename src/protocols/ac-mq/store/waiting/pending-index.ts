/**
 * The messages that wait, best first, in memory. Only a hint: the move that claims a message reads its header again. The index
 * begins with what the cache on disk holds, and leaves there what it finds out.
 *
 * An edit in place changes no name and no time of the folder, so a few hundred headers are read again each second, in turn.
 * See docs/decisions/0025-a-cache-of-what-waits.md.
 */
import { inOrder } from '../../../../kernel/order.ts'
import type { TreePath } from '../../../../kernel/tree-path.ts'
import type { Entry } from '../../../../tree/tree.ts'
import { type DependencyState, explainWaiting } from '../../dependencies.ts'
import type { ClosedMessage, MalformedMessage } from '../../format.ts'
import { everyone, isMessageName, parseFileName } from '../../layout.ts'
import type { AcmqRecord } from '../../schema.ts'
import { EditChecks } from '../edit-checks.ts'
import type { Finder } from '../finder.ts'
import { FolderView } from '../folder-view.ts'
import { blockedAs } from '../outcomes.ts'
import type { MissionFiles } from '../parts.ts'
import { type Candidate, candidateOf, isAsRemembered } from './candidate.ts'
import { DependencyStates } from './dependency-states.ts'
import { HeldBack, isElsewhere, type Parked } from './held-back.ts'
import { Leaps } from './leaps.ts'
import type { PendingCache } from './pending-cache.ts'
import { Ready } from './ready.ts'

/** Milliseconds after which all held messages are judged again, in all and for each message. */
const judgeAllAfter = 3000
const judgeAllEach = 0.5
/** After reading headers again, the next round waits this many times as long as the reading took: slow disks need a rest. */
const restFactor = 50
/** A process that sends so many messages without claiming is taken for a mere sender: it stops remembering them. */
const mostUnseen = 4096
/** The heaps are cleared when they hold more messages that are gone than this and those that wait. */
const mostGone = 256
/** Estimated milliseconds for an attempt to claim and for a look at one message, compared with listing the folder. */
const tryMs = 0.05
const probeMs = 0.02

const nowhere: readonly TreePath[] = []

export class PendingIndex {
  protected readonly files: MissionFiles
  readonly #dependencies: DependencyStates
  readonly #view: FolderView
  readonly #completed: FolderView
  readonly #candidates = new Map<string, Candidate>()
  readonly #ready = new Ready()
  readonly #held = new HeldBack()
  /** Files in the queue that are malformed, or that this user may not read. */
  readonly #unreadable = new Map<string, MalformedMessage | ClosedMessage>()
  readonly #leaps = new Leaps()
  readonly #editChecks = new EditChecks()
  /** Milliseconds spent on lost races since they last made this process list the folder. */
  #lostMs = 0
  #judgedAllAt = performance.now()
  #cache: Promise<PendingCache> | undefined
  #seeded: Promise<void> | undefined
  /** All known headers were read after this, by the tree's time. */
  #readAt = 0
  #restsUntil = 0
  #unseen = 0
  /** How many messages in `#ready` may be gone. */
  #gone = 0
  /** True once a message with dependencies was seen: from then on it matters which file has which id. */
  #isLearning = false

  constructor(files: MissionFiles, finder: Finder) {
    this.files = files
    this.#dependencies = new DependencyStates(files, finder)
    this.#view = new FolderView(files.tree, files.queues.pending)
    this.#completed = new FolderView(files.tree, files.queues.completed)
  }

  /** All waiting messages by file name, after listing the folder. */
  async all(): Promise<ReadonlyMap<string, Candidate>> {
    await this.refresh(true)
    return this.#candidates
  }

  isKnown(name: string): boolean {
    return this.#candidates.has(name)
  }

  /** True also for a file that cannot be read as a message. */
  isInQueue(name: string): boolean {
    return this.isKnown(name) || this.#unreadable.has(name)
  }

  get unreadable() {
    return [...this.#unreadable].map(([name, read]) => ({ name, read }))
  }

  get strange(): readonly Entry[] {
    const entries = [...this.#view.names].map(([name, kind]) => ({ name, kind }))
    return entries.filter(({ name, kind }) => kind !== 'leaf' && isMessageName(name))
  }

  /** Loaded on demand: a process that only sends does not need it. */
  cache(): Promise<PendingCache> {
    this.#cache ??= import('./pending-cache.ts').then(({ PendingCache }) => new PendingCache(this.files))
    return this.#cache
  }

  /** Leaves for the next process what this one found out. */
  async remember(): Promise<void> {
    await (await this.cache()).save(this.#candidates, this.#readAt)
  }

  /** True when `refresh` would do nothing: calling it for every message would cost an `await`, as much as a system call. */
  get isFresh(): boolean {
    const now = performance.now()
    return (
      !this.#view.isDue(now) &&
      !this.#editChecks.isDue(this.files.clock.now()) &&
      (this.#held.size === 0 || !this.#completed.isDue(now))
    )
  }

  /** Takes in what came and went. `must`: looks even if it is too early, because the caller found nothing. */
  async refresh(must = false): Promise<void> {
    this.#unseen = 0
    this.#seeded ??= this.#seed()
    await this.#seeded
    await this.#look(must)
    if (must || this.#leaps.isOver) for (const candidate of this.#leaps.takeBack()) this.handBack(candidate)
    await this.#rereadSome()
    if (must) for (const name of [...this.#unreadable.keys()]) await this.#read(name)
    if (this.#held.size > 0) await this.#wakeFinished(must)
  }

  #look(must: boolean): Promise<void> {
    return this.#view.update(must, async ({ came, went }) => {
      for (const name of went) this.#forget(name)
      await this.#readAll(came.flatMap(({ name, kind }) => (kind === 'leaf' && isMessageName(name) ? [name] : [])))
    })
  }

  async #seed(): Promise<void> {
    this.#readAt = await this.files.tree.now()
    const known = await (await this.cache()).load()
    if (!known) return
    this.#readAt = known.readAt
    this.#view.seed(known.candidates.map(({ name }) => name))
    for (const candidate of known.candidates) if (!this.#candidates.has(candidate.name)) this.#take(candidate)
  }

  async #rereadSome(): Promise<void> {
    const startedAt = performance.now()
    if (startedAt < this.#restsUntil) return
    const names = this.#editChecks.next(this.#candidates, this.files.clock.now())
    if (names.length === 0) return
    await this.#readAll(names)
    const endedAt = performance.now()
    this.#restsUntil = endedAt + (endedAt - startedAt) * restFactor
  }

  /** Releases messages whose dependencies other processes completed. All others are judged again now and then. */
  async #wakeFinished(must: boolean): Promise<void> {
    const areFewAway = must && this.#held.awaySize * probeMs < this.#completed.cost
    if (!areFewAway) await this.#wakeCompleted(must)
    if (!must) return
    // The folders of this mission do not show what another mission completes.
    await this.#wakeFinishedAway(areFewAway ? this.#held.away() : this.#held.away().filter(isElsewhere))
    const isDue = performance.now() - this.#judgedAllAt > judgeAllAfter + this.#held.size * judgeAllEach
    for (const { candidate, states } of this.#held.all()) {
      // `completed/` does not show that a file appeared, an unknown message was sent or a failed one is tried again.
      const isOtherwiseHeld = states.length === 0
      if (isDue || isOtherwiseHeld || states.some(({ is }) => is !== 'waiting')) this.#unpark(candidate)
    }
    if (isDue) this.#judgedAllAt = performance.now()
  }

  #wakeCompleted(must: boolean): Promise<void> {
    return this.#completed.update(must, ({ came }) => {
      for (const { name } of came) {
        const parsed = parseFileName(name)
        if (parsed) this.wake(parsed.shortId)
        else for (const { candidate } of this.#held.all()) this.#unpark(candidate)
      }
    })
  }

  /** Releases messages whose dependencies other processes finished, if looking for these is quicker than listing folders. */
  async wakeWithoutListing(): Promise<boolean> {
    const isSooner = this.#held.awaySize * probeMs < this.#view.cost + this.#completed.cost
    return isSooner && this.#wakeFinishedAway(this.#held.away())
  }

  /** Looks up the state of each message that another process has claimed. */
  async #wakeFinishedAway(ids: readonly string[]): Promise<boolean> {
    let hasWoken = false
    for (const id of ids) {
      const state = await this.#dependencies.stateOf(id)
      if (state === 'pending' || state === 'processing') continue
      this.wake(id)
      hasWoken = true
    }
    return hasWoken
  }

  /** The folders of other missions in which messages will arrive that messages here wait for. */
  get elsewhere(): readonly TreePath[] {
    if (this.#held.elsewhere.size === 0) return nowhere
    const folders = [...this.#held.elsewhere].map((text) => this.#dependencies.folderBehind(text))
    return [...new Set(folders.filter((folder) => folder !== undefined))].sort()
  }

  came(name: string, record: AcmqRecord): void {
    if (this.#unseen >= mostUnseen) return
    if (++this.#unseen === mostUnseen) {
      this.#startOver()
      return
    }
    this.#view.add(name)
    this.#take(candidateOf(name, record))
  }

  /** Forgets everything: the next `refresh` begins as in a new process. */
  #startOver(): void {
    this.#view.clear()
    this.#candidates.clear()
    this.#unreadable.clear()
    this.#leaps.takeBack()
    for (const { candidate } of this.#held.all()) this.#held.release(candidate.name)
    this.#ready.keep(() => false)
    this.#gone = 0
    this.#cache = undefined
    this.#seeded = undefined
  }

  went(name: string): void {
    this.#view.drop(name)
    this.#forget(name)
  }

  /** Skips a message for another reason than its dependencies, until no other message is left. */
  holdBack(candidate: Candidate): void {
    this.#park(candidate, [])
  }

  /** Reads a header again that differs from what was remembered. True when the file cannot be read as a message. */
  async reread(name: string): Promise<boolean> {
    this.#forget(name)
    await this.#read(name)
    return this.#unreadable.has(name)
  }

  wake(id: string): void {
    for (const candidate of this.#held.waitingFor(id)) this.#unpark(candidate)
  }

  /**
   * The best message for this agent whose dependencies are met. This process offers it to no other agent until `handBack`.
   * `isMine`: leaves out messages to all.
   */
  best(agent: string, isMine = false): Candidate | undefined | Promise<Candidate | undefined> {
    const next = this.#next(agent, isMine)
    const isKnown = next === undefined || (next !== 'look' && this.#dependencies.areMet(next.dependencies))
    return isKnown ? next : this.#bestOf(next, agent, isMine)
  }

  async #bestOf(first: Candidate | 'look', agent: string, isMine: boolean): Promise<Candidate | undefined> {
    for (let next: Candidate | 'look' | undefined = first; next; next = this.#next(agent, isMine)) {
      if (next === 'look') {
        await this.#look(true)
        this.#leaps.keep((candidate) => this.#isWaiting(candidate))
        continue
      }
      const states = await this.#judgeInHand(next)
      if (states.length === 0) return next
      if (this.#isWaiting(next)) this.#park(next, states)
    }
    return undefined
  }

  /** The next candidate. `look`: listing the folder is quicker than trying all candidates that were leapt over. */
  #next(agent: string, isMine: boolean): Candidate | 'look' | undefined {
    for (;;) {
      const heap = this.#ready.bestFor(agent, isMine)
      const candidate = heap?.peek()
      if (this.#leaps.isBefore(candidate?.priority ?? Number.POSITIVE_INFINITY)) {
        if (this.#leaps.unseen * tryMs > this.#view.cost) return 'look'
        const over = this.#leaps.take()
        if (!over || !this.#isWaiting(over)) continue
        if (over.to === agent || (over.to === everyone && !isMine)) return over
        this.#ready.push(over)
        continue
      }
      if (!heap || !candidate) return undefined
      heap.pop()
      if (this.#isWaiting(candidate) && !this.#leaps.skips(candidate)) return candidate
    }
  }

  hasAny(agent: string): boolean {
    return this.#leaps.size > 0 || this.#ready.bestFor(agent)?.peek() !== undefined
  }

  /** Offers a message again, unless it was claimed or is gone. */
  handBack(candidate: Candidate): void {
    if (this.#isWaiting(candidate)) this.#ready.push(candidate)
  }

  async #judgeInHand(candidate: Candidate): Promise<readonly DependencyState[]> {
    try {
      return await this.judge(candidate)
    } catch (error) {
      this.handBack(candidate)
      throw error
    }
  }

  /** True when the candidate is neither gone nor changed nor held back. */
  #isWaiting(candidate: Candidate): boolean {
    return this.#candidates.get(candidate.name) === candidate && !this.#held.has(candidate.name)
  }

  /** Another process claimed this message. When such losses have cost as much as a listing, the folder is listed. */
  async lost(candidate: Candidate, tookMs: number): Promise<void> {
    this.#leaps.lost(candidate, this.#ready.sizeFor(candidate.to))
    this.#lostMs += tookMs
    if (this.#lostMs < this.#view.cost) return
    this.#lostMs = 0
    await this.#look(true)
  }

  /** What still holds a message back; empty when nothing does. A dependency that waits in this queue is not looked up. */
  judge(message: Pick<AcmqRecord, 'id' | 'dependencies'>): Promise<readonly DependencyState[]> {
    return this.#dependencies.judge(message, (id) => this.#isOurs(id))
  }

  /** True when all of these are known to be met, without looking. */
  areMet(dependencies: readonly string[]): boolean {
    return this.#dependencies.areMet(dependencies)
  }

  /** The state of a message now; `undefined` when the message is not known. */
  stateOf(id: string) {
    return this.#dependencies.stateOf(id)
  }

  /** The messages that are held back, for this agent or for all agents, and why. */
  async blocked(agent?: string, isMine = false) {
    const result: Parked[] = []
    for (const candidate of this.#candidates.values()) {
      const { to, dependencies } = candidate
      if (dependencies.length === 0 || (agent !== undefined && to !== agent && (isMine || to !== everyone))) continue
      const states = await this.judge(candidate)
      if (states.length > 0) result.push({ candidate, states })
      else this.#unpark(candidate)
    }
    const named = (await this.#named(result)).sort((a, b) => inOrder(a.candidate, b.candidate))
    return named.map(({ candidate, states }) => ({
      candidate,
      states,
      why: blockedAs(candidate, explainWaiting(states)),
    }))
  }

  /** Adds the cycle that a message is in. Cycles are searched only when a message waits for another waiting message. */
  async #named(held: readonly Parked[]): Promise<Parked[]> {
    if (!held.some(({ states }) => states.some((state) => state.is === 'waiting' && state.state === 'pending'))) {
      return [...held]
    }
    const { WaitingCycles } = await import('../../waiting-cycles.ts')
    const cycles = new WaitingCycles(
      [...this.#candidates.values()].filter(({ dependencies }) => dependencies.length > 0),
    )
    return held.map(({ candidate, states }) => ({ candidate, states: cycles.name(candidate.id, states) }))
  }

  /** Why one message is held back, with the cycle that it is in. */
  async whyHeld(candidate: Candidate): Promise<readonly DependencyState[]> {
    const states = await this.judge(candidate)
    return (await this.#named([{ candidate, states }]))[0]!.states
  }

  async #readAll(names: readonly string[]): Promise<void> {
    const left = await this.files.readHeaders('pending', names, (name, record) => this.#learn(name, record))
    for (const name of left) await this.#read(name)
  }

  #learn(name: string, record: AcmqRecord): void {
    this.#unreadable.delete(name)
    const known = this.#candidates.get(name)
    if (known && isAsRemembered(known, record)) return
    if (known) this.#forget(name)
    this.#take(candidateOf(name, record))
  }

  async #read(name: string): Promise<void> {
    const read = await this.files.readHeader('pending', name)
    if (read?.outcome === 'message') this.#learn(name, read.message.record)
    else if (!read) this.#unreadable.delete(name)
    else {
      this.#forget(name)
      this.#unreadable.set(name, read)
    }
  }

  #take(candidate: Candidate): void {
    this.#candidates.set(candidate.name, candidate)
    if (this.#isLearning) this.#dependencies.learn(candidate.id, candidate.name, this.#candidates.size)
    else if (candidate.dependencies.length > 0) this.#learnAll()
    this.#ready.push(candidate)
  }

  #learnAll(): void {
    this.#isLearning = true
    for (const { id, name } of this.#candidates.values()) this.#dependencies.learn(id, name, this.#candidates.size)
  }

  #park(candidate: Candidate, states: readonly DependencyState[]): void {
    this.#held.park(candidate, states, (id) => this.#isOurs(id))
  }

  #unpark({ name }: Candidate): void {
    const candidate = this.#held.release(name)
    if (candidate && this.#candidates.get(name) === candidate) this.#ready.push(candidate)
  }

  /** True for a message that is known to wait in this queue. */
  #isOurs(id: string): boolean {
    const name = this.#dependencies.nameOf(id)
    return name !== undefined && this.#candidates.has(name)
  }

  #forget(name: string): void {
    const known = this.#held.size > 0 ? this.#candidates.get(name) : undefined
    if (known) {
      this.#held.wentAway(known)
      this.#held.release(name)
    }
    this.#unreadable.delete(name)
    if (!this.#candidates.delete(name) || ++this.#gone < mostGone + this.#candidates.size) return
    // Claims remove gone messages from a heap one by one, but this process may never claim for some recipients.
    this.#gone = 0
    this.#ready.keep((candidate) => this.#candidates.get(candidate.name) === candidate)
  }
}
