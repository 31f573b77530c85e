/**
 * Which message an agent gets: the best one, the one that has just come, or the one with the id that the agent names; and
 * waiting for a message. A claim is the move into `processing/` (`claim-move.ts`). It is a lease for `timeout_seconds` from the
 * last change of the file, and is identified by the attempt. AC-MQ §4.2, §7.3.
 */
import { bufferOf } from '../../../formats/front-matter.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import type { AgentDirectory } from '../../../messaging/agents/directory.ts'
import { isUnread, readOrSayWhy } from '../../../messaging/leaves/readable.ts'
import { type News, waitFor } from '../../../messaging/waiting/waiting.ts'
import { explainWaiting } from '../dependencies.ts'
import { agentId, everyone, isMessageName, parseFileName } from '../layout.ts'
import { type AcmqRecord, areSame } from '../schema.ts'
import { expectShown } from './agents.ts'
import { type ClaimAttempt, type ClaimMove, isClaimed, isHeld } from './claim-move.ts'
import { readCopy } from './copies.ts'
import { type Finder, noSuchMessage, type QueueEntry } from './finder.ts'
import { type Blocked, blockedAs, type Claimed, type Judge, notYours, wrongState } from './outcomes.ts'
import { type MissionFiles, unreadableReason } from './parts.ts'
import type { Policy } from './policy.ts'
import type { Reconciliation } from './reconcile.ts'
import type { Settling } from './settling.ts'
import { type Candidate, candidateOf, type WaitingMessages } from './waiting/waiting.ts'

export interface ClaimOptions {
  readonly agent: string
  readonly id?: string
  readonly waitMs?: number
  /** Leaves out messages to `all`. */
  readonly mine?: boolean
  /** Ends the wait. A message that is claimed after it was aborted is given back. */
  readonly signal?: AbortSignal
}

interface ClaimingParts {
  readonly files: MissionFiles
  readonly finder: Finder
  readonly waiting: WaitingMessages
  readonly policy: Policy
  readonly directory: AgentDirectory
  readonly claimMove: ClaimMove
  readonly settling: Settling
  /** Loaded when there is a file to set aside. */
  readonly reconciliation: () => Promise<Reconciliation>
}

export class Claiming {
  readonly #parts: ClaimingParts
  readonly #files: MissionFiles
  readonly #waiting: WaitingMessages
  readonly #policy: Policy

  constructor(parts: ClaimingParts) {
    this.#parts = parts
    this.#files = parts.files
    this.#waiting = parts.waiting
    this.#policy = parts.policy
  }

  async next(options: ClaimOptions): Promise<Claimed> {
    const { directory } = this.#parts
    const agent = agentId(options.agent)
    if (!directory.hasJustActed(agent)) {
      // Asked at the same time, because on a cluster both questions are one request. A failure is thrown later, when it matters.
      const policy = this.#policy.isThere().catch(() => undefined)
      await directory
        .acted(agent, { home: `acmq:${this.#files.place.address}` })
        .catch((refusal) => expectShown(this.#files, agent, refusal))
      await policy
    }
    const { signal } = options
    if (signal?.aborted) return { outcome: 'nothing', blocked: [] }
    const first = await this.#now(options)
    const claimed = first.outcome === 'claimed' ? first : await this.#tryAndWait(options, first)
    if (claimed.outcome === 'nothing' || !signal?.aborted || claimed.isHeldBefore) return claimed
    await this.#parts.settling.release(claimed.message, { agent, attempt: claimed.message.attempt })
    return { outcome: 'nothing', blocked: [] }
  }

  async #tryAndWait(options: ClaimOptions, first: Claimed): Promise<Claimed> {
    const second = await this.#tryHarder(options, first)
    return second.outcome === 'claimed' || !options.waitMs ? second : this.#waitForOne(options, second)
  }

  #now({ agent, id, mine }: ClaimOptions): Promise<Claimed> {
    return id === undefined ? this.#best(agent, mine) : this.#byId(id, agent)
  }

