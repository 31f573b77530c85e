/**
 * Claims whose time has run out. Each is moved to `failed/` with a report, and its sender is asked once to look into it.
 *
 * A supervisor can be killed between the move and the question. So it writes a note before the move, and the next one that
 * comes sends what is missing. The question's id is made of message and attempt, and an id is sent once. The note is removed
 * when the question is there, or when it is sure that none is needed. AC-MQ §8.2.
 */
import { childOf, nameOf, type TreePath } from '../../../kernel/tree-path.ts'
import type { SendingOnce } from '../../../messaging/sending-once/sending-once.ts'
import { printMessage, withFailure, withStatus } from '../format.ts'
import { fileNameOf, isAgentId, isMessageId, isMessageName, isoTime } from '../layout.ts'
import type { AcmqRecord } from '../schema.ts'
import { ClaimedSince } from './claimed-since.ts'
import { findCopy } from './copies.ts'
import { deliveryNotes } from './delivery-notes.ts'
import type { Finder } from './finder.ts'
import { moveMessage } from './moving.ts'
import { sendingOnce } from './once.ts'
import type { MissionFiles, ReadHeader } from './parts.ts'
import { type AcmqView, viewOf } from './view.ts'
import type { Waiting } from './waiting/waiting.ts'

export interface Stalled {
  readonly message: AcmqView
  /** When the claim was last renewed, or made. */
  readonly since: number
  readonly overdueSeconds: number
}

interface StalledClaim extends Stalled {
  /** What the file said when it was read: another time means that it is another claim by now. */
  readonly changedAt: number
}

export interface Swept {
  readonly outcome: 'swept' | 'nothing'
  readonly stalled: readonly { readonly message: AcmqView; readonly investigation: string | undefined }[]
}

/** Who asks, when nobody is named. */
const supervisor = 'supervisor'
const investigationPrefix = 'investigate-'

export const isInvestigation = ({ id }: Pick<AcmqRecord, 'id'>): boolean => id.startsWith(investigationPrefix)

export class Supervision {
  readonly #files: MissionFiles
  readonly #waiting: Waiting
  readonly #finder: Finder
  readonly #once: SendingOnce<string>
  readonly #notes: TreePath
  readonly #since: ClaimedSince

  constructor(files: MissionFiles, finder: Finder, waiting: Waiting) {
    this.#files = files
    this.#waiting = waiting
    this.#finder = finder
    this.#once = sendingOnce(files)
    this.#notes = deliveryNotes(files.place.address, 'stalls')
    this.#since = new ClaimedSince(files)
  }

