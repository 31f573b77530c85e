/**
 * Sending a message under an id that others may use too: a sender that repeats itself, several that act on the same event.
 * However many try at once, are held up or killed, one message comes of it.
 *
 * Each writes its message under a name of its own first, and then tries to create the note whose name is the id. The one
 * note there can be says whose message counts; and a message is moved into the queue, which happens once. Whoever finds a
 * note whose message was not moved yet moves it. Notes stay: the id has been used, wherever its message is by now.
 * AC-MQ §8.3.
 */
import { parseJson } from '../../../formats/json.ts'
import { corrupt, SignalboxError } from '../../../kernel/errors.ts'
import { childOf, nameOf, type TreePath } from '../../../kernel/tree-path.ts'
import { whyClosed } from '../../../tree/readable.ts'
import type { Durability } from '../../../tree/tree.ts'
import { fileNameOf } from '../layout.ts'
import type { AcmqRecord } from '../schema.ts'
import { deliveryNotes } from './delivery-notes.ts'
import { enterQueue, idLengths } from './moving.ts'
import type { MissionFiles } from './parts.ts'
import { labelOf } from './waiting/waiting.ts'

export type SentOnce =
  /** By us, or for us by somebody who found it on its way. */
  | { readonly outcome: 'sent'; readonly record: AcmqRecord; readonly name: string; readonly durability: Durability }
  /** The id was used before. `digest` says for what. */
  | { readonly outcome: 'known'; readonly digest: string }

interface Note {
  /** The name under which the message waits to be moved. */
  readonly staged: string
  readonly digest: string
}

export class SendingOnce {
  readonly #files: MissionFiles
  readonly #notes: TreePath
  readonly #staged: TreePath

  constructor(files: MissionFiles) {
    this.#files = files
    this.#notes = deliveryNotes(files.place.address, 'sent')
    this.#staged = deliveryNotes(files.place.address, 'staged')
  }

  /** `digest` stands for what is sent, save the time of sending: equal ones mean the same message. */
  async send(record: AcmqRecord, content: Uint8Array | string, digest: string): Promise<SentOnce> {
    const { tree } = this.#files
    const staged = `${crypto.randomUUID()}.md`
    const written = await tree.create(childOf(this.#staged, staged), content)
    if (written.outcome !== 'created') return this.send(record, content, digest)
    const note: Note = { staged, digest }
    const noted = await tree.create(this.#noteOf(record.id), `${JSON.stringify(note)}\n`)
    if (noted.outcome === 'created') {
      const name = (await this.#publish(staged)) ?? fileNameOf(record)
      return { outcome: 'sent', record, name, durability: written.durability }
    }
    await tree.remove(childOf(this.#staged, staged))
    return { outcome: 'known', digest: (await this.finish(record.id))! }
  }

  /** What senders noted and did not get round to moving. One that is not noted yet is its sender's own. */
  async finishAll(): Promise<void> {
    for (const { name, kind } of await this.#files.tree.list(this.#staged)) {
      if (kind !== 'leaf' || !stagedName.test(name)) continue
      try {
        const leaf = await this.#files.readWhole(childOf(this.#staged, name))
        const record = leaf && this.#files.recordOf(leaf.bytes, name)
        if (record) await this.finish(record.id)
      } catch (error) {
        // A message or note that cannot be read, or is another user's: its sender is told when it sends again.
        if (!whyClosed(error) && !(error instanceof SignalboxError && error.kind === 'Corrupt')) throw error
      }
    }
  }

  /** Moves the message of an id into the queue if that is still to be done; answers its digest, if the id was used. */
  async finish(id: string): Promise<string | undefined> {
    const path = this.#noteOf(id)
    const leaf = await this.#files.tree.read(path, { atMost: longestNote })
    if (!leaf) return undefined
    const note = noteIn(leaf.bytes)
    if (!note) throw badNote(path, id)
    await this.#publish(note.staged)
    return note.digest
  }

  /** The name it has in the queue; `undefined` when somebody else has moved it. */
  async #publish(staged: string): Promise<string | undefined> {
    const { tree } = this.#files
    const from = childOf(this.#staged, staged)
    const leaf = await tree.read(from)
    if (!leaf) return undefined
    const { record } = this.#files.expect(leaf.bytes, staged).message
    for (const length of idLengths) {
      const name = fileNameOf(record, length)
      // The name must also be free in the queues that the message has yet to go through.
      if (await this.#isInUse(name)) continue
      const moved = await enterQueue(this.#files, from, name, { label: () => labelOf(record) })
      if (moved.outcome === 'moved') return name
      if (moved.outcome === 'gone') return undefined
    }
    // Somebody else may have moved this very message a moment ago.
    if (!(await tree.look(from))) return undefined
    throw corrupt('NAME_TAKEN', `Every file name for message ${record.id} is taken in ${this.#files.queues.pending}.`, {
      hint: 'Move the files with that name out of the way, then send it again.',
    })
  }

  async #isInUse(name: string): Promise<boolean> {
    for (const queue of ['processing', 'completed', 'failed'] as const) {
      if (await this.#files.tree.look(this.#files.at(queue, name))) return true
    }
    return false
  }

  #noteOf(id: string): TreePath {
    return childOf(this.#notes, `${id}.json`)
  }
}

const longestNote = 4096
const stagedName = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.md$/

function noteIn(bytes: Uint8Array): Note | undefined {
  try {
    const { staged, digest } = (parseJson(bytes) ?? {}) as Record<string, unknown>
    const isNote = typeof staged === 'string' && stagedName.test(staged) && typeof digest === 'string'
    return isNote ? { staged, digest } : undefined
  } catch (error) {
    if (error instanceof SignalboxError) return undefined
    throw error
  }
}

const badNote = (path: TreePath, id: string) =>
  corrupt('BAD_SENT_NOTE', `The note that ${id} was sent cannot be read: ${path}.`, {
    hint: `If no message ${id} was ever sent, delete ${nameOf(path)}; then send it again.`,
    details: { id, path },
  })
