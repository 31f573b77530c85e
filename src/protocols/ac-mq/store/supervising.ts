/**
 * Claims whose time has run out. Each message is moved to `failed/` with a report, and its sender is asked once to look into it.
 * These are two steps of the journal, so that they are finished if the supervisor is killed in between. AC-MQ §8.2.
 */
import { childOf, isSegment, nameOf } from '../../../kernel/tree-path.ts'
import { Journal, type Steps } from '../../../messaging/journal/journal.ts'
import { printMessage, withFailure, withStatus } from '../format.ts'
import { everyone, isAgentId, isMessageId, isMessageName, isoTime } from '../layout.ts'
import type { AcmqRecord } from '../schema.ts'
import { findCopy } from './copies.ts'
import type { Finder } from './finder.ts'
import { moveMessage } from './moving.ts'
import type { MissionFiles, ReadHeader } from './parts.ts'
import { SendingOnce } from './sending-once.ts'
import { StallTimes } from './stall-times.ts'
import { type AcmqView, viewOf } from './view.ts'
import type { WaitingMessages } from './waiting/waiting.ts'

export interface Stalled {
  readonly message: AcmqView
  readonly since: number
  readonly overdueSeconds: number
}

interface StalledClaim extends Stalled {
  /** The time of the file when it was read. If it has another time by now, the message was renewed or claimed again. */
  readonly changedAt: number
}

export interface Swept {
  readonly outcome: 'swept' | 'nothing'
  readonly stalled: readonly { readonly message: AcmqView; readonly investigation: string | undefined }[]
}

/** A step holds all that it needs, because the message may be gone when another process repeats it. */
interface StallStep {
  readonly do: 'fail' | 'ask'
  readonly id: string
  readonly attempt: number
  readonly name: string
  readonly from: string
  readonly to: string
  readonly timeoutSeconds: number
  readonly since: number
  readonly changedAt: number
  readonly by: string
}

/** `ID.ATTEMPT~UUID`. With the UUID, two supervisors that find the same claim do not wait for each other; one wins the move. */
type StallSubject = `${string}.${number}~${string}`

/** The sender of the question, unless the supervisor has a name. */
const supervisor = 'supervisor'
const investigationPrefix = 'investigate-'

const isInvestigation = ({ id }: Pick<AcmqRecord, 'id'>): boolean => id.startsWith(investigationPrefix)

export class Supervision implements Steps<StallStep, StallSubject> {
  readonly #files: MissionFiles
  readonly #waiting: WaitingMessages
  readonly #finder: Finder
  readonly #once: SendingOnce
  readonly #times: StallTimes
  readonly journal: Journal<StallStep, StallSubject>
  #failedAs = ''

  constructor(files: MissionFiles, finder: Finder, waiting: WaitingMessages) {
    this.#files = files
    this.#waiting = waiting
    this.#finder = finder
    this.#once = new SendingOnce(files)
    this.#times = new StallTimes(files)
    this.journal = new Journal<StallStep, StallSubject>(files.tree, this, {
      folder: files.notes('supervision'),
      isSubject,
      turnOf: (subject) => `acmq ${files.path} stall ${subject}`,
    })
  }

