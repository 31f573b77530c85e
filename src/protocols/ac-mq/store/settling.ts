/**
 * What the holder of a claim does: renew, complete, fail, release. And `retry`, which lets a failed message wait again as its
 * next attempt: an agent that still works on the attempt before is told that it lost its claim. AC-MQ §4.3, §4.4, §8.
 */
import { bufferOf } from '../../../formats/front-matter.ts'
import { call, inputs } from '../../../kernel/call.ts'
import { conflict, invalidInput } from '../../../kernel/errors.ts'
import { nameOf } from '../../../kernel/tree-path.ts'
import { type Claim, type Holding, lostClaim, whyLost } from '../../../messaging/claims/claim.ts'
import type { Moved, MoveOptions, Moving, Overwrite, Times } from '../../../tree/tree.ts'
import { changedSince } from '../../contract.ts'
import {
  type AcmqMessage,
  changeOfStatus,
  failureOf,
  messageOrThrow,
  type ReadMessage,
  withFailure,
  withFields,
  withResult,
  withStatus,
} from '../format.ts'
import { type Transition, transitions } from '../lifecycle.ts'
import { agentId, recipientId } from '../names.ts'
import type { AcmqRecord } from '../schema.ts'
import { readdressed } from './addressing.ts'
import type { ClaimMove } from './claim-move.ts'
import { archivedCopy, type Copy, queuedCopy } from './copies.ts'
import { type Finder, type QueueEntry, untilFree } from './finder.ts'
import { labelOf } from './label.ts'
import { moveMessage, type Travelled } from './moving.ts'
import { type MessageRef, notClaimed, notYours, type Settled, wrongState } from './outcomes.ts'
import type { MissionFiles } from './parts.ts'
import { type AcmqView, viewOf } from './view.ts'
import type { WaitingMessages } from './waiting/waiting.ts'

type Ended = typeof transitions.processing

export class Settling {
  readonly #files: MissionFiles
  readonly #finder: Finder
  readonly #waiting: WaitingMessages
  readonly #claimedHere: ClaimMove['held']

  constructor(files: MissionFiles, finder: Finder, waiting: WaitingMessages, held: ClaimMove['held']) {
    this.#files = files
    this.#finder = finder
    this.#waiting = waiting
    this.#claimedHere = held
  }

  async renew(ref: MessageRef, given: Holding): Promise<Settled<'renewed'> & { readonly until: number }> {
    const holding = checked(given)
    const moved = await this.#moveClaimed(ref, holding, 'renew', (before) => before, { touched: true })
    if (!moved) throw await this.#lost(ref, holding)
    const { record, problems, path, durability } = moved
    const until = (await this.#files.tree.now()) + record.timeout_seconds * 1000
    return { outcome: 'renewed', message: viewOf(record, 'processing', path, problems), durability, until }
  }

  /** AC-MQ §4.3. */
  complete(
    ref: MessageRef,
    holding: Holding,
    result: { readonly text?: string; readonly links?: readonly string[] } = {},
  ): Promise<Settled<'completed' | 'unchanged'>> {
    const { text = '', links = [] } = result
    const at = this.#files.clock.now()
    return this.#settle(ref, holding, 'complete', (before, header) =>
      text === '' && links.length === 0
        ? changeOfStatus(before, 'completed', header)
        : withResult(withStatus(before, 'completed'), { agent: holding.agent, at, text, links }),
    )
  }

