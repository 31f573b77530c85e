/** What is out of order in a mission, for `doctor`. Looks at the header of every message and changes nothing. */
import type { Problem } from '../../../kernel/problem.ts'
import { findingsOf, isOddEntry } from '../../../messaging/inspection/expected.ts'
import { finding } from '../../../messaging/inspection/finding.ts'
import type { Entry, Finding } from '../../../tree/tree.ts'
import { inspectArchive } from '../archive/inspect.ts'
import { archivePath, isMessageName } from '../layout.ts'
import { type QueueName, queueNames } from '../schema.ts'
import { stalledClaims, stuckDependencies, unseenRecipients } from './inspect-stuck.ts'
import { oddInMission } from './odd-entries.ts'
import type { MissionFiles, ReadHeader } from './parts.ts'
import { Quarantine } from './quarantine.ts'
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
      async () => (await import('./memory/inspect.ts')).memoryFindings(this.#files),
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
    const { tree, place, settings } = this.#files
    findings.push(...(await inspectArchive(tree, archivePath(place), settings)))
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
    const read = await this.#files.readHeader(queue, name)
    if (!read || read.outcome === 'message') return read
    if (read.outcome === 'closed') findings.push(closedMessage(path, read.problems[0]))
    else if (queue !== 'failed' || !(await new Quarantine(this.#files).hasReport(name))) {
      findings.push(this.#unreadable(path, read.problems[0].message))
    }
    return undefined
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
    return finding('warning', code, path, message, hint)
  }
}

/** Nothing here can help: only its owner can let this user read it. */
const closedMessage = (path: string, { message, hint = '' }: Problem): Finding =>
  finding('error', 'CLOSED_MESSAGE', path, message, hint)
