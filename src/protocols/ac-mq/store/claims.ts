/**
 * Taking a message and giving it back done, failed or again. A claim is the move into `processing/`; it is a lease for
 * `timeout_seconds` from the last change of the file, and known by its attempt: after a retry, whoever still works on
 * the attempt before is told so, whatever it writes. AC-MQ §4.2–4.4, §7.3, §8.
 */
import { bufferOf } from '../../../formats/front-matter.ts'
import { conflict, SignalboxError } from '../../../kernel/errors.ts'
import { nameOf } from '../../../kernel/tree-path.ts'
import type { Durability, Moved, Moving, Overwrite } from '../../../tree/tree.ts'
import { explain } from '../dependencies.ts'
import {
  type AcmqMessage,
  changeOfStatus,
  failureOf,
  withFailure,
  withFields,
  withResult,
  withStatus,
} from '../format.ts'
import { agentId, everyone, isMessageName } from '../layout.ts'
import type { AcmqRecord, QueueName } from '../schema.ts'
import { type Candidate, candidateOf, isAsRemembered } from './candidate.ts'
import { type Finder, type Found, noSuchMessage } from './finder.ts'
import { InHand } from './in-hand.ts'
import { type ByLabel, foundBy, labelOf, labelsFor } from './label.ts'
import type { MissionFiles } from './mission-files.ts'
import { moveMessage, type UniqueMove } from './moving.ts'
import type { PendingIndex } from './pending-index.ts'
import type { Policy } from './policy.ts'
import { type AcmqView, type AcmqViewWithBody, viewOf, withBody } from './view.ts'

export interface Blocked {
  readonly id: string
  readonly summary: string
  readonly to: string
  /** Why, in one line for people. */
  readonly reason: string
}

export type Claimed =
  | {
      readonly outcome: 'claimed'
      readonly message: AcmqViewWithBody
      readonly until: number
      readonly durability: Durability
    }
  | { readonly outcome: 'nothing'; readonly blocked: readonly Blocked[] }

export interface Settled<Outcome extends string> {
  readonly outcome: Outcome | 'unchanged'
  readonly message: AcmqView
  readonly durability: Durability
}

/** A message by its id, or as it was claimed: then it is found without searching. */
export type MessageRef = string | Pick<AcmqView, 'id' | 'name'>

export interface Holding {
  readonly agent: string
  /** Which claim is meant; without it, whichever is in force for this agent. */
  readonly attempt?: number
}

/** Says whether a message may go to an agent now; a reason holds it back. */
export type Hold = (record: AcmqRecord, body: string) => string | undefined

type ClaimedOne = Claimed & { readonly outcome: 'claimed' }
/** `lost`: somebody else was faster. `other`: it is not what it was when it was last read. */
type Taken = ClaimedOne | HeldOne | 'lost' | 'other'
interface HeldOne {
  readonly outcome: 'held'
  readonly why: Blocked
}

export class Claims {
  readonly #files: MissionFiles
  readonly #finder: Finder
  readonly #index: PendingIndex
  readonly #policy: Policy
  readonly #inHand = new InHand()
  #hasClaimed = false

  constructor(files: MissionFiles, finder: Finder, index: PendingIndex, policy: Policy) {
    this.#files = files
    this.#finder = finder
    this.#index = index
    this.#policy = policy
  }

  /** The best message for this agent, by priority, time and id, of those whose dependencies are met. */
  async claim(agentName: string): Promise<Claimed> {
    const agent = agentId(agentName)
    const hold = this.#policy.isAbsent ? undefined : await this.#policy.hold()
    const isFirst = !this.#hasClaimed
    this.#hasClaimed = true
    const early = isFirst && !hold ? await this.#claimWithoutIndex(agent) : undefined
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
          taken = await this.#takeAsRemembered(candidate, agent, hold)
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
    if (!this.#policy.isAbsent && (await this.#policy.hold())) return undefined
    const taken = await this.#take(name, agent, ({ dependencies }) => this.#index.areMet(dependencies))
    return isClaimed(taken) ? taken : undefined
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
      const taken = await this.#takeAsRemembered(candidate, agent)
      if (isClaimed(taken)) return taken
    }
    return undefined
  }