  /** Adds a report, which stays in the message. AC-MQ §4.4, §8.1. */
  fail(
    ref: MessageRef,
    holding: Holding,
    failure: { readonly reason: string; readonly detail?: string },
  ): Promise<Settled<'failed' | 'unchanged'>> {
    const at = this.#files.clock.now()
    return this.#settle(ref, holding, 'fail', (before) =>
      withFailure(withStatus(before, 'failed'), { agent: holding.agent, at, ...failure }),
    )
  }

  /** The message waits again, as its next attempt: a holder that goes on working is told that it lost the claim. */
  async release(ref: MessageRef, given: Holding): Promise<Settled<'released'>> {
    const holding = checked(given)
    let again: AcmqRecord | undefined
    const release = (before: Uint8Array, { record }: AcmqMessage, name: string) => {
      const next = nextAttempt(before, name, record)
      again = next.record
      return next.bytes
    }
    const moved = await this.#moveClaimed(ref, holding, 'release', release, { label: () => labelOf(again!) })
    if (!moved) throw await this.#lost(ref, holding)
    const { path, durability } = moved
    this.#waiting.came(nameOf(path), again!)
    return { outcome: 'released', message: viewOf(again!, 'pending', path), durability }
  }

  /** Checks that the files of a result lie inside the mission and exist. */
  async checkLinks(given: readonly string[]) {
    if (given.length === 0) return { links: [], notices: [] }
    return (await import('./links.ts')).checkLinks(this.#files, given)
  }

  /** A failed message waits again, as its next attempt, for its first recipient or for `to`. */
  async retry(id: string, options: { readonly to?: string } = {}): Promise<Settled<'retried' | 'unchanged'>> {
    const to = options.to === undefined ? undefined : recipientId(options.to)
    const found = await this.#finder.findInQueue(id, 'retry')
    if (found.queue === 'pending') {
      const read = await this.#files.readHeader('pending', found.name)
      const record = read && messageOrThrow(read).message.record
      if (record && to !== undefined && record.to !== to) throw notFailed(found.id, record.to, to)
      if (record) return unchanged(viewOf(record, 'pending', found.path))
    }
    if (found.queue !== 'failed') throw wrongState(found.id, found.queue, 'retry')
    let again: AcmqRecord | undefined
    const step = { name: found.name, from: 'failed', transition: 'retry' } as const
    const { moved, path } = await moveMessage(this.#files, step, {
      change: (before, times) => {
        const { record } = this.#files.expect(before, found.name, times).message
        if (record.id !== found.id) return undefined
        const next = nextAttempt(before, found.name, record, to)
        again = next.record
        return next.bytes
      },
      label: () => labelOf(again!),
    })
    // The message moved, or another message has its name by now.
    if (moved.outcome === 'gone' || moved.outcome === 'kept') return this.retry(id, options)
    const { durability } = this.#expectMoved(moved, found.id)
    this.#waiting.came(nameOf(path), again!)
    return { outcome: 'retried', message: viewOf(again!, 'pending', path), durability }
  }

  /** A person denies a waiting message. `body`: the text that the person saw. */
  async refuse(message: AcmqView, body: string, by: string, reason: string): Promise<Settled<'failed'>> {
    let refused: AcmqRecord | undefined
    const step = { name: message.name, from: 'pending', transition: 'refuse' } as const
    const { moved, path } = await moveMessage(this.#files, step, {
      change: (before, times) => {
        const { record, bodyStart } = this.#files.expect(before, message.name, times).message
        const isSeen = record.id === message.id && bufferOf(before).toString('utf8', bodyStart) === body
        if (!isSeen || record.attempt !== message.attempt) return undefined
        refused = record
        return withFailure(withStatus(before, 'failed'), { agent: by, at: this.#files.clock.now(), reason })
      },
    })
    if (moved.outcome === 'gone') throw lostClaim(message.id, 'somebody claimed it first')
    if (moved.outcome === 'kept') throw changedSince(message.id)
    const { durability } = this.#expectMoved(moved, message.id)
    this.#waiting.went(message.name)
    return { outcome: 'failed', message: viewOf(refused!, 'failed', path), durability }
  }

  /** Edits and moves in one step, so that no crash falls in between. */
  async #settle<Ending extends 'complete' | 'fail'>(
    ref: MessageRef,
    given: Holding,
    ending: Ending,
    /** `header`: of a message in our own form, the text of the header. */
    change: (before: Uint8Array, header?: string) => Uint8Array | Overwrite,
  ): Promise<Settled<Ended[Ending] | 'unchanged'>> {
    const holding = checked(given)
    const queue: Ended[Ending] = transitions.processing[ending]
    const settle = (before: Uint8Array, { header }: AcmqMessage) => this.#fitting(change(before, header))
    const moved = await this.#moveClaimed(ref, holding, ending, settle)
    if (!moved) return this.#settledBefore(ref, holding, queue)
    const { record, problems, path, durability } = moved
    if (queue === 'completed') this.#waiting.wake(record.id)
    return { outcome: queue, message: viewOf(record, queue, path, problems), durability }
  }

  /** Changes and moves a message that the caller has claimed; `undefined` when it is no longer in `processing/`. */
  async #moveClaimed(
    ref: MessageRef,
    holding: Holding,
    transition: Transition,
    change: (before: Uint8Array, message: AcmqMessage, name: string) => Uint8Array | Overwrite,
    options: MoveOptions = {},
  ) {
    const found = typeof ref === 'string' ? await this.#held(ref) : ref
    if (!found) return undefined
    const { name, id } = found
    await this.#expectHeldBy(name, holding)
    let read: ReadMessage | undefined
    let times: Times | undefined
    const { moved, path } = await this.#moveHeld(name, id, transition, {
      ...options,
      change: (before, itsTimes) => {
        times = itsTimes
        read = this.#files.expect(before, name, times)
        this.#expectHolder(read.message.record, holding)
        return change(before, read.message, name)
      },
    })
    if (transition !== 'renew') this.#claimedHere.delete(name)
    if (moved.outcome === 'gone') return undefined
    const { bytes, durability } = this.#expectMoved(moved, id)
    const { message, problems } = bytes ? this.#files.expect(bytes, name, times) : read!
    return { record: message.record, problems, path, durability }
  }

  /** Checks the holder before the move: moving the file and back would change its time and prolong the claim. */
  async #expectHeldBy(name: string, holding: Holding): Promise<void> {
    if (this.#claimedHere.has(name)) return
    const read = await this.#files.readHeader('processing', name)
    if (read) this.#expectHolder(messageOrThrow(read).message.record, holding)
  }

  /** Tries again while another process moves the message, to renew or correct it: then it is listed and cannot be moved. */
  #moveHeld(name: string, id: string, transition: Transition, options: MoveOptions): Promise<Travelled> {
    const { tree, queues } = this.#files
    return untilFree(id, async () => {
      const travelled = await moveMessage(this.#files, { name, from: 'processing', transition }, options)
      if (travelled.moved.outcome !== 'gone') return travelled
      const isListed = (await tree.list(queues.processing)).some((entry) => entry.name === name)
      return isListed ? undefined : travelled
    })
  }

  async #held(id: string): Promise<QueueEntry | undefined> {
    const found = await this.#finder.findSurely(id, ['processing'])
    return found.length > 1 ? this.#finder.findOne(id, ['processing']) : found[0]
  }

  /** For a message that is not in `processing/`: unchanged if the caller settled it before, otherwise the claim is lost. */
  async #settledBefore(
    ref: MessageRef,
    holding: Holding,
    queue: 'completed' | 'failed',
  ): Promise<Settled<'unchanged'>> {
    const id = typeof ref === 'string' ? ref : ref.id
    const settled = await this.#settledCopy(id, queue)
    if (!settled) throw await this.#lost(ref, holding)
    const { state, path, bytes } = settled
    const { record } = this.#files.expect(bytes, settled.name, settled).message
    const endedBy = queue === 'failed' ? failureOf(bytes)?.agent : undefined
    if (whyLost(claimOn(record), holding) !== undefined || (endedBy ?? holding.agent) !== holding.agent)
      throw await this.#lost(ref, holding)
    return unchanged(viewOf(record, state, path))
  }

  async #settledCopy(id: string, queue: 'completed' | 'failed'): Promise<Copy | undefined> {
    const [found] = await this.#finder.findSurely(id, [queue])
    const copy = found && (await queuedCopy(this.#files, found))
    if (copy) return copy
    const archived = (await this.#finder.archived(id)).find(({ status }) => status === queue)
    return archived && archivedCopy(this.#files, archived)
  }

  /** Refuses a result that makes the message too large: it would be malformed, and messages that depend on it would wait for ever. */
  #fitting<Change extends Uint8Array | Overwrite>(change: Change): Change {
    const { largestMessage: most } = this.#files.settings
    if (!(change instanceof Uint8Array) || change.length <= most) return change
    const message = `With this text the message would have ${change.length} bytes, and ${most} is the most.`
    throw invalidInput('TOO_LARGE', message, {
      hint: `Write the text to a file in the mission and give that as ${inputs({ link: 'PATH' })}.`,
    })
  }

  #expectHolder(record: AcmqRecord, holding: Holding): void {
    if (record.to !== holding.agent) throw notYours(record, holding.agent)
    const why = whyLost(claimOn(record), holding)
    if (why !== undefined) throw lostClaim(record.id, why)
  }

  #expectMoved(moved: Moved, id: string): Moving {
    if (moved.outcome === 'moved') return moved
    throw conflict('TWO_QUEUES', `Message ${id} is in two queues at once.`, {
      hint: `Put that in order: ${call('acmq reconcile', { mission: this.#files.place.address })}`,
      details: { id },
    })
  }

  async #lost(ref: MessageRef, holding: Holding): Promise<Error> {
    const id = typeof ref === 'string' ? ref : ref.id
    const [found] = await this.#finder.findAll(id)
    const waiting = found?.queue === 'pending' ? await this.#files.readRecord('pending', found.name) : undefined
    if (waiting && isNeverClaimed(waiting, holding)) return notClaimed(waiting, this.#files.place.address, holding)
    if (waiting) return lostClaim(waiting.id, `it waits again, as attempt ${waiting.attempt}`)
    if (found) return lostClaim(found.id, `it is in ${found.queue} now`)
    const [archived] = await this.#finder.archived(id)
    return archived ? lostClaim(archived.id, 'it is archived') : this.#finder.notFound(id)
  }
}

