/**
 * Sending under an id that the sender chose. If the sender sends the same content under the same id again, that is the same
 * message, wherever it is by now and whatever reports it has got. Other content under the same id is refused. AC-MQ §8.3.
 */
import { conflict, corrupt, invalidInput } from '../../../kernel/errors.ts'
import { isMeant } from '../../../kernel/short-id.ts'
import { nameOf, type TreePath } from '../../../kernel/tree-path.ts'
import { isAboutOneMessage, SendingOnce as Keys } from '../../../messaging/sending-once/sending-once.ts'
import { findCycle } from '../cycles.ts'
import { idIn } from '../dependencies.ts'
import { fileNameOf, idLengths, parseFileName } from '../layout.ts'
import { isReport } from '../reports.ts'
import type { AcmqRecord } from '../schema.ts'
import { findCopy } from './copies.ts'
import type { Finder } from './finder.ts'
import { labelOf } from './label.ts'
import { bodyElsewhere } from './large-bodies.ts'
import { enterQueue } from './moving.ts'
import type { MissionFiles } from './parts.ts'
import { type AcmqView, viewOf } from './view.ts'
import type { Candidate } from './waiting/waiting.ts'

type Body = string | Uint8Array

export class SendingOnce {
  readonly #files: MissionFiles
  readonly #keys: Keys

  constructor(files: MissionFiles) {
    this.#files = files
    this.#keys = new Keys(files.tree, {
      notes: files.notes('sent'),
      staged: files.notes('staged'),
      ending: '.md',
      keyIn: (content) => files.recordOf(content, '')?.id,
    })
  }

  /** `digest`: see `inputDigest`. Throws DUPLICATE_ID when the id was used for other content. Returns the name in the queue. */
  async send(stored: AcmqRecord, content: Body, digest: string) {
    const begun = await this.#keys.begin(stored.id, content, digest)
    const published = begun.staged && (await this.#publish(begun.staged))
    const name = published ?? fileNameOf(stored)
    if (begun.outcome === 'begun') return { outcome: 'sent', name, durability: begun.durability } as const
    if (begun.digest !== digest) throw sameId(stored.id, this.#files.at('pending', name))
    return { outcome: 'known', name } as const
  }

  /** Puts into the queue what senders staged and did not move there, because they were killed or stopped. */
  async finishAll(): Promise<void> {
    for await (const staged of this.#keys.unmoved()) {
      try {
        await this.#publish(staged)
      } catch (error) {
        if (!isAboutOneMessage(error)) throw error
      }
    }
  }

  /** Moves a staged message into the queue and returns its name there; `undefined` when another process moved it. */
  async #publish(staged: TreePath): Promise<string | undefined> {
    const { tree, queues } = this.#files
    const leaf = await tree.read(staged)
    if (!leaf) return undefined
    const { record } = this.#files.expect(leaf.bytes, nameOf(staged)).message
    for (const length of idLengths) {
      const name = fileNameOf(record, length)
      // The message keeps its name, so the name must be free in the later queues too.
      if (await this.#isInUse(name)) continue
      const moved = await enterQueue(this.#files, staged, name, { label: () => labelOf(record) })
      if (moved.outcome === 'moved') return name
      if (moved.outcome === 'gone') return undefined
    }
    // Another process may have moved this message a moment ago.
    if (!(await tree.look(staged))) return undefined
    throw corrupt('NAME_TAKEN', `Every file name for message ${record.id} is taken in ${queues.pending}.`, {
      hint: 'Move the files with that name out of the way, then send it again.',
    })
  }

  async #isInUse(name: string): Promise<boolean> {
    for (const queue of ['processing', 'completed', 'failed'] as const) {
      if (await this.#files.tree.look(this.#files.at(queue, name))) return true
    }
    return false
  }

  /** The message as it is now; `undefined` when no message has this id. Throws DUPLICATE_ID when its content differs. */
  async find(finder: Finder, record: AcmqRecord, body: Body): Promise<AcmqView | undefined> {
    const copy = await findCopy(this.#files, finder, record.id)
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

  /** Only a message under a chosen id can close a cycle: a message that is waiting may depend on that id already. */
  refuseCycle(record: AcmqRecord, waiting: readonly Candidate[]): void {
    const byId = new Map(waiting.map((one) => [one.id, one]))
    const dependsOn = (id: string): readonly string[] => {
      const { dependencies } = id === record.id ? record : (byId.get(id) ?? { dependencies: [] })
      return dependencies.flatMap((text) => {
        const named = idIn(text)
        if (named === undefined) return []
        if (isMeant(named, record.id)) return [record.id]
        return byId.has(named) ? [named] : [...byId.keys()].filter((one) => isMeant(named, one))
      })
    }
    const cycle = findCycle(record.id, dependsOn)
    if (!cycle) return
    throw invalidInput('DEPENDENCY_CYCLE', `This message would wait for itself: ${cycle.join(' → ')}.`, {
      hint: 'Leave out one of these dependencies.',
      details: { cycle },
    })
  }
}

/** A digest of all that the sender says, without the time of sending, which differs when the message is sent again. */
export function inputDigest(record: AcmqRecord, body: Body): string {
  const { from, to, priority, timeout_seconds, summary, dependencies, reply_to, envelope } = record
  const others = reply_to === undefined && envelope === undefined ? [] : [reply_to, envelope]
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256')
  hash.update(JSON.stringify([from, to, priority, timeout_seconds, summary, dependencies, ...others]))
  return hash.update(body).digest('base64url')
}

function isSameHeader(before: AcmqRecord, now: AcmqRecord, sentTo: string | undefined): boolean {
  const elsewhere = bodyElsewhere(before)
  const own = before.dependencies.filter((text) => text !== `path:${elsewhere}`)
  return (
    before.from === now.from &&
    // A claim of a message to all changes `to`, but not the file name.
    (sentTo ?? before.to) === now.to &&
    before.priority === now.priority &&
    before.timeout_seconds === now.timeout_seconds &&
    before.summary === now.summary &&
    before.reply_to === now.reply_to &&
    before.envelope === now.envelope &&
    own.join('\0') === now.dependencies.join('\0')
  )
}

const sameId = (id: string, where: string) =>
  conflict('DUPLICATE_ID', `Another message already has the id ${id}: ${where}.`, {
    hint: 'Send it with another id, or leave the id out.',
    details: { id, path: where },
  })
