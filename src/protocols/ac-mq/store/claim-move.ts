/**
 * The move that claims a message, into `processing/`. The claimer first wins the file, then reads its header and judges on that
 * whether it may have the message; if not, the file goes back. AC-MQ §4.2.
 */
import { bufferOf } from '../../../formats/front-matter.ts'
import { SignalboxError } from '../../../kernel/errors.ts'
import type { Problem } from '../../../kernel/problem.ts'
import { nameOf } from '../../../kernel/tree-path.ts'
import { whyClosed } from '../../../messaging/leaves/readable.ts'
import type { Moved, MoveOptions, Times } from '../../../tree/tree.ts'
import { changeOfStatus, type ReadMessage, withFields } from '../format.ts'
import { everyone } from '../layout.ts'
import type { AcmqRecord } from '../schema.ts'
import { timeInName } from '../times.ts'
import { claimedFromAll } from './addressing.ts'
import { moveMessage } from './moving.ts'
import { type Blocked, blockedAs, type Claimed, type Judge } from './outcomes.ts'
import type { MissionFiles } from './parts.ts'
import { viewOf, withBody } from './view.ts'
import { type Candidate, isAsRemembered, type WaitingMessages } from './waiting/waiting.ts'

type ClaimedOne = Claimed & { readonly outcome: 'claimed' }
/** `lost`: another claimer was faster. `other`: the header differs from what was remembered. */
export type ClaimAttempt = ClaimedOne | HeldOne | 'lost' | 'other'
interface HeldOne {
  readonly outcome: 'held'
  readonly why: Blocked
}

/** A bound for processes that only claim and never settle. */
const mostHeld = 1000

export class ClaimMove {
  readonly #files: MissionFiles
  readonly #waiting: WaitingMessages
  /** Names of messages that this process claimed and has not settled: settling these needs no check of the holder first. */
  readonly held = new Set<string>()

  constructor(files: MissionFiles, waiting: WaitingMessages) {
    this.#files = files
    this.#waiting = waiting
  }

  /** Claims the message if its header is as remembered and the judge agrees. */
  async take(candidate: Candidate, agent: string, judge: Judge): Promise<ClaimAttempt> {
    const { name } = candidate
    let target = this.#files.at('processing', name)
    let won: ReadMessage | undefined
    let wonTimes: Times | undefined
    let body = ''
    let reason: string | undefined
    let moved: Moved
    const claimed = (before: Uint8Array, { message, problems }: ReadMessage) => {
      const { record, header } = message
      // Writing changes the time of the file. A message that was timed by its file gets that time as a field.
      const timestamp = isTimedByFile(name, problems) ? { timestamp: record.timestamp } : {}
      const to = record.to === everyone ? claimedFromAll(name, agent) : {}
      const fields = { ...to, ...timestamp }
      return Object.keys(fields).length > 0
        ? withFields(before, { status: 'processing', ...fields })
        : changeOfStatus(before, 'processing', header)
    }
    const options: MoveOptions = {
      change: (before, times) => {
        // Read when the file is won, because what the index remembers may be old.
        const now = this.#files.parse(before, name, times)
        won = undefined
        wonTimes = times
        if (now.outcome === 'malformed') return undefined
        const { record, bodyStart } = now.message
        if (!isFor(record, agent) || !isAsRemembered(candidate, record)) return undefined
        won = now
        body = bufferOf(before).toString('utf8', bodyStart)
        const judged = judge(record, body)
        if (judged === undefined) return claimed(before, now)
        const kept = Buffer.from(before)
        return judged.then((why) => {
          reason = why
          return why === undefined ? claimed(kept, now) : undefined
        })
      },
      // Sets the time of the file, from which the claim counts, also when the header says `processing` already and stays as it is.
      touched: true,
    }
    try {
      const claim = { name, from: 'pending', transition: 'claim' } as const
      ;({ moved, path: target } = await moveMessage(this.#files, claim, options))
    } catch (error) {
      await this.#expectUnreadable(name, error)
      return 'other'
    }
    if (moved.outcome === 'kept') {
      if (won) return { outcome: 'held', why: blockedAs(won.message.record, reason!) }
      await this.#waiting.reread(name)
      return 'other'
    }
    if (moved.outcome === 'taken') {
      const record = won?.message.record ?? (await this.#files.readRecord('pending', name))
      if (record) return { outcome: 'held', why: blockedAs(record, nameInUse(target)) }
    }
    this.#waiting.went(name)
    if (moved.outcome !== 'moved' || !won) return 'lost'
    if (this.held.size >= mostHeld) this.held.clear()
    this.held.add(nameOf(target))
    const { message, problems } = moved.bytes ? this.#files.expect(moved.bytes, name, wonTimes) : won
    const { record } = message
    return {
      outcome: 'claimed',
      message: withBody(viewOf(record, 'processing', target, problems), body),
      until: (await this.#files.tree.now()) + record.timeout_seconds * 1000,
      durability: moved.durability,
    }
  }

  /** Throws the error unless the file is a link or another user's: such a file must not stop claims of other messages. */
  async #expectUnreadable(name: string, error: unknown): Promise<void> {
    if (!whyClosed(error) && !(error instanceof SignalboxError && error.kind === 'Corrupt')) throw error
    if (!(await this.#waiting.reread(name))) throw error
  }
}

/** True when neither the header nor the file name says when the message was sent. */
const isTimedByFile = (name: string, problems: readonly Problem[]): boolean =>
  problems.some(({ code, field }) => code === 'MISSING_FIELD' && field === 'timestamp') &&
  timeInName(name) === undefined

const nameInUse = (target: string): string => `something else has its name, ${target}: look at it, or move it away`

export const isClaimed = (taken: ClaimAttempt): taken is ClaimedOne =>
  typeof taken === 'object' && taken.outcome === 'claimed'

export const isHeld = (taken: ClaimAttempt): taken is HeldOne => typeof taken === 'object' && taken.outcome === 'held'

const isFor = ({ to }: AcmqRecord, agent: string): boolean => to === agent || to === everyone
