/** What is out of order in a mission, for `doctor`. Looks at every message and changes nothing. */
import type { Problem } from '../../../kernel/problem.ts'
import { isOddEntry } from '../../../tree/expected.ts'
import type { Entry, Finding } from '../../../tree/tree.ts'
import { inspectArchive } from '../archive/inspect.ts'
import { archivePath, isMessageName } from '../layout.ts'
import { type QueueName, queueNames } from '../schema.ts'
import { oddInMission } from './odd-entries.ts'
import type { MissionFiles, ReadHeader } from './parts.ts'
import { Quarantine } from './quarantine.ts'

export class Inspection {
  readonly #files: MissionFiles

  constructor(files: MissionFiles) {
    this.#files = files
  }

  async run(): Promise<Finding[]> {
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
      findings.push(this.#unreadable(path, `Not an ordinary file (${kind}).`))
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
    return { code, severity: 'warning', path, message, hint, repaired: false }
  }
}

/** Nothing here can help: only its owner can let this user read it. */
const closedMessage = (path: string, { message, hint = '' }: Problem): Finding => ({
  code: 'CLOSED_MESSAGE',
  severity: 'error',
  path,
  message,
  hint,
  repaired: false,
})
