/**
 * Which message an agent gets: the best of those that may be worked on, the one that has just come, or the one it names.
 * A claim is the move into `processing/`; it is a lease for `timeout_seconds` from the last change of the file, and known
 * by its attempt. AC-MQ §4.2, §7.3.
 */
import { bufferOf } from '../../../formats/front-matter.ts'
import { explain } from '../dependencies.ts'
import { agentId, everyone, isMessageName } from '../layout.ts'
import type { AcmqRecord } from '../schema.ts'
import { type Finder, type Found, noSuchMessage } from './finder.ts'
import { type Blocked, blockedAs, type Claimed, type Judge, notYours, wrongState } from './outcomes.ts'
import type { MissionFiles } from './parts.ts'
import type { Policy } from './policy.ts'
import { isClaimed, isHeld, type Taken, type Taking } from './taking.ts'
import { viewOf, withBody } from './view.ts'
import { type Candidate, candidateOf } from './waiting/candidate.ts'
import { type ByLabel, foundBy, labelsFor } from './waiting/label.ts'
import type { PendingIndex } from './waiting/pending-index.ts'

export interface ClaimsParts {
  readonly files: MissionFiles
  readonly finder: Finder
  readonly index: PendingIndex
  readonly policy: Policy
  readonly taking: Taking
}

export class Claims {
  readonly #files: MissionFiles
  readonly #finder: Finder
  readonly #index: PendingIndex
  readonly #policy: Policy
  readonly #taking: Taking
  #hasClaimed = false

  constructor({ files, finder, index, policy, taking }: ClaimsParts) {
    this.#files = files
    this.#finder = finder
    this.#index = index
    this.#policy = policy
    this.#taking = taking
  }

