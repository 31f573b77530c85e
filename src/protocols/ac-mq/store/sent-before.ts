/**
 * Whether a message whose id the sender chose was sent before. The same id with the same content is the same message,
 * wherever it is by now and whatever was added to it; with other content it is a mistake. AC-MQ §8.3.
 */
import { conflict } from '../../../kernel/errors.ts'
import { parseFileName } from '../layout.ts'
import { isReport } from '../reports.ts'
import type { AcmqRecord } from '../schema.ts'
import { bodyElsewhere } from './body-elsewhere.ts'
import { findCopy } from './copies.ts'
import type { Finder } from './finder.ts'
import type { MissionFiles } from './parts.ts'
import { type AcmqView, viewOf } from './view.ts'

/** A digest of all that a sender says, except the time of sending, which differs when a message is sent again. */
export const digestOf = (record: AcmqRecord, body: string | Uint8Array): string => {
  const { from, to, priority, timeout_seconds, summary, dependencies } = record
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256')
  hash.update(JSON.stringify([from, to, priority, timeout_seconds, summary, dependencies]))
  return hash.update(body).digest('base64url')
}

export class SentBefore {
  readonly #files: MissionFiles
  readonly #finder: Finder

  constructor(files: MissionFiles, finder: Finder) {
    this.#files = files
    this.#finder = finder
  }

  /** The message as it is now; `undefined` when there is none with this id. Throws DUPLICATE_ID when it is another. */
  async find(record: AcmqRecord, body: string | Uint8Array): Promise<AcmqView | undefined> {
    const copy = await findCopy(this.#files, this.#finder, record.id)
    if (!copy) return undefined
    const { message, problems } = this.#files.expect(copy.bytes, copy.name, copy)
    const { record: before, bodyStart } = message
    const isSame =
      isSameHeader(before, record, parseFileName(copy.name)?.to) &&
      (await this.#isSameBody(before, Buffer.from(copy.bytes).subarray(bodyStart), Buffer.from(body)))
    if (!isSame) throw sameId(record.id, copy.path)
    return viewOf(before, copy.state, copy.path, problems)
  }

  async #isSameBody(before: AcmqRecord, stored: Buffer, body: Buffer): Promise<boolean> {
    const elsewhere = bodyElsewhere(before)
    if (elsewhere === undefined) {
      return stored.subarray(0, body.length).equals(body) && isReport(stored.toString('utf8', body.length))
    }
    const leaf = await this.#files.tree.read(this.#files.inside(elsewhere))
    return leaf !== undefined && Buffer.from(leaf.bytes).equals(body)
  }
}

/** The same header, except for the time of sending. */
function isSameHeader(before: AcmqRecord, now: AcmqRecord, sentTo: string | undefined): boolean {
  const elsewhere = bodyElsewhere(before)
  const own = before.dependencies.filter((text) => text !== `path:${elsewhere}`)
  return (
    before.from === now.from &&
    // A message for all names its claimer once it is claimed; its file name still says whom it was sent to.
    (sentTo ?? before.to) === now.to &&
    before.priority === now.priority &&
    before.timeout_seconds === now.timeout_seconds &&
    before.summary === now.summary &&
    own.join('\0') === now.dependencies.join('\0')
  )
}

export const sameId = (id: string, where: string) =>
  conflict('DUPLICATE_ID', `Another message already has the id ${id}: ${where}.`, {
    hint: 'Send it with another id, or leave the id out.',
    details: { id, path: where },
  })
