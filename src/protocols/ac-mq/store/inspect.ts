/** What is out of order in a mission, for `doctor`. Looks at the header of every message and changes nothing. */
import { SignalboxError } from '../../../kernel/errors.ts'
import { findingsOf, isOddEntry } from '../../../tree/expected.ts'
import type { Entry, Finding } from '../../../tree/tree.ts'
import { failureOf } from '../format.ts'
import { isMessageName } from '../layout.ts'
import { type QueueName, queueNames } from '../schema.ts'
import { stalledClaims, stuckDependencies, unseenRecipients } from './inspect-stuck.ts'
import { oddInMission } from './odd-entries.ts'
import type { MissionFiles, ReadHeader } from './parts.ts'
import type { Supervision } from './supervise.ts'
import type { Waiting } from './waiting/waiting.ts'

/** Whether somebody has been seen, in any mission or protocol. */
export type IsSeen = (agent: string) => Promise<boolean>

export class Inspection {
  readonly #files: MissionFiles
  readonly #waiting: Waiting
  readonly #supervision: Supervision

  constructor(files: MissionFiles, waiting: Waiting, supervision: Supervision) {
    this.#files = files
    this.#waiting = waiting
    this.#supervision = supervision
  }

  async run({ isSeen }: { readonly isSeen?: IsSeen } = {}): Promise<Finding[]> {
    const findings = await this.#misplaced()
    const looks = [
      () => stalledClaims(this.#files, this.#supervision),
      () => stuckDependencies(this.#files, this.#waiting),
      async () => (isSeen ? unseenRecipients(this.#files, this.#waiting, isSeen) : []),
    ]
    // What keeps a look from being made has been told, or stands in the way of the next look too.
    for (const look of looks) findings.push(...(await findingsOf(this.#files.path, look)))
    return findings
  }

  async #misplaced(): Promise<Finding[]> {
    const findings: Finding[] = await oddInMission(this.#files)
    const places = new Map<string, string>()
    for (const queue of queueNames) {
      for (const entry of await this.#entriesOf(queue)) {
        if (!isMessageName(entry.name)) continue
        const read = await this.#read(queue, entry, findings)
        if (!read) continue
        const path = this.#files.at(queue, entry.name)
        const { id, status } = read.message.record
        if (status !== queue && (await this.#standsStill(read))) {
          const message = `Its status says ${JSON.stringify(status)}, but it is in ${queue}.`
          findings.push(this.#found('STATUS_FOLDER_MISMATCH', path, message, 'Bring them into agreement'))
        }
        const other = places.get(id)
        if (other !== undefined) {
          const message = `Message ${id} is also in ${other}.`
          findings.push(this.#found('MESSAGE_IN_TWO_PLACES', path, message, 'Set aside the copy that is less far'))
        }
        places.set(id, path)
      }
    }
    return findings
  }

  async #entriesOf(queue: QueueName): Promise<readonly Entry[]> {
    try {
      return await this.#files.tree.list(this.#files.queues[queue])
    } catch (error) {
      // Told already: something else stands where the queue should be.
      if (isOddEntry(error)) return []
      throw error
    }
  }

  async #read(queue: QueueName, { name, kind }: Entry, findings: Finding[]): Promise<ReadHeader | undefined> {
    const path = this.#files.at(queue, name)
    if (kind !== 'leaf') {
      const message = `This is named like a message and is no ordinary file (${kind}); it is passed over.`
      findings.push({ ...this.#found('NOT_A_LEAF', path, message, ''), hint: 'Move it out of the queue.' })
      return undefined
    }
    try {
      const read = await this.#files.readHeader(queue, name)
      if (read?.outcome !== 'malformed') return read
      const [{ message }] = read.problems
      if (queue !== 'failed' || !(await this.#hasReport(name))) findings.push(this.#unreadable(path, message))
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error
      // Not ours to read: setting it aside would not help.
      findings.push({ ...this.#unreadable(path, error.message), hint: error.hint ?? '' })
    }
    return undefined
  }

  /** It was set aside with a report and waits for a person: that need not be told again. */
  async #hasReport(name: string): Promise<boolean> {
    const path = this.#files.at('failed', name)
    const size = (await this.#files.tree.look(path))?.size ?? 0
    const leaf = size > largestReported ? undefined : await this.#files.tree.read(path)
    return leaf === undefined || failureOf(leaf.bytes) !== undefined
  }

  /** Between the two steps of a claim, folder and status differ for an instant. */
  async #standsStill({ changedAt }: ReadHeader): Promise<boolean> {
    return (await this.#files.tree.now()) - changedAt >= this.#files.settings.quarantineAfterMs
  }

  #unreadable(path: string, message: string): Finding {
    return this.#found('UNREADABLE_MESSAGE', path, message, 'Correct the file, or set it aside')
  }

  #found(code: string, path: string, message: string, remedy: string): Finding {
    const hint = `${remedy}: acmq reconcile ${this.#files.place.address}`
    return { code, severity: 'warning', path, message, hint, repaired: false }
  }
}

/** Larger files get no report: `Reconciliation` does not rewrite them. */
export const largestReported = 16 * 1024 * 1024
