/**
 * The messages that wait, best first. Kept in memory, derived from the files and disposable: names come from the
 * folder, the rest from the headers, and the header of a message is read again in the very step that claims it.
 */
import { SignalboxError } from '../../../kernel/errors.ts'
import type { DependencyState } from '../dependencies.ts'
import { isMessageName, parseFileName, parseTime } from '../layout.ts'
import type { AcmqRecord } from '../schema.ts'
import type { DependencyBook } from './dependency-book.ts'
import { shortLength } from './finder.ts'
import { FolderView } from './folder-view.ts'
import { Heap } from './heap.ts'
import type { MissionFiles } from './mission-files.ts'

export interface Candidate {
  readonly name: string
  readonly record: AcmqRecord
  readonly time: number
}

export interface Malformed {
  readonly name: string
  readonly error: SignalboxError
}

export interface Parked {
  readonly candidate: Candidate
  readonly states: readonly DependencyState[]
}

/** However quiet the folders are, everything held back is judged again after this many milliseconds. */
const judgeAllAfter = 3000

/** AC-MQ §4.2: priority (1 first), then time, then id. */
const isBefore = (a: Candidate, b: Candidate): boolean =>
  a.record.priority !== b.record.priority
    ? a.record.priority < b.record.priority
    : a.time !== b.time
      ? a.time < b.time
      : a.record.id < b.record.id

export class PendingIndex {
  readonly #files: MissionFiles
  readonly #book: DependencyBook
  readonly #view: FolderView
  readonly #completed: FolderView
  readonly #candidates = new Map<string, Candidate>()
  readonly #ready = new Map<string, Heap<Candidate>>()
  /** Held back by dependencies. */
  readonly #parked = new Map<string, Parked>()
  /** Those of them that wait for a message, by its short id. */
  readonly #waiting = new Map<string, Set<Candidate>>()
  readonly #malformed = new Map<string, SignalboxError>()
  #judgedAllAt = performance.now()

  constructor(files: MissionFiles, book: DependencyBook) {
    this.#files = files
    this.#book = book
    this.#view = new FolderView(files.tree, files.queues.pending)
    this.#completed = new FolderView(files.tree, files.queues.completed)
  }