  /** What may have to wait is read: its label says no more than that. */
  async #firstOfLabelled(found: readonly ByLabel[]): Promise<Candidate | undefined> {
    for (const one of found.slice(0, mostHeldBack)) {
      if (!one.mayWait) return one
      const read = await this.#files.readHeader('pending', one.name)
      const candidate = read && candidateOf(one.name, read.message.record)
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
      const taken = await this.#takeAsRemembered(candidate, agent)
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
    const taken = await this.#takeAsRemembered(candidate, agent, await this.#policy.hold())
    if (isClaimed(taken)) return taken
    if (isHeld(taken)) return { outcome: 'nothing', blocked: [taken.why] }
    // It moved, or says something else than it did when it was last read.
    return tries > 1 ? this.claimById(id, agentName, tries - 1) : { outcome: 'nothing', blocked: [] }
  }

  #takeAsRemembered(candidate: Candidate, agent: string, hold?: Hold): Promise<Taken> {
    return this.#take(candidate.name, agent, (record) => isAsRemembered(candidate, record), hold)
  }

  /** Takes a message that is as expected when it is read. */
  async #take(name: string, agent: string, isExpected: (record: AcmqRecord) => boolean, hold?: Hold): Promise<Taken> {
    let target = this.#files.at('processing', name)
    let message: AcmqMessage | undefined
    let body = ''
    let reason: string | undefined
    let moved: Moved
    const options: UniqueMove = {
      unique: true,
      change: (before) => {
        // The header is read here, in the step that claims: what the index remembered may be old.
        const read = this.#files.parse(before, name)
        const { record, bodyStart } = read
        message = isFor(record, agent) && isExpected(record) ? read : undefined
        if (!message) return undefined
        body = bufferOf(before).toString('utf8', bodyStart)
        reason = hold?.(record, body)
        if (reason !== undefined) return undefined
        return record.to === everyone
          ? withFields(before, { status: 'processing', to: agent })
          : changeOfStatus(before, 'processing', read.header)
      },
    }
    try {
      ;({ moved, path: target } = await moveMessage(this.#files, { name, from: 'pending', to: 'processing' }, options))
    } catch (error) {
      await this.#expectMalformed(name, error)
      return 'other'
    }
    if (moved.outcome === 'kept' && message) {
      return { outcome: 'held', why: blockedAs(message.record, `held by policy: ${reason}`) }
    }
    if (moved.outcome === 'kept') {
      await this.#index.reread(name)
      return 'other'
    }
    this.#index.drop(name)
    if (moved.outcome !== 'moved' || !message) return 'lost'
    // A file that said `processing` already may not have been written to, so that its clock did not start.
    if (message.record.status === 'processing') await this.#files.tree.touch(target)
    if (!moved.bytes) this.#inHand.remember(nameOf(target), message)
    const { record, problems } = moved.bytes ? this.#files.parse(moved.bytes, name) : message
    return {
      outcome: 'claimed',
      // Only the header was changed.
      message: withBody(viewOf(record, 'processing', target, problems), body),
      until: this.#files.clock.now() + record.timeout_seconds * 1000,
      durability: moved.durability,
    }
  }

  /** It was a message when it was last read; if it is none any more, the others flow all the same. */
  async #expectMalformed(name: string, error: unknown): Promise<void> {
    if (!(error instanceof SignalboxError) || error.kind !== 'Corrupt') throw error
    await this.#index.reread(name)
    if (!this.#index.isMalformed(name)) throw error
  }

  async #again(found: Found, agent: string): Promise<Claimed> {
    const leaf = await this.#files.tree.read(found.path)
    if (!leaf) throw noSuchMessage(found.id, this.#files.place.address)
    const { record, problems, bodyStart } = this.#files.parse(leaf.bytes, found.name)
    if (record.to !== agent) throw notYours(record, agent)
    const body = bufferOf(leaf.bytes).toString('utf8', bodyStart)
    const message = withBody(viewOf(record, 'processing', found.path, problems), body)
    return { outcome: 'claimed', message, until: leaf.changedAt + record.timeout_seconds * 1000, durability: 'process' }
  }

  /** Restarts the time that a claim may take. */
  async renew(ref: MessageRef, holding: Holding): Promise<Settled<'renewed'> & { readonly until: number }> {
    const found = await this.#held(ref)
    const read = found && (await this.#files.readHeader('processing', found.name))
    if (!found || !read) throw await this.#lost(ref)
    this.#expectHolder(read.message.record, holding)
    const touched = await this.#files.tree.touch(found.path)
    if (touched.outcome === 'gone') throw await this.#lost(ref)
    const { record } = read.message
    return {
      outcome: 'renewed',
      message: viewOf(record, 'processing', found.path),
      durability: touched.durability,
      until: this.#files.clock.now() + record.timeout_seconds * 1000,
    }
  }

  complete(
    ref: MessageRef,
    holding: Holding,
    result: { readonly text?: string; readonly links?: readonly string[] } = {},
  ): Promise<Settled<'completed'>> {
    const { text = '', links = [] } = result
    const at = this.#files.clock.now()
    return this.#settle(ref, holding, 'completed', (before, header) =>
      text === '' && links.length === 0
        ? changeOfStatus(before, 'completed', header)
        : withResult(withStatus(before, 'completed'), { agent: holding.agent, at, text, links }),
    )
  }

  fail(
    ref: MessageRef,
    holding: Holding,
    failure: { readonly reason: string; readonly detail?: string },
  ): Promise<Settled<'failed'>> {
    const at = this.#files.clock.now()
    return this.#settle(ref, holding, 'failed', (before) =>
      withFailure(withStatus(before, 'failed'), { agent: holding.agent, at, ...failure }),
    )
  }

  /** A failed message waits again, as the next attempt. Its failure reports stay in its body. */
  async retry(id: string): Promise<Settled<'retried'>> {
    const found = await this.#finder.findOne(id)
    if (found.queue === 'pending') {
      const read = await this.#files.readHeader('pending', found.name)
      if (read)
        return {
          outcome: 'unchanged',
          message: viewOf(read.message.record, 'pending', found.path),
          durability: 'process',
        }
    }
    if (found.queue !== 'failed') throw wrongState(found.id, found.queue, 'retry')
    let failed: AcmqRecord | undefined
    const { moved, path } = await moveMessage(
      this.#files,
      { name: found.name, from: 'failed', to: 'pending' },
      {
        unique: true,
        change: (before) => {
          const { record } = this.#files.parse(before, found.name)
          failed = record
          return withFields(before, { status: 'pending', attempt: record.attempt + 1 })
        },
        label: () => labelOf(failed!),
      },
    )
    if (moved.outcome === 'gone') return this.retry(id)
    const after = this.#expectMoved(moved, found.id)
    const { record } = this.#files.parse(after.bytes!, found.name)
    this.#index.add(nameOf(path), record)
    return { outcome: 'retried', message: viewOf(record, 'pending', path), durability: after.durability }
  }

  /** A waiting message that a person does not want worked on fails with that reason. */
  async refuse(message: AcmqView, by: string, reason: string): Promise<Settled<'failed'>> {
    const { moved, path } = await moveMessage(
      this.#files,
      { name: message.name, from: 'pending', to: 'failed' },
      {
        unique: true,
        change: (before) =>
          withFailure(withStatus(before, 'failed'), { agent: by, at: this.#files.clock.now(), reason }),
      },
    )
    if (moved.outcome === 'gone') throw lostClaim(message.id, 'somebody claimed it first')
    const { bytes, durability } = this.#expectMoved(moved, message.id)
    this.#index.drop(message.name)
    return {
      outcome: 'failed',
      message: viewOf(this.#files.parse(bytes!, message.name).record, 'failed', path),
      durability,
    }
  }

  /** Edit and move in one: the file is either still being worked on, or whole at its new place. */
  async #settle<Outcome extends 'completed' | 'failed'>(
    ref: MessageRef,
    holding: Holding,
    queue: Outcome,
    /** `header`: its text, but for the status, of a message as we write it. */
    change: (before: Uint8Array, header?: string) => Uint8Array | Overwrite,
  ): Promise<Settled<Outcome>> {
    const found = typeof ref === 'string' ? await this.#held(ref) : this.#named(ref)
    if (!found) return this.#settledBefore(ref, holding, queue)
    const { name } = found
    let message: AcmqMessage | undefined
    const { moved, path } = await moveMessage(
      this.#files,
      { name, from: 'processing', to: queue },
      {
        unique: true,
        change: (before) => {
          message = this.#inHand.read(name, before) ?? this.#files.parse(before, name)
          this.#expectHolder(message.record, holding)
          return change(before, message.header)
        },
      },
    )
    this.#inHand.forget(name)
    if (moved.outcome === 'gone') return this.#settledBefore(ref, holding, queue)
    const { bytes, durability } = this.#expectMoved(moved, found.id)
    const { record, problems } = bytes ? this.#files.parse(bytes, name) : message!
    if (queue === 'completed') this.#index.wake(record.id)
    return { outcome: queue, message: viewOf(record, queue, path, problems), durability }
  }

  /** Where the caller's claim should be, when the caller has the name. */
  #named({ id, name }: Exclude<MessageRef, string>): Found {
    return { id, queue: 'processing', name, path: this.#files.at('processing', name) }
  }

  async #held(ref: MessageRef): Promise<Found | undefined> {
    if (typeof ref !== 'string') return this.#named(ref)
    const found = await this.#finder.findAll(ref, ['processing'])
    return found.length > 1 ? this.#finder.findOne(ref, ['processing']) : found[0]
  }

  /**
   * It is not in `processing/`: already where the caller put it, or lost. Of two results the first stands; what a
   * supervisor ended was not ended by the caller, who must know that its claim is over.
   */
  async #settledBefore<Outcome extends 'completed' | 'failed'>(
    ref: MessageRef,
    holding: Holding,
    queue: Outcome,
  ): Promise<Settled<Outcome>> {
    const id = typeof ref === 'string' ? ref : ref.id
    const settled = await this.#settledCopy(id, queue)
    if (!settled) throw await this.#lost(ref)
    const { state, path, bytes } = settled
    const { record } = this.#files.parse(bytes, settled.name)
    const endedBy = queue === 'failed' ? failureOf(bytes)?.agent : undefined
    if (record.to !== holding.agent || !isAttempt(record, holding) || (endedBy ?? holding.agent) !== holding.agent)
      throw await this.#lost(ref)
    return { outcome: 'unchanged', message: viewOf(record, state, path), durability: 'process' }
  }

  async #settledCopy(id: string, queue: 'completed' | 'failed') {
    const { tree } = this.#files
    const [found] = await this.#finder.findAll(id, [queue])
    const leaf = found && (await tree.read(found.path))
    if (leaf) return { state: queue, name: found.name, path: found.path, bytes: leaf.bytes }
    const archived = (await this.#finder.archived(id)).find(({ status }) => status === queue)
    if (!archived) return undefined
    const { readArchived } = await import('../archive.ts')
    const bytes = await readArchived(tree, archived)
    return { state: 'archived' as const, name: archived.name, path: archived.pack, bytes }
  }

  #expectHolder(record: AcmqRecord, holding: Holding): void {
    if (record.to !== holding.agent) throw notYours(record, holding.agent)
    if (!isAttempt(record, holding)) {
      throw lostClaim(record.id, `attempt ${holding.attempt} is over; attempt ${record.attempt} is being worked on`)
    }
  }

  #expectMoved(moved: Moved, id: string): Moving {
    if (moved.outcome === 'moved') return moved
    throw conflict('TWO_QUEUES', `Message ${id} is in two queues at once.`, {
      hint: `Put that in order: acmq reconcile ${this.#files.place.address}`,
      details: { id },
    })
  }

  async #lost(ref: MessageRef): Promise<Error> {
    const id = typeof ref === 'string' ? ref : ref.id
    const [found] = await this.#finder.findAll(id)
    if (found) return lostClaim(found.id, `it is in ${found.queue} now`)
    const [archived] = await this.#finder.archived(id)
    return archived ? lostClaim(archived.id, 'it is archived') : noSuchMessage(id, this.#files.place.address)
  }
}