  /** A second look, before the agent is told that nothing is there. */
  async #tryHarder(options: ClaimOptions, nothing: Claimed): Promise<Claimed> {
    // Listing what is held back may have freed a message whose dependency was completed and archived unseen by this process.
    const isReady = await this.#waiting.hasReady(options.agent, options.mine)
    const taken = isReady ? await this.#now(options) : nothing
    const malformed = this.#waiting.unreadable.filter(({ read }) => read.outcome === 'malformed')
    if (taken.outcome === 'claimed' || malformed.length === 0) return taken
    const reconciliation = await this.#parts.reconciliation()
    for (const { name, read } of malformed) await reconciliation.setAside('pending', name, read.problems[0])
    return taken
  }

  /** Changes in the folders wake it up; without any it looks only now and then. */
  async #waitForOne(options: ClaimOptions, first: Claimed): Promise<Claimed> {
    const { agent, id, waitMs = 0, mine, signal } = options
    const { pending, completed } = this.#files.queues
    let last = first
    let elsewhere: readonly TreePath[] = []
    const attempt = async (news: News | undefined) => {
      // A person may have written a policy right before the message came.
      this.#policy.lookAgain()
      const isArrival = id === undefined && news?.folder === pending
      last = (isArrival ? await this.#arrived(news.name, agent, mine) : undefined) ?? (await this.#now(options))
      if (last.outcome !== 'claimed') last = await this.#tryHarder(options, last)
      if (last.outcome === 'claimed') return last
      // If a message waits for one of another mission by now, that mission has to be watched too.
      return areSame(this.#waiting.elsewhere, elsewhere) ? undefined : 'again'
    }
    const deadline = performance.now() + waitMs
    for (;;) {
      elsewhere = this.#waiting.elsewhere
      const left = deadline - performance.now()
      const folders = [pending, completed, ...elsewhere]
      const found = await waitFor(this.#files.tree, folders, attempt, { waitMs: left, signal })
      if (found !== 'again') return found ?? last
      if (performance.now() >= deadline || signal?.aborted) return last
    }
  }

  /** The best by priority, time and id, of those whose dependencies are met. `isMine`: leaves out messages to all. */
  async #best(agentName: string, isMine = false): Promise<Claimed> {
    const agent = agentId(agentName)
    const mayHold = !this.#policy.isAbsent && (await this.#policy.isThere())
    const held = new Map<string, Blocked>()
    for await (const candidate of this.#waiting.bestFor(agent, mayHold, isMine)) {
      const taken = (mayHold ? await this.#heldBack(candidate) : undefined) ?? (await this.#take(candidate, agent))
      if (isClaimed(taken)) return taken
      if (!isHeld(taken)) continue
      this.#waiting.holdBack(candidate)
      held.set(taken.why.id, taken.why)
    }
    const blocked = (await this.#waiting.blocked(agent, isMine)).map(({ why }) => why)
    return { outcome: 'nothing', blocked: [...blocked, ...held.values(), ...this.#closedTo(agent)] }
  }

  #closedTo(agent: string): Blocked[] {
    return this.#waiting.unreadable.flatMap(({ name, read }) => {
      const parts = parseFileName(name)
      if (read.outcome !== 'closed' || (parts && parts.to !== agent && parts.to !== everyone)) return []
      return [{ id: parts?.shortId ?? name, summary: name, to: parts?.to ?? agent, reason: unreadableReason(read) }]
    })
  }

  /**
   * Takes a message that has just come, without listing a folder. `undefined` when other messages wait too, or when something
   * must be looked up first: then `#best` decides.
   */
  async #arrived(name: string, agentName: string, isMine = false): Promise<Claimed | undefined> {
    const agent = agentId(agentName)
    if (!isMessageName(name) || this.#waiting.hasAny(agent)) return undefined
    if (!this.#policy.isAbsent && (await this.#policy.isThere())) return undefined
    // Read before the move: moving another agent's message and putting it back would wake every watcher.
    const record = await this.#files.readRecord('pending', name)
    if (!record || (record.to !== agent && (isMine || record.to !== everyone))) return undefined
    if (!this.#waiting.areMet(record.dependencies)) return undefined
    const taken = await this.#take(candidateOf(name, record), agent)
    return isClaimed(taken) ? taken : undefined
  }

  #take(candidate: Candidate, agent: string): Promise<ClaimAttempt> {
    return this.#parts.claimMove.take(candidate, agent, this.#judge)
  }

  /** Judges a message that was just won: a policy may hold it back, or a file that it depends on may be gone. */
  readonly #judge: Judge = (record, body) => {
    // `areMet` remembers for milliseconds only, so a process that was stopped in between looks at the folders again.
    if (this.#policy.isAbsent && this.#waiting.areMet(record.dependencies)) return undefined
    return this.#against(record, body)
  }

  async #against(record: AcmqRecord, body: string): Promise<string | undefined> {
    const states = await this.#waiting.judge(record)
    return states.length > 0 ? explainWaiting(states) : this.#policy.against(record, body)
  }

  /** Checks a message against the policy before the move, so that held messages are not moved back and forth. */
  async #heldBack(candidate: Candidate): Promise<ClaimAttempt | undefined> {
    const { tree, settings } = this.#files
    const leaf = await readOrSayWhy(tree, this.#files.at('pending', candidate.name), { most: settings.largestMessage })
    // A message that is gone or unreadable is left to the move, which finds out too.
    if (!leaf || isUnread(leaf)) return undefined
    const read = this.#files.parse(leaf.bytes, candidate.name, leaf)
    if (read.outcome !== 'message') return undefined
    const { record, bodyStart } = read.message
    const reason = await this.#policy.against(record, bufferOf(leaf.bytes).toString('utf8', bodyStart))
    return reason === undefined ? undefined : { outcome: 'held', why: blockedAs(record, reason) }
  }

  /** The message with this id. An agent may claim again what it holds. */
  async #byId(id: string, agentName: string, tries = 3): Promise<Claimed> {
    const agent = agentId(agentName)
    const waiting = await this.#waiting.all()
    const found = await this.#parts.finder.findInQueue(id, 'claim')
    if (found.queue === 'processing') return this.#again(found, agent)
    if (found.queue !== 'pending') throw wrongState(found.id, found.queue, 'claim')
    const candidate = waiting.get(found.name)
    if (!candidate) throw noSuchMessage(id, this.#files.place.address)
    if (candidate.to !== agent && candidate.to !== everyone) throw notYours(candidate, agent)
    const states = await this.#waiting.whyHeld(candidate)
    if (states.length > 0) return { outcome: 'nothing', blocked: [blockedAs(candidate, explainWaiting(states))] }
    const taken = (await this.#heldBack(candidate)) ?? (await this.#take(candidate, agent))
    if (isClaimed(taken)) return taken
    if (isHeld(taken)) return { outcome: 'nothing', blocked: [taken.why] }
    // The message moved, or its header has changed since it was read.
    return tries > 1 ? this.#byId(id, agentName, tries - 1) : { outcome: 'nothing', blocked: [] }
  }

  async #again(found: QueueEntry, agent: string): Promise<Claimed> {
    const leaf = await this.#files.readWhole(found.path)
    if (!leaf) throw noSuchMessage(found.id, this.#files.place.address)
    const message = readCopy(this.#files, { ...found, ...leaf, state: 'processing' })
    if (message.to !== agent) throw notYours(message, agent)
    // A person may have moved the file into `processing/` by hand, past the policy.
    const reason = await this.#policy.against(message, message.body)
    if (reason !== undefined) return { outcome: 'nothing', blocked: [blockedAs(message, reason)] }
    const since = Math.min(leaf.changedAt, await this.#files.tree.now())
    const until = since + message.timeoutSeconds * 1000
    return { outcome: 'claimed', message, until, durability: 'process', isHeldBefore: true }
  }
}
