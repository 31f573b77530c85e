/**
 * Claims whose time has run out. Each is moved to `failed/` with a report, and its sender is asked once to look into
 * it. The question is written first, under an id made of message and attempt: a crash between the two steps then
 * leads to one question and one move, however often it is supervised. AC-MQ §8.2.
 */
import { SignalboxError } from '../../../kernel/errors.ts'
import { nameOf } from '../../../kernel/tree-path.ts'
import { printMessage, withFailure, withStatus } from '../format.ts'
import { fileNameOf, isAgentId, isMessageName, isoTime } from '../layout.ts'
import type { AcmqRecord } from '../schema.ts'
import type { Finder } from './finder.ts'
import { labelOf } from './label.ts'
import type { HeaderRead, MissionFiles } from './mission-files.ts'
import { moveMessage } from './moving.ts'
import type { PendingIndex } from './pending-index.ts'
import { type AcmqView, viewOf } from './view.ts'

export interface Stalled {
  readonly message: AcmqView
  /** When the claim was last renewed, or made. */
  readonly since: number
  readonly overdueSeconds: number
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
  readonly #finder: Finder
  readonly #index: PendingIndex

  constructor(files: MissionFiles, finder: Finder, index: PendingIndex) {
    this.#files = files
    this.#finder = finder
    this.#index = index
  }

  async findStalled(): Promise<Stalled[]> {
    const now = await this.#files.tree.now()
    const stalled: Stalled[] = []
    for (const { name, read } of await this.#processing()) {
      const { record, problems } = read.message
      const overdue = now - read.changedAt - record.timeout_seconds * 1000
      if (overdue <= 0) continue
      const message = viewOf(record, 'processing', this.#files.at('processing', name), problems)
      stalled.push({ message, since: read.changedAt, overdueSeconds: Math.floor(overdue / 1000) })
    }
    return stalled.sort((a, b) => b.overdueSeconds - a.overdueSeconds)
  }

  async sweep(by = supervisor): Promise<Swept> {
    const stalled: { message: AcmqView; investigation: string | undefined }[] = []
    for (const one of await this.findStalled()) {
      const asked = await this.#ask(one, by)
      const moved = await this.#fail(one, by)
      if (moved) stalled.push({ message: moved, investigation: asked?.id })
      // It was finished or renewed in this very moment: the question has no object any more.
      else if (asked?.isNew) await this.#files.tree.remove(this.#files.at('pending', asked.name))
    }
    return { outcome: stalled.length > 0 ? 'swept' : 'nothing', stalled }
  }

  async #processing(): Promise<{ name: string; read: HeaderRead }[]> {
    const found: { name: string; read: HeaderRead }[] = []
    for (const { name, kind } of await this.#files.tree.list(this.#files.queues.processing)) {
      if (kind !== 'leaf' || !isMessageName(name)) continue
      try {
        const read = await this.#files.readHeader('processing', name)
        if (read) found.push({ name, read })
      } catch (error) {
        // Malformed while being worked on: `reconcile` reports it; the others are supervised all the same.
        if (!(error instanceof SignalboxError)) throw error
      }
    }
    return found
  }

  async #fail({ message, since }: Stalled, by: string): Promise<AcmqView | undefined> {
    const { tree, clock } = this.#files
    const now = await tree.look(this.#files.at('processing', message.name))
    if (!now || now.changedAt !== since) return undefined
    const way = { name: message.name, from: 'processing', to: 'failed' } as const
    const { moved, path } = await moveMessage(this.#files, way, {
      unique: true,
      change: (before) => {
        const { record } = this.#files.parse(before, message.name)
        if (record.attempt !== message.attempt) return undefined
        return withFailure(withStatus(before, 'failed'), {
          agent: by,
          at: clock.now(),
          reason: `Stalled: ${record.to} did not finish within ${record.timeout_seconds} seconds`,
          detail: `Last sign of life: ${isoTime(since)}. Attempt ${record.attempt}.`,
        })
      },
    })
    if (moved.outcome !== 'moved') return undefined
    return { ...message, state: 'failed', path, name: nameOf(path) }
  }

  /** One question for each message and attempt; none about a question. */
  async #ask(
    { message, since }: Stalled,
    by: string,
  ): Promise<{ id: string; name: string; isNew: boolean } | undefined> {
    if (isInvestigation(message)) return undefined
    const id = `${investigationPrefix}${shortened(message.id)}-${message.attempt}`
    const known = (await this.#finder.findAll(id)).find((found) => found.id === id)
    if (known) return { id, name: known.name, isNew: false }
    const archived = (await this.#finder.archived(id)).some((entry) => entry.id === id)
    if (archived) return { id, name: '', isNew: false }
    const record: AcmqRecord = {
      id,
      mission_id: this.#files.place.address,
      // The moment the time ran out, not the moment of looking: whoever looks, the file name is the same.
      timestamp: isoTime(since + message.timeoutSeconds * 1000),
      from: by,
      to: isAgentId(message.from) ? message.from : 'all',
      status: 'pending',
      priority: 1,
      timeout_seconds: this.#files.settings.timeoutSeconds,
      dependencies: [],
      summary: `Investigate: ${message.to} stalled on ${message.id.slice(0, 8)}`,
      attempt: 1,
    }
    const name = fileNameOf(record, 64)
    const created = await this.#files.tree.create(
      this.#files.at('pending', name),
      printMessage(record, bodyOf(message)),
      { label: () => labelOf(record) },
    )
    if (created.outcome === 'created') this.#index.add(name, record)
    return { id, name, isNew: created.outcome === 'created' }
  }
}

/** Names hold no more; what is cut off still tells two ids apart. */
const shortened = (id: string): string =>
  id.length <= 36
    ? id
    : `${id.slice(0, 23)}-${process.getBuiltinModule('node:crypto').createHash('sha256').update(id).digest('hex').slice(0, 12)}`

const bodyOf = (message: AcmqView): string =>
  [
    `Message \`${message.id}\` was claimed by ${message.to} and not finished within ${message.timeoutSeconds} seconds.`,
    '',
    `It is now in \`queue/failed/${message.name}\`, with a failure report at its end (attempt ${message.attempt}).`,
    '',
    `Find out why, then retry it (\`acmq retry ${message.mission} ${message.id}\`) or send it to somebody else.`,
    '',
  ].join('\n')