  async findStalled(): Promise<Stalled[]> {
    return (await this.#stalled()).map(({ changedAt: _, ...stalled }) => stalled)
  }

  async #stalled(): Promise<StalledClaim[]> {
    const now = await this.#files.tree.now()
    const stalled: StalledClaim[] = []
    for (const { name, read, since } of await this.#processing()) {
      const {
        message: { record },
        problems,
      } = read
      const overdue = now - since - record.timeout_seconds * 1000
      if (overdue <= 0) continue
      const message = viewOf(record, 'processing', this.#files.at('processing', name), problems)
      stalled.push({ message, since, overdueSeconds: Math.floor(overdue / 1000), changedAt: read.changedAt })
    }
    return stalled.sort((a, b) => b.overdueSeconds - a.overdueSeconds)
  }

  /** When the first of the claims in force runs out, by the tree's time. */
  async nextStallAt(): Promise<number | undefined> {
    const ends = (await this.#processing()).map(
      ({ read: { message }, since }) => since + message.record.timeout_seconds * 1000,
    )
    return ends.length === 0 ? undefined : Math.min(...ends)
  }

  async sweep(by = supervisor): Promise<Swept> {
    const stalled: { message: AcmqView; investigation: string | undefined }[] = []
    for (const one of await this.#stalled()) {
      if (isInvestigation(one.message)) {
        const moved = await this.#fail(one, by)
        if (moved) stalled.push({ message: moved, investigation: undefined })
        continue
      }
      const note = noteOf(one.message)
      await this.#files.tree.create(childOf(this.#notes, note), '')
      const moved = await this.#fail(one, by)
      if (!moved) continue
      stalled.push({ message: moved, investigation: await this.#ask(moved, moved.attempt, by) })
      await this.#files.tree.remove(childOf(this.#notes, note))
    }
    await this.askWhatIsOwed(by)
    await this.#since.keepOnly((await this.#processing()).map(({ read }) => read.message.record))
    return { outcome: stalled.length > 0 ? 'swept' : 'nothing', stalled }
  }

  /** Sends the questions that other supervisors, or this one, did not get round to. */
  async askWhatIsOwed(by = supervisor): Promise<void> {
    const { tree } = this.#files
    for (const { name, kind } of await tree.list(this.#notes)) {
      const noted = kind === 'leaf' ? messageOfNote(name) : undefined
      if (!noted) continue
      const copy = await findCopy(this.#files, this.#finder, noted.id)
      // Being moved right now, or removed by somebody: it is looked for again next time.
      if (!copy) continue
      const record = this.#files.recordOf(copy.bytes, copy.name, copy)
      // Malformed by now: `reconcile` sets it aside.
      if (!record) continue
      // Whoever made the note may be about to move it.
      if (copy.state === 'processing' && record.attempt === noted.attempt) continue
      if (hasStalled(copy.bytes, noted.attempt)) {
        await this.#ask(viewOf(record, copy.state, copy.path), noted.attempt, by)
      }
      await tree.remove(childOf(this.#notes, name))
    }
  }

  async #processing() {
    const { tree, queues } = this.#files
    const now = await tree.now()
    const found: { name: string; read: ReadHeader; since: number }[] = []
    for (const { name, kind } of await tree.list(queues.processing)) {
      if (kind !== 'leaf' || !isMessageName(name)) continue
      const read = await this.#files.readHeader('processing', name)
      // Unreadable while being worked on: `reconcile` reports it, and the others are supervised all the same.
      if (read?.outcome !== 'message') continue
      found.push({ name, read, since: await this.#since.of(read.message.record, read.changedAt, now) })
    }
    return found
  }

  async #fail({ message, since, changedAt: seenAt }: StalledClaim, by: string): Promise<AcmqView | undefined> {
    const { clock } = this.#files
    const way = { name: message.name, from: 'processing', transition: 'stall' } as const
    let stalledAt: number | undefined
    const { moved, path } = await moveMessage(this.#files, way, {
      timed: true,
      change: (before, { changedAt, modifiedAt }) => {
        // Another time means that it was renewed, finished or claimed anew since: this is not the claim that ran out. If
        // its name is taken in `failed/`, this runs once more, and our own first try has changed the time.
        if (stalledAt === undefined ? changedAt !== seenAt : modifiedAt !== stalledAt) return undefined
        stalledAt = modifiedAt
        const { record } = this.#files.expect(before, message.name).message
        if (record.id !== message.id || record.attempt !== message.attempt) return undefined
        return withFailure(withStatus(before, 'failed'), {
          agent: by,
          at: clock.now(),
          reason: `${stalledReason} ${record.to} did not finish within ${record.timeout_seconds} seconds`,
          detail: `Last sign of life: ${isoTime(since)}. ${attemptMark(record.attempt)}`,
        })
      },
    })
    if (moved.outcome !== 'moved') return undefined
    return { ...message, state: 'failed', path, name: nameOf(path) }
  }

  /** One question for each message and attempt, whoever asks and however often. Answers its id. */
  async #ask(message: AcmqView, attempt: number, by: string): Promise<string> {
    const { place, settings, clock } = this.#files
    const id = `${investigationPrefix}${shortened(message.id)}-${attempt}`
    const record: AcmqRecord = {
      id,
      mission_id: place.address,
      timestamp: isoTime(clock.now()),
      from: by,
      to: isAgentId(message.from) ? message.from : 'all',
      status: 'pending',
      priority: 1,
      timeout_seconds: settings.timeoutSeconds,
      dependencies: [],
      summary: `Investigate: ${message.to} stalled on ${message.id.slice(0, 8)}`,
      attempt: 1,
    }
    const sent = await this.#once.send(id, printMessage(record, bodyOf(message, attempt)), id)
    if (sent.outcome === 'sent') this.#waiting.came(sent.published ?? fileNameOf(record), record)
    return id
  }
}

const stalledReason = 'Stalled:'
const attemptMark = (attempt: number): string => `Attempt ${attempt}.`

/** True for a message with a report of ours that this attempt of it stalled. Reports stay when it is tried again. */
function hasStalled(bytes: Uint8Array, attempt: number): boolean {
  const reports = Buffer.from(bytes).toString('utf8').split('**Failure Report**').slice(1)
  return reports.some((text) => text.includes(`- Reason: ${stalledReason}`) && text.includes(attemptMark(attempt)))
}

/** `ID.ATTEMPT`, from which both can be read. */
const noteOf = ({ id, attempt }: AcmqView): string => `${id}.${attempt}`

function messageOfNote(name: string): { readonly id: string; readonly attempt: number } | undefined {
  const [, id, attempt] = /^(.+)\.([1-9][0-9]{0,8})$/.exec(name) ?? []
  return id !== undefined && isMessageId(id) ? { id, attempt: Number(attempt) } : undefined
}

/** File names hold no more. A digest keeps two ids apart that begin alike. */
const shortened = (id: string): string =>
  id.length <= 36
    ? id
    : `${id.slice(0, 23)}-${process.getBuiltinModule('node:crypto').createHash('sha256').update(id).digest('hex').slice(0, 12)}`

const bodyOf = (message: AcmqView, attempt: number): string =>
  [
    `Message \`${message.id}\` was claimed by ${message.to} and not finished within ${message.timeoutSeconds} seconds.`,
    '',
    `It is now in \`queue/failed/${message.name}\`, with a failure report at its end (attempt ${attempt}).`,
    '',
    `Find out why, then retry it (\`acmq retry ${message.mission} ${message.id}\`) or send it to somebody else.`,
    '',
  ].join('\n')
