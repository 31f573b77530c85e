/** Lists, status and single messages of a mission. Changes nothing. */
import { SignalboxError } from '../../../kernel/errors.ts'
import { inOrder } from '../../../kernel/order.ts'
import { unlessUnreadable } from '../../../messaging/leaves/tolerant.ts'
import { eachArchived, listArchived } from '../archive/archive.ts'
import { archivePath, everyone, isMessageName, parseTime } from '../layout.ts'
import { failureOf, resultOf } from '../reports.ts'
import { forQueues, type QueueName, queueNames } from '../schema.ts'
import { archivedCopy, queuedCopy, readCopy } from './copies.ts'
import type { Finder } from './finder.ts'
import { type MissionFiles, unreadableReason } from './parts.ts'
import type { Stalled, Supervision } from './supervising.ts'
import { type AcmqView, type AcmqViewWithBody, type ArchivedView, archivedView, viewOf } from './view.ts'
import type { Candidate, WaitingMessages } from './waiting/waiting.ts'

export interface ListedMessages {
  readonly messages: readonly AcmqView[]
  readonly unreadable: readonly Unreadable[]
}

export interface Unreadable {
  readonly path: string
  readonly reason: string
}

export interface QueueStatus {
  readonly counts: Readonly<Counts>
  readonly oldestPending: { readonly id: string; readonly summary: string; readonly ageSeconds: number } | undefined
  readonly blocked: readonly { readonly id: string; readonly summary: string; readonly reason: string }[]
  readonly stalled: readonly Stalled[]
  readonly unreadable: readonly Unreadable[]
  readonly completedLastHour: number
  readonly failedLastHour: number
  readonly agents: Readonly<Record<string, Readonly<Counts>>>
  readonly archived: number
}

type Counts = Record<QueueName, number>
const none = (): Counts => forQueues(() => 0)

const hour = 60 * 60 * 1000

export class Overview {
  readonly #files: MissionFiles
  readonly #finder: Finder
  readonly #waiting: WaitingMessages
  readonly #supervision: Supervision

  constructor(files: MissionFiles, finder: Finder, waiting: WaitingMessages, supervision: Supervision) {
    this.#files = files
    this.#finder = finder
    this.#waiting = waiting
    this.#supervision = supervision
  }

  async list(queue: QueueName): Promise<ListedMessages> {
    const messages: AcmqView[] = []
    const unreadable: Unreadable[] = []
    for await (const one of this.each(queue)) {
      if ('reason' in one) unreadable.push(one)
      else messages.push(one)
    }
    return { messages, unreadable }
  }

  /** The messages of a queue, one by one, and the files that are named like messages and cannot be read. */
  async *each(queue: QueueName): AsyncGenerator<AcmqView | Unreadable> {
    for (const { name, kind } of await this.#files.tree.list(this.#files.queues[queue])) {
      if (!isMessageName(name)) continue
      const path = this.#files.at(queue, name)
      if (kind !== 'leaf') {
        yield { path, reason: `Not an ordinary file (${kind}).` }
        continue
      }
      try {
        const read = await this.#files.readHeader(queue, name)
        if (read?.outcome === 'message') yield viewOf(read.message.record, queue, path, read.problems)
        else if (read) yield { path, reason: unreadableReason(read) }
      } catch (error) {
        if (!(error instanceof SignalboxError)) throw error
        yield { path, reason: error.message }
      }
    }
  }

  async waiting() {
    const { messages, unreadable } = await this.list('pending')
    const reasons = new Map((await this.blocked()).map(({ message, reason }) => [message.name, reason]))
    const timed = messages.map((message) => ({ ...message, time: parseTime(message.createdAt) ?? 0 })).sort(inOrder)
    const waiting = timed.map(({ time: _, ...message }) => {
      const blocked = reasons.get(message.name)
      return blocked === undefined ? message : { ...message, blocked }
    })
    return { messages: waiting, unreadable }
  }