const checked = (holding: Holding): Holding => ({ ...holding, agent: agentId(holding.agent) })

const unchanged = (message: AcmqView) => ({ outcome: 'unchanged', message, durability: 'process' }) as const

/** True when no agent has claimed this attempt, and the caller's receipt names no earlier one. */
const isNeverClaimed = (record: AcmqRecord, { attempt }: Holding): boolean =>
  attempt === undefined ? record.attempt === 1 : attempt === record.attempt

function notFailed(id: string, to: string, wanted: string) {
  const message = `Message ${id} is in pending already, for ${to}: only a failed message can go to ${wanted}.`
  const claim = call('acmq claim', { mission: 'MISSION', id, as: to })
  const hint = `Let it fail first: ${claim}, then ${call('acmq fail')}`
  return conflict('WRONG_STATE', message, { hint, details: { id, queue: 'pending', to } })
}

function nextAttempt(before: Uint8Array, name: string, record: AcmqRecord, to?: string) {
  const fields = { status: 'pending', attempt: record.attempt + 1, ...readdressed(before, name, record, to) } as const
  const { sent_to: _, ...changed } = fields
  return { record: { ...record, ...changed }, bytes: withFields(before, fields) }
}

const claimOn = ({ to: holder, attempt }: AcmqRecord): Claim => ({ holder, attempt })