  /** The best message for this agent, by priority, time and id, of those whose dependencies are met. */
  async claim(agentName: string): Promise<Claimed> {
    const agent = agentId(agentName)
    const mayHold = !this.#policy.isAbsent && (await this.#policy.isThere())
    const isFirst = !this.#hasClaimed
    this.#hasClaimed = true
    const early = isFirst && !mayHold ? await this.#claimWithoutIndex(agent) : undefined
    if (early) return early
    const held = new Map<string, Blocked>()
    let hasLost = false
    // Nothing is awaited that is known already: each `await` costs as much as a system call.
    for (const step of ['known', 'away', 'all'] as const) {
      if (step === 'known' && !this.#index.isFresh) await this.#index.refresh()
      // Where many wait for each other, what others finished is all that has changed: no need to list anything.
      if (step === 'away' && !(await this.#index.wakeWithoutListing())) continue
      if (step === 'all') await this.#index.refresh(true)
      for (;;) {
        const best = this.#index.best(agent)
        const candidate = best instanceof Promise ? await best : best
        if (!candidate) break
        const startedAt = performance.now()
        let before: number | undefined
        let taken: Taken
        try {
          before = isFirst ? await this.#index.stamp() : undefined
          taken = (mayHold ? await this.#heldBack(candidate) : undefined) ?? (await this.#take(candidate, agent))
          if (isHeld(taken)) this.#index.holdBack(candidate)
        } finally {
          this.#index.handBack(candidate)
        }
        if (taken === 'lost') {
          await this.#index.lookAfterLosing(performance.now() - startedAt)
          // A process that claims once and ends has little to win by going elsewhere, and keeps to the order. Who loses
          // again at once has met nobody: it finds what others took some time ago.
          if (!isFirst) this.#index.lost(candidate, !hasLost)
          hasLost = true
        } else if (isClaimed(taken)) {
          if (isFirst) await this.#index.remember(candidate.name, before)
          return taken
        } else if (isHeld(taken)) held.set(taken.why.id, taken.why)
      }
    }
    return { outcome: 'nothing', blocked: [...(await this.#blocked(agent)), ...held.values()] }
  }

  /**
   * A message that has just come, for an agent who waits because nothing else is there: taken without listing a folder or
   * reading it twice. Nothing when there is more to choose from, or more to find out about it.
   */
  async claimArrived(name: string, agentName: string): Promise<Claimed | undefined> {
    const agent = agentId(agentName)
    if (!isMessageName(name) || this.#index.hasAny(agent)) return undefined
    if (!this.#policy.isAbsent && (await this.#policy.isThere())) return undefined
    // Looked at first: whoever wins a message that is for somebody else has to put it back, which wakes everybody again.
    const record = await this.#files.readRecord('pending', name)
    if (!record || (record.to !== agent && record.to !== everyone)) return undefined
    if (!this.#index.areMet(record.dependencies)) return undefined
    const taken = await this.#take(candidateOf(name, record), agent)
    return isClaimed(taken) ? taken : undefined
  }

  #take(candidate: Candidate, agent: string): Promise<Taken> {
    return this.#taking.takeAsRemembered(candidate, agent, this.#judge)
  }

  /**
   * What is against handing out a message that has just been won: a policy, or a file it depends on that is gone again.
   * Messages that were completed stay completed, and what else counts stands in the message itself.
   */
  readonly #judge: Judge = (record, body) => {
    // A file that was there a moment ago is there; whoever was held up for longer looks again.
    if (this.#policy.isAbsent && this.#index.areMet(record.dependencies)) return undefined
    return this.#against(record, body)
  }

  async #against(record: AcmqRecord, body: string): Promise<string | undefined> {
    const states = await this.#index.judgeRecord(record)
    return states.length > 0 ? explain(states) : this.#policy.against(record, body)
  }

  /** Where a policy may be against it, a message is looked at before anybody tries to win it. */
  async #heldBack(candidate: Candidate): Promise<Taken | undefined> {
    const leaf = await this.#files.tree.read(this.#files.at('pending', candidate.name))
    const read = leaf && this.#files.parse(leaf.bytes, candidate.name)
    // Gone or malformed by now: whoever tries to take it finds out.
    if (read?.outcome !== 'message') return undefined
    const { record, bodyStart } = read.message
    const reason = await this.#policy.against(record, bufferOf(leaf!.bytes).toString('utf8', bodyStart))
    return reason === undefined ? undefined : { outcome: 'held', why: blockedAs(record, reason) }
  }

  async #blocked(agent: string): Promise<Blocked[]> {
    return (await this.#index.blocked(agent)).map(({ candidate, states }) => blockedAs(candidate, explain(states)))
  }

  /** For a process that claims once and ends. */
  async #claimWithoutIndex(agent: string): Promise<Claimed | undefined> {
    return this.#files.tree.first ? this.#claimByLabel(agent) : this.#claimFromCache(agent)
  }

  /** Where the tree keeps labels it knows the best ones itself, however many wait. */
  async #claimByLabel(agent: string): Promise<Claimed | undefined> {
    const { tree, queues } = this.#files
    for (let attempt = 0; attempt < mostLost; attempt++) {
      const labelled = await tree.first?.(queues.pending, labelsFor(agent), mostHeldBack)
      if (!labelled) return undefined
      if (labelled.length === 0) return { outcome: 'nothing', blocked: [] }
      const candidate = await this.#firstOfLabelled(foundBy(labelled))
      if (!candidate) return undefined
      const taken = await this.#take(candidate, agent)
      if (isClaimed(taken)) return taken
    }
    return undefined
  }

  /** What may have to wait is read: its label says no more than that. */
  async #firstOfLabelled(found: readonly ByLabel[]): Promise<Candidate | undefined> {
    for (const one of found.slice(0, mostHeldBack)) {
      if (!one.mayWait) return one
      const record = await this.#files.readRecord('pending', one.name)
      const candidate = record && candidateOf(one.name, record)
      if (candidate && (await this.#index.judge(candidate)).length === 0) return candidate
    }
    return undefined
  }

  /**
   * From what others left in the cache, and without even listing the folder while that can be believed. Finding nothing
   * here means nothing: then it is looked for in earnest.
   */
  async #claimFromCache(agent: string): Promise<Claimed | undefined> {
    const cache = await this.#index.cache()
    for (let attempt = 0; attempt < mostLost; attempt++) {
      const known = await cache.bestFor(agent)
      const candidate = known && (await this.#firstReady(known.candidates))
      if (!candidate) return undefined
      if ((await this.#index.stamp()) !== known.stamp) continue
      const taken = await this.#take(candidate, agent)
      if (!isClaimed(taken)) continue
      const after = (await this.#index.stamp()) ?? known.stamp
      await cache.claimed(candidate.name, known.stamp, after)
      return taken
    }
    return undefined
  }

  async #firstReady(candidates: readonly Candidate[]): Promise<Candidate | undefined> {
    for (const candidate of candidates) if ((await this.#index.judge(candidate)).length === 0) return candidate
    return undefined
  }

  /** One message by its id. Claiming again what one holds is fine. */
  async claimById(id: string, agentName: string, tries = 3): Promise<Claimed> {
    const agent = agentId(agentName)
    await this.#index.refresh(true)
    const found = await this.#finder.findOne(id)
    if (found.queue === 'processing') return this.#again(found, agent)
    if (found.queue !== 'pending') throw wrongState(found.id, found.queue, 'claim')
    const candidate = this.#index.all().get(found.name)
    if (!candidate) throw noSuchMessage(id, this.#files.place.address)
    if (candidate.to !== agent && candidate.to !== everyone) throw notYours(candidate, agent)
    const states = await this.#index.judge(candidate)
    if (states.length > 0) return { outcome: 'nothing', blocked: [blockedAs(candidate, explain(states))] }
    const taken = (await this.#heldBack(candidate)) ?? (await this.#take(candidate, agent))
    if (isClaimed(taken)) return taken
    if (isHeld(taken)) return { outcome: 'nothing', blocked: [taken.why] }
    // It moved, or says something else than it did when it was last read.
    return tries > 1 ? this.claimById(id, agentName, tries - 1) : { outcome: 'nothing', blocked: [] }
  }

  async #again(found: Found, agent: string): Promise<Claimed> {
    const leaf = await this.#files.tree.read(found.path)
    if (!leaf) throw noSuchMessage(found.id, this.#files.place.address)
    const { message: read, problems } = this.#files.expect(leaf.bytes, found.name)
    const { record, bodyStart } = read
    if (record.to !== agent) throw notYours(record, agent)
    const body = bufferOf(leaf.bytes).toString('utf8', bodyStart)
    // Whoever put it there: what a person has to see first is not handed out before.
    const reason = await this.#policy.against(record, body)
    if (reason !== undefined) return { outcome: 'nothing', blocked: [blockedAs(record, reason)] }
    const message = withBody(viewOf(record, 'processing', found.path, problems), body)
    return { outcome: 'claimed', message, until: leaf.changedAt + record.timeout_seconds * 1000, durability: 'process' }
  }
}

/** How often a claim from the cache may lose to somebody else before it looks for itself. */
const mostLost = 4
/** As many as may be found held back before all are looked at. */
const mostHeldBack = 16