  /** The messages that this agent could claim, in the order of claiming. */
  async *readyFor(agent: string): AsyncGenerator<AcmqView> {
    const mine = [...(await this.#waiting.all()).values()].filter(({ to }) => to === agent || to === everyone)
    for (const candidate of mine.sort(inOrder)) {
      if ((await this.#waiting.judge(candidate)).length > 0) continue
      const record = await this.#files.readRecord('pending', candidate.name)
      if (record) yield viewOf(record, 'pending', this.#files.at('pending', candidate.name))
    }
  }

  /** The archived messages, read from the indexes alone. */
  async *archived(): AsyncGenerator<ArchivedView> {
    const { tree, place, settings } = this.#files
    for await (const entry of eachArchived(tree, archivePath(place), settings)) yield archivedView(entry, place.address)
  }

  async listArchived(): Promise<ArchivedView[]> {
    const { tree, place, settings } = this.#files
    return (await listArchived(tree, archivePath(place), settings)).map((entry) => archivedView(entry, place.address))
  }

  /** The messages whose id is or begins with this one, in the archive too. */
  async *meant(id: string): AsyncGenerator<AcmqView | ArchivedView> {
    for (const { queue, name, path } of await this.#finder.findAll(id)) {
      const record = await this.#files.readRecord(queue, name)
      if (record) yield viewOf(record, queue, path)
    }
    for (const entry of await this.#finder.archived(id)) yield archivedView(entry, this.#files.place.address)
  }

  async show(id: string): Promise<AcmqViewWithBody> {
    const found = await this.#finder.findAll(id)
    if (found.length > 0) {
      const copy = await queuedCopy(this.#files, await this.#finder.findOne(id))
      return copy ? readCopy(this.#files, copy) : this.show(id)
    }
    const [archived] = await this.#finder.archived(id)
    if (!archived) throw await this.#finder.notFound(id)
    return readCopy(this.#files, await archivedCopy(this.#files, archived))
  }

  async blocked(agent?: string): Promise<{ message: AcmqView; reason: string }[]> {
    await this.#waiting.all()
    const blocked: { message: AcmqView; reason: string }[] = []
    for (const { candidate, why } of await this.#waiting.blocked(agent)) {
      const record = await this.#files.readRecord('pending', candidate.name)
      if (!record) continue
      const path = this.#files.at('pending', candidate.name)
      blocked.push({ message: viewOf(record, 'pending', path), reason: why.reason })
    }
    return blocked
  }

  async counts(): Promise<Record<QueueName, number>> {
    const counts = none()
    for (const queue of queueNames) {
      const entries = await this.#files.tree.list(this.#files.queues[queue])
      counts[queue] = entries.filter(({ name, kind }) => kind === 'leaf' && isMessageName(name)).length
    }
    return counts
  }

  async status(): Promise<QueueStatus> {
    const now = await this.#files.tree.now()
    const agents: Record<string, Counts> = {}
    const counts = none()
    const lastHour = { completed: 0, failed: 0 }
    const count = (queue: QueueName, to: string) => {
      const own = (agents[to] ??= none())
      own[queue]++
      counts[queue]++
    }
    const waiting = await this.#waiting.all()
    for (const { to } of waiting.values()) count('pending', to)
    const unreadable = this.#unreadablePending()
    for (const queue of queueNames.filter((name) => name !== 'pending')) {
      const listed = await this.list(queue)
      unreadable.push(...listed.unreadable)
      for (const { to } of listed.messages) count(queue, to)
      if (queue === 'completed' || queue === 'failed') lastHour[queue] = await this.#endedLastHour(queue, now)
    }
    const { tree, place, settings } = this.#files
    let archived = 0
    for await (const { status, finishedAt } of eachArchived(tree, archivePath(place), settings)) {
      archived++
      if (now - finishedAt < hour) lastHour[status]++
    }
    return {
      counts,
      oldestPending: await this.#oldest(waiting, now),
      blocked: (await this.#waiting.blocked()).map(({ why: { id, summary, reason } }) => ({ id, summary, reason })),
      stalled: await this.#supervision.findStalled(),
      unreadable,
      completedLastHour: lastHour.completed,
      failedLastHour: lastHour.failed,
      agents,
      archived,
    }
  }

  /** By the time in the message, because a copy or a fresh checkout gives all files a new time. */
  async #endedLastHour(queue: 'completed' | 'failed', now: number): Promise<number> {
    const isRecent = (at: number) => now - at < hour
    const reportOf = queue === 'completed' ? resultOf : failureOf
    let count = 0
    for (const { name, changedAt } of await this.#files.tree.list(this.#files.queues[queue], { times: true })) {
      if (!isMessageName(name) || !isRecent(changedAt)) continue
      const leaf = await unlessUnreadable(this.#files.readWhole(this.#files.at(queue, name)))
      if (isRecent((leaf && reportOf(leaf.bytes)?.at) ?? changedAt)) count++
    }
    return count
  }

  #unreadablePending(): Unreadable[] {
    return [
      ...this.#waiting.unreadable.map(({ name, read }) => ({ name, reason: unreadableReason(read) })),
      ...this.#waiting.strange.map(({ name, kind }) => ({ name, reason: `Not an ordinary file (${kind}).` })),
    ].map(({ name, reason }) => ({ path: this.#files.at('pending', name), reason }))
  }

  async #oldest(waiting: ReadonlyMap<string, Candidate>, now: number): Promise<QueueStatus['oldestPending']> {
    let oldest: Candidate | undefined
    for (const one of waiting.values()) if (!oldest || one.time < oldest.time) oldest = one
    const record = oldest && (await this.#files.readRecord('pending', oldest.name))
    if (!oldest || !record) return undefined
    const { id, summary } = record
    return { id, summary, ageSeconds: Math.max(0, Math.floor((now - oldest.time) / 1000)) }
  }
}