/** How often a claim from the cache may lose to somebody else before it looks for itself. */
const mostLost = 4
/** As many as may be found held back before all are looked at. */
const mostHeldBack = 16

const isClaimed = (taken: Taken): taken is ClaimedOne => typeof taken === 'object' && taken.outcome === 'claimed'

const isHeld = (taken: Taken): taken is HeldOne => typeof taken === 'object' && taken.outcome === 'held'

const isFor = ({ to }: AcmqRecord, agent: string): boolean => to === agent || to === everyone

const isAttempt = (record: AcmqRecord, { attempt }: Holding): boolean =>
  attempt === undefined || attempt === record.attempt

type Told = Pick<AcmqRecord, 'id' | 'summary' | 'to'>

const blockedAs = ({ id, summary, to }: Told, reason: string): Blocked => ({ id, summary, to, reason })

const lostClaim = (id: string, why: string) =>
  conflict('LOST_CLAIM', `The claim on message ${id} is lost: ${why}.`, {
    hint: 'Stop working on it; what you wrote elsewhere stays. Claim the next message.',
    details: { id },
  })

const notYours = ({ id, to }: Pick<AcmqRecord, 'id' | 'to'>, agent: string) =>
  conflict('NOT_YOUR_MESSAGE', `Message ${id} is for ${to}, not for ${agent}.`, {
    hint: `Act as ${to} if that is who you are: --as ${to}`,
    details: { id, to, agent },
  })

const wrongState = (id: string, queue: QueueName, verb: string) =>
  conflict('WRONG_STATE', `Message ${id} is in ${queue}; there is nothing to ${verb}.`, {
    hint: 'Look at it first: acmq show MISSION ID',
    details: { id, queue },
  })