  get malformed(): readonly Malformed[] {
    return [...this.#malformed].map(([name, error]) => ({ name, error }))
  }

  /** Takes in what came and went. `must`: nothing was found, so being sparing would mean missing something. */
  async refresh(must = false): Promise<void> {
    const { came, went } = await this.#view.changes(must)
    for (const name of went) this.#forget(name)
    for (const { name, kind } of came) if (kind === 'leaf' && isMessageName(name)) await this.#read(name)
    if (must) for (const name of [...this.#malformed.keys()]) await this.#read(name)
    if (this.#parked.size > 0) await this.#wakeFinished(must)
  }

  /** Messages that others completed wake those that wait for them; the rest is judged again now and then. */
  async #wakeFinished(must: boolean): Promise<void> {
    const { came } = await this.#completed.changes(must)
    for (const { name } of came) {
      const short = parseFileName(name)?.shortId.slice(0, shortLength)
      if (short !== undefined) this.wake(short)
      else this.#wakeAll()
    }
    if (!must) return
    const isDue = performance.now() - this.#judgedAllAt > judgeAllAfter
    for (const parked of [...this.#parked.values()]) {
      // A file can appear, an unknown message be sent, a failed one be tried again: no folder of ours tells.
      const isHeld = parked.states.length === 0
      if (isDue || isHeld || parked.states.some(({ is }) => is !== 'waiting')) this.#unpark(parked.candidate)
    }
    if (isDue) this.#judgedAllAt = performance.now()
  }

  #wakeAll(): void {
    for (const { candidate } of [...this.#parked.values()]) this.#unpark(candidate)
  }

  /** A message this process has just put there. */
  add(name: string, record: AcmqRecord): void {
    this.#view.add(name)
    this.#take({ name, record, time: parseTime(record.timestamp) ?? 0 })
  }

  /** A message that is not waiting any more. */
  drop(name: string): void {
    this.#view.drop(name)
    this.#forget(name)
  }

  /** Not for now, for a reason that is none of its dependencies: it is offered again when nothing else is left. */
  holdBack(candidate: Candidate): void {
    this.#park(candidate, [])
  }

  /** Reads a header again that turned out to be other than remembered. */
  async reread(name: string): Promise<void> {
    this.#forget(name)
    await this.#read(name)
  }

  /** Something is completed: what waited for it is judged again. */
  wake(id: string): void {
    const short = id.slice(0, shortLength)
    const woken = this.#waiting.get(short)
    if (!woken) return
    for (const candidate of [...woken]) this.#unpark(candidate)
  }

  /** The best message for this agent whose dependencies are met. It stays in the index until it is dropped. */
  async best(agent: string): Promise<Candidate | undefined> {
    for (;;) {
      const heap = this.#betterOf(this.#ready.get(agent), this.#ready.get('all'))
      const candidate = heap?.peek()
      if (!heap || !candidate) return undefined
      if (this.#candidates.get(candidate.name) !== candidate || this.#parked.has(candidate.name)) {
        heap.pop()
        continue
      }
      const states = await this.#book.judge(candidate.record)
      if (states.length === 0) return candidate
      heap.pop()
      this.#park(candidate, states)
    }
  }

  /** Every message held back, for this agent or for anybody, judged now. */
  async blocked(agent?: string): Promise<Parked[]> {
    const result: Parked[] = []
    for (const candidate of this.#candidates.values()) {
      const { to, dependencies } = candidate.record
      if (dependencies.length === 0 || (agent !== undefined && to !== agent && to !== 'all')) continue
      const states = await this.#book.judge(candidate.record)
      if (states.length > 0) result.push({ candidate, states })
      else this.#unpark(candidate)
    }
    return result.sort((a, b) => (isBefore(a.candidate, b.candidate) ? -1 : 1))
  }

  all(): readonly Candidate[] {
    return [...this.#candidates.values()].sort((a, b) => (isBefore(a, b) ? -1 : 1))
  }

  async #read(name: string): Promise<void> {
    try {
      const read = await this.#files.readHeader('pending', name)
      this.#malformed.delete(name)
      if (!read) return
      const { record } = read.message
      this.#take({ name, record, time: parseTime(record.timestamp) ?? read.modifiedAt })
    } catch (error) {
      if (!(error instanceof SignalboxError) || error.kind !== 'Corrupt') throw error
      this.#malformed.set(name, error)
    }
  }

  #take(candidate: Candidate): void {
    const { name, record } = candidate
    this.#candidates.set(name, candidate)
    this.#book.learn(record.id, name)
    this.#push(candidate)
  }

  #push(candidate: Candidate): void {
    const { to } = candidate.record
    let heap = this.#ready.get(to)
    if (!heap) {
      heap = new Heap(isBefore)
      this.#ready.set(to, heap)
    }
    heap.push(candidate)
  }

  #betterOf(a: Heap<Candidate> | undefined, b: Heap<Candidate> | undefined): Heap<Candidate> | undefined {
    const [first, second] = [a?.peek(), b?.peek()]
    if (!first) return b
    if (!second) return a
    return isBefore(second, first) ? b : a
  }

  #park(candidate: Candidate, states: readonly DependencyState[]): void {
    this.#parked.set(candidate.name, { candidate, states })
    for (const state of states) {
      if (!('on' in state)) continue
      const short = state.on.slice(0, shortLength)
      const waiting = this.#waiting.get(short) ?? new Set()
      this.#waiting.set(short, waiting.add(candidate))
    }
  }

  #unpark(candidate: Candidate): void {
    const parked = this.#parked.get(candidate.name)
    if (!parked) return
    this.#parked.delete(candidate.name)
    for (const state of parked.states) {
      if ('on' in state) this.#waiting.get(state.on.slice(0, shortLength))?.delete(parked.candidate)
    }
    if (this.#candidates.get(candidate.name) === parked.candidate) this.#push(parked.candidate)
  }

  #forget(name: string): void {
    const parked = this.#parked.get(name)
    if (parked) {
      this.#candidates.delete(name)
      this.#unpark(parked.candidate)
    }
    this.#candidates.delete(name)
    this.#malformed.delete(name)
  }
}