  async findStalled(): Promise<Stalled[]> {
    return (await this.#stalled()).map(({ changedAt: _, ...stalled }) => stalled)
  }

  async #stalled(): Promise<StalledClaim[]> {
    const now = await this.#files.tree.now()
    const stalled: StalledClaim[] = []
    for (const { name, read, since } of await this.#processing()) {
      const { record } = read.message
      const overdue = now - since - record.timeout_seconds * 1000
      if (overdue <= 0) continue
      const message = viewOf(record, 'processing', this.#files.at('processing', name), read.problems)
      stalled.push({ message, since, overdueSeconds: Math.floor(overdue / 1000), changedAt: read.changedAt })
    }
    return stalled.sort((a, b) => b.overdueSeconds - a.overdueSeconds)
  }

  /** When the next claim runs out, by the tree's time. */
  async nextStallAt(): Promise<number | undefined> {
    const claims = await this.#processing()
    const ends = claims.map(({ read, since }) => since + read.message.record.timeout_seconds * 1000)
    return ends.length === 0 ? undefined : Math.min(...ends)
  }

  async sweep(by = supervisor): Promise<Swept> {
    const stalled: { message: AcmqView; investigation: string | undefined }[] = []
    for (const one of await this.#stalled()) {
      const { message, since, changedAt } = one
      const { id, attempt, name, from, to, timeoutSeconds } = message
      const step = { id, attempt, name, from, to, timeoutSeconds, since, changedAt, by }
      const isAsked = !isInvestigation(message)
      const steps = [{ do: 'fail', ...step } as const, ...(isAsked ? [{ do: 'ask', ...step } as const] : [])]
      const subject: StallSubject = `${id}.${attempt}~${crypto.randomUUID()}`
      const { outcome } = await this.journal.turn(subject, () => this.journal.commit(subject, steps))
      if (outcome === 'lost') continue
      const path = this.#files.at('failed', this.#failedAs)
      const failed = { ...message, state: 'failed', path, name: this.#failedAs } as const
      stalled.push({ message: failed, investigation: isAsked ? investigationOf(step) : undefined })
    }
    await this.askWhatIsOwed(by)
    await this.#times.keepOnly((await this.#processing()).map(({ read }) => read.message.record))
    return { outcome: stalled.length > 0 ? 'swept' : 'nothing', stalled }
  }

  /** Sends the questions that killed supervisors did not send. */
  async askWhatIsOwed(by = supervisor): Promise<void> {
    await this.journal.finishAll()
    await this.#finishOldNotes(by)
  }

  async #processing() {
    const { tree, queues } = this.#files
    const now = await tree.now()
    const found: { name: string; read: ReadHeader; since: number }[] = []
    for (const { name, kind } of await tree.list(queues.processing)) {
      if (kind !== 'leaf' || !isMessageName(name)) continue
      const read = await this.#files.readHeader('processing', name)
      // `reconcile` reports a file that cannot be read.
      if (read?.outcome !== 'message') continue
      found.push({ name, read, since: await this.#times.of(read.message.record, read.changedAt, now) })
    }
    return found
  }

  parse(steps: readonly unknown[], subject: StallSubject): readonly StallStep[] | undefined {
    const about = aboutOf(subject)
    const areOurs = steps.every((step) => isStep(step) && step.id === about?.id && step.attempt === about.attempt)
    return areOurs ? (steps as readonly StallStep[]) : undefined
  }

  perform(step: StallStep, isRepeat: boolean): Promise<'lost' | undefined> {
    return step.do === 'fail' ? this.#fail(step, isRepeat) : this.#ask(step, isRepeat)
  }

  async #fail(step: StallStep, isRepeat: boolean): Promise<'lost' | undefined> {
    const { clock } = this.#files
    const way = { name: step.name, from: 'processing', transition: 'stall' } as const
    let stalledAt: number | undefined
    const { moved, path } = await moveMessage(this.#files, way, {
      timed: true,
      change: (before, { changedAt, modifiedAt }) => {
        // Another time means that the claim was renewed, or the message was claimed again. If the name is taken in `failed/`, this
        // runs a second time, and the first run has changed `changedAt`, but not `modifiedAt`.
        if (stalledAt === undefined ? changedAt !== step.changedAt : modifiedAt !== stalledAt) return undefined
        stalledAt = modifiedAt
        const { record } = this.#files.expect(before, step.name).message
        if (record.id !== step.id || record.attempt !== step.attempt) return undefined
        return withFailure(withStatus(before, 'failed'), {
          agent: step.by,
          at: clock.now(),
          reason: `${stalledReason} ${record.to} did not finish within ${record.timeout_seconds} seconds`,
          detail: `Last sign of life: ${isoTime(step.since)}. ${attemptMark(record.attempt)}`,
        })
      },
    })
    if (moved.outcome === 'moved') {
      this.#failedAs = nameOf(path)
      return undefined
    }
    // The supervisor that was killed may have moved the message.
    const copy = isRepeat ? await findCopy(this.#files, this.#finder, step.id) : undefined
    return copy && hasStalled(copy.bytes, step.attempt) ? undefined : 'lost'
  }

  /** Sends one question for each message and attempt, even if several supervisors ask. */
  async #ask(step: StallStep, isRepeat: boolean): Promise<undefined> {
    const { place, settings, clock } = this.#files
    const id = investigationOf(step)
    const record: AcmqRecord = {
      id,
      mission_id: place.address,
      timestamp: isoTime(clock.now()),
      from: step.by,
      to: isAgentId(step.from) ? step.from : everyone,
      status: 'pending',
      priority: 1,
      timeout_seconds: settings.timeoutSeconds,
      dependencies: [],
      summary: `Investigate: ${step.to} stalled on ${step.id.slice(0, 8)}`,
      attempt: 1,
    }
    const name = isRepeat ? (await findCopy(this.#files, this.#finder, step.id))?.name : this.#failedAs
    const body = bodyOf({ ...step, name: name ?? step.name }, place.address)
    const sent = await this.#once.send(record, printMessage(record, body), id)
    if (sent.outcome === 'sent') this.#waiting.came(sent.name, record)
    return undefined
  }

  /** Finishes notes of versions before the journal: an empty file `ID.ATTEMPT`, made before a claim was failed. */
  async #finishOldNotes(by: string): Promise<void> {
    const { tree } = this.#files
    const folder = this.#files.notes('stalls')
    for (const { name, kind } of await tree.list(folder)) {
      const noted = kind === 'leaf' ? messageOf(name) : undefined
      const copy = noted && (await findCopy(this.#files, this.#finder, noted.id))
      const record = copy && this.#files.recordOf(copy.bytes, copy.name, copy)
      // The message is being moved, gone or malformed, or its supervisor is about to fail it: it is tried again next time.
      if (!record || (copy.state === 'processing' && record.attempt === noted.attempt)) continue
      if (hasStalled(copy.bytes, noted.attempt)) {
        const { from, to, timeout_seconds: timeoutSeconds } = record
        const { name } = copy
        await this.#ask({ do: 'ask', ...noted, name, from, to, timeoutSeconds, since: 0, changedAt: 0, by }, true)
      }
      await tree.remove(childOf(folder, name))
    }
  }
}

/** The first word of the reason, by which our own report is recognised. */
const stalledReason = 'Stalled:'
const attemptMark = (attempt: number): string => `Attempt ${attempt}.`

/** True for a message with a report of ours that this attempt stalled. Reports stay in the message when it is retried. */
function hasStalled(bytes: Uint8Array, attempt: number): boolean {
  const reports = Buffer.from(bytes).toString('utf8').split('**Failure Report**').slice(1)
  return reports.some((text) => text.includes(`- Reason: ${stalledReason}`) && text.includes(attemptMark(attempt)))
}

const aboutOf = (subject: string) => messageOf(/^(.+)~[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(subject)?.[1])

const isSubject = (name: string): name is StallSubject => aboutOf(name) !== undefined

/** Reads `ID.ATTEMPT`. */
function messageOf(text: string | undefined): { readonly id: string; readonly attempt: number } | undefined {
  const [, id, attempt] = /^(.+)\.([1-9][0-9]{0,8})$/.exec(text ?? '') ?? []
  return id !== undefined && isMessageId(id) ? { id, attempt: Number(attempt) } : undefined
}

function isStep(value: unknown): value is StallStep {
  const step = (value ?? {}) as Record<string, unknown>
  const areTexts = [step.id, step.name, step.from, step.to, step.by].every((text) => typeof text === 'string')
  const areNumbers = [step.attempt, step.timeoutSeconds, step.since, step.changedAt].every(Number.isFinite)
  if (!areTexts || !areNumbers || (step.do !== 'fail' && step.do !== 'ask')) return false
  const { name, to, by, since } = step as unknown as StallStep
  return (
    isMessageName(name) &&
    isSegment(name) &&
    (isAgentId(to) || to === everyone) &&
    isAgentId(by) &&
    Math.abs(since) <= latestTime
  )
}

/** The latest time of a `Date`. */
const latestTime = 8.64e15

const investigationOf = ({ id, attempt }: Pick<AcmqView, 'id' | 'attempt'>): string =>
  `${investigationPrefix}${shortened(id)}-${attempt}`

/** Cut to what fits into a file name; a digest keeps two ids apart that begin alike. */
const shortened = (id: string): string =>
  id.length <= 36
    ? id
    : `${id.slice(0, 23)}-${process.getBuiltinModule('node:crypto').createHash('sha256').update(id).digest('hex').slice(0, 12)}`

const bodyOf = ({ id, attempt, name, to, timeoutSeconds }: StallStep, mission: string): string =>
  [
    `Message \`${id}\` was claimed by ${to} and not finished within ${timeoutSeconds} seconds.`,
    '',
    `It is now in \`queue/failed/${name}\`, with a failure report at its end (attempt ${attempt}).`,
    '',
    `Find out why, then retry it (\`acmq retry ${mission} ${id}\`) or send it to somebody else.`,
    '',
  ].join('\n')
