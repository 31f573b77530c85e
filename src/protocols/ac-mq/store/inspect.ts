/** What is out of order in a mission, for `doctor`. Looks at the header of every message and changes nothing. */

import { unfinishedChanges } from '../../../messaging/inspection/changes.ts'
import { findingsOf } from '../../../messaging/inspection/expected.ts'
import { finding } from '../../../messaging/inspection/finding.ts'
import { closedMessage, strangeFile, unreadableMessage } from '../../../messaging/inspection/findings.ts'
import { listIfFolder } from '../../../messaging/leaves/tolerant.ts'
import type { Entry, Finding } from '../../../tree/tree.ts'
import { inspectArchive } from '../archive/inspect.ts'
import { archivePath, isMessageName } from '../layout.ts'
import { type QueueName, queueNames } from '../schema.ts'
import { stalledClaims, stuckDependencies, unseenRecipients } from './inspect-stuck.ts'
import { oddInMission } from './odd-entries.ts'
import type { MissionFiles, ReadHeader } from './parts.ts'
import { hasReason } from './quarantine.ts'
import type { Supervision } from './supervising.ts'
import type { Waiting } from './waiting/waiting.ts'

export type IsSeen = (agent: string) => Promise<boolean>

export interface InspectionOptions {
  readonly isSeen?: IsSeen
  /** Finishes what killed processes have begun. */
  readonly repair?: boolean
}

export class Inspection {
  readonly #files: MissionFiles
  readonly #waiting: Waiting
  readonly #supervision: Supervision

  constructor(files: MissionFiles, waiting: Waiting, supervision: Supervision) {
    this.#files = files
    this.#waiting = waiting
    this.#supervision = supervision
  }

  async run({ isSeen, repair = false }: InspectionOptions = {}): Promise<Finding[]> {
    const findings = await this.#misplaced()
    const looks = [
      () => unfinishedChanges(this.#files.tree, this.#supervision.journal, repair),
      () => stalledClaims(this.#files, this.#supervision),
      () => stuckDependencies(this.#files, this.#waiting),
      async () => (await import('./memory/inspect.ts')).memoryFindings(this.#files, repair),
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
      for (const entry of await listIfFolder(this.#files.tree, this.#files.queues[queue])) {
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

  async #read(queue: QueueName, { name, kind }: Entry, findings: Finding[]): Promise<ReadHeader | undefined> {
    const path = this.#files.at(queue, name)
    if (kind !== 'leaf') {
      findings.push(strangeFile(path, name, kind))
      return undefined
    }
    const read = await this.#files.readHeader(queue, name)
    if (!read || read.outcome === 'message') return read
    const [{ message, hint }] = read.problems
    if (read.outcome === 'closed') findings.push(closedMessage(path, message, hint))
    else if (queue !== 'failed' || !(await hasReason(this.#files, name))) {
      const next = `Correct the file, or set it aside: acmq reconcile ${this.#files.place.address}`
      findings.push(unreadableMessage(path, message, next))
    }
    return undefined
  }

  /** Between the two steps of a claim, folder and status differ for an instant. */
  async #standsStill({ changedAt }: ReadHeader): Promise<boolean> {
    return (await this.#files.tree.now()) - changedAt >= this.#files.settings.quarantineAfterMs
  }

  #found(code: string, path: string, message: string, remedy: string): Finding {
    const hint = `${remedy}: acmq reconcile ${this.#files.place.address}`
    return finding('warning', code, path, message, hint)
  }
}
