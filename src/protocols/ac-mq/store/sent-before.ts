/**
 * Whether a message whose id the sender chose was sent before. The same id with the same content is the same message,
 * wherever it is by now and whatever was added to it; with other content it is a mistake. AC-MQ §8.3.
 */
import { conflict } from '../../../kernel/errors.ts'
import { childOf } from '../../../kernel/tree-path.ts'
import { parseFileName } from '../layout.ts'
import { isReport } from '../reports.ts'
import type { AcmqRecord, State } from '../schema.ts'
import type { Finder } from './finder.ts'
import type { MissionFiles } from './mission-files.ts'
import { type AcmqView, viewOf } from './view.ts'

interface Copy {
  readonly state: State
  readonly name: string
  readonly path: string
  readonly bytes: Uint8Array
}

/** Where a body that is too large for its message is stored, relative to the mission. AC-MQ §10.2. */
export const bodyPathOf = (id: string): string => `context/message-${id}.md`

export class SentBefore {
  readonly #files: MissionFiles
  readonly #finder: Finder

  constructor(files: MissionFiles, finder: Finder) {
    this.#files = files
    this.#finder = finder
  }

  /** The message as it is now; `undefined` when there is none with this id. Throws DUPLICATE_ID when it is another. */
  async find(record: AcmqRecord, body: string | Uint8Array): Promise<AcmqView | undefined> {
    const copy = await this.#copyOf(record.id)
    if (!copy) return undefined
    const { record: before, bodyStart, problems } = this.#files.parse(copy.bytes, copy.name)
    const isSame =
      isSameHeader(before, record, parseFileName(copy.name)?.to) &&
      (await this.#isSameBody(before, Buffer.from(copy.bytes).subarray(bodyStart), Buffer.from(body)))
    if (!isSame) throw sameId(record.id, copy.path)
    return viewOf(before, copy.state, copy.path, problems)
  }

  async #copyOf(id: string): Promise<Copy | undefined> {
    const { tree } = this.#files
    for (;;) {
      const found = (await this.#finder.findAll(id)).find((one) => one.id === id)
      if (!found) break
      const leaf = await tree.read(found.path)
      // Otherwise it moved on in this very moment, and is found where it is now.
      if (leaf) return { state: found.queue, name: found.name, path: found.path, bytes: leaf.bytes }
    }
    const archived = (await this.#finder.archived(id)).find((one) => one.id === id)
    if (!archived) return undefined
    const { readArchived } = await import('../archive.ts')
    return { state: 'archived', name: archived.name, path: archived.pack, bytes: await readArchived(tree, archived) }
  }

  async #isSameBody(before: AcmqRecord, stored: Buffer, body: Buffer): Promise<boolean> {
    if (!isReferring(before)) {
      return stored.subarray(0, body.length).equals(body) && isReport(stored.toString('utf8', body.length))
    }
    const path = bodyPathOf(before.id).split('/').reduce(childOf, this.#files.path)
    const leaf = await this.#files.tree.read(path)
    return leaf !== undefined && Buffer.from(leaf.bytes).equals(body)
  }
}

const isReferring = ({ id, dependencies }: AcmqRecord): boolean => dependencies.includes(`path:${bodyPathOf(id)}`)

/** All that a sender says, save the time of sending: that is another one each time it is said. */
function isSameHeader(before: AcmqRecord, now: AcmqRecord, sentTo: string | undefined): boolean {
  const own = before.dependencies.filter((text) => text !== `path:${bodyPathOf(before.id)}`)
  return (
    before.from === now.from &&
    // Whoever took a message for all stands in it now; its file name still says whom it was sent to.
    (sentTo ?? before.to) === now.to &&
    before.priority === now.priority &&
    before.timeout_seconds === now.timeout_seconds &&
    before.summary === now.summary &&
    own.join('\0') === now.dependencies.join('\0')
  )
}

const sameId = (id: string, where: string) =>
  conflict('DUPLICATE_ID', `Another message already has the id ${id}: ${where}.`, {
    hint: 'Send it with another id, or leave the id out.',
    details: { id, path: where },
  })
