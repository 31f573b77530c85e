/**
 * Sending under a key: however many processes send it, are held up or killed, one message comes of it.
 *
 * A sender first writes its message under a name of its own (staged), then tries to create the note whose name is the key. The
 * one note there can be says whose message counts, and that message is moved to where it belongs, which happens once. A
 * process that finds a note whose message was not moved yet moves it. Notes stay: the key has been used, wherever its
 * message is by now.
 */
import { parseJson } from '../../formats/json.ts'
import { corrupt, SignalboxError } from '../../kernel/errors.ts'
import { childOf, isSegment, nameOf, type TreePath } from '../../kernel/tree-path.ts'
import type { Durability, Tree } from '../../tree/tree.ts'
import { whyClosed } from '../leaves/readable.ts'

export type SentOnce<Published> =
  /** By this process. `published` is `undefined` when another process moved the message for it. */
  | { readonly outcome: 'sent'; readonly published: Published | undefined; readonly durability: Durability }
  /** The key was used before. `digest` says for what. */
  | { readonly outcome: 'known'; readonly digest: string }

export interface SendingPlaces<Published> {
  /** One note for each key that was ever used. */
  readonly notes: TreePath
  readonly staged: TreePath
  /** How names of staged messages end. */
  readonly ending: string
  /** Moves a staged message to where it belongs; `undefined` when it was moved already. */
  publish(staged: TreePath): Promise<Published | undefined>
  /** The key of a message that an earlier version staged under a name that does not tell it. */
  keyOf?(staged: TreePath): Promise<string | undefined>
}

interface Note {
  /** The name under which the message waits to be moved. */
  readonly staged: string
  readonly digest: string
}

const longestNote = 4096
const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

export class SendingOnce<Published> {
  readonly #tree: Tree
  readonly #places: SendingPlaces<Published>
  /** `KEY~UUID.md`; without the key, of an earlier version. */
  readonly #stagedName: RegExp

  constructor(tree: Tree, places: SendingPlaces<Published>) {
    this.#tree = tree
    this.#places = places
    this.#stagedName = new RegExp(`^(?:(.+)~)?${uuid}${places.ending.replaceAll('.', '\\.')}$`)
  }

  /** `key`: fit to be the name of a file. `digest` stands for what is sent: equal ones mean the same message. */
  async send(key: string, content: Uint8Array | string, digest: string): Promise<SentOnce<Published>> {
    const staged = `${key}~${crypto.randomUUID()}${this.#places.ending}`
    const written = await this.#tree.create(childOf(this.#places.staged, staged), content)
    if (written.outcome !== 'created') return this.send(key, content, digest)
    const note: Note = { staged, digest }
    const noted = await this.#tree.create(this.#noteOf(key), `${JSON.stringify(note)}\n`)
    if (noted.outcome === 'created') {
      const published = await this.#places.publish(childOf(this.#places.staged, staged))
      return { outcome: 'sent', published, durability: written.durability }
    }
    await this.#tree.remove(childOf(this.#places.staged, staged))
    return { outcome: 'known', digest: (await this.finish(key))! }
  }

  /** Moves the message of a key to where it belongs if that is still to be done; answers its digest, if the key was used. */
  async finish(key: string): Promise<string | undefined> {
    const path = this.#noteOf(key)
    const leaf = await this.#tree.read(path, { atMost: longestNote })
    if (!leaf) return undefined
    const note = this.#noteIn(leaf.bytes)
    if (!note) throw badNote(path, key)
    await this.#places.publish(childOf(this.#places.staged, note.staged))
    return note.digest
  }

  /** Moves what senders noted and did not get round to moving. A message without a note is still its sender's own. */
  async finishAll(): Promise<void> {
    for (const { name, kind } of await this.#tree.list(this.#places.staged)) {
      const match = kind === 'leaf' ? this.#stagedName.exec(name) : null
      if (!match) continue
      try {
        const key = match[1] ?? (await this.#places.keyOf?.(childOf(this.#places.staged, name)))
        if (key !== undefined && isSegment(key)) await this.finish(key)
      } catch (error) {
        // A message or note that cannot be read, or is another user's: its sender is told when it sends again.
        if (!whyClosed(error) && !(error instanceof SignalboxError && error.kind === 'Corrupt')) throw error
      }
    }
  }

  #noteOf(key: string): TreePath {
    return childOf(this.#places.notes, `${key}.json`)
  }

  #noteIn(bytes: Uint8Array): Note | undefined {
    try {
      const { staged, digest } = (parseJson(bytes) ?? {}) as Record<string, unknown>
      const isNote = typeof staged === 'string' && this.#stagedName.test(staged) && typeof digest === 'string'
      return isNote ? { staged, digest } : undefined
    } catch (error) {
      if (error instanceof SignalboxError) return undefined
      throw error
    }
  }
}

const badNote = (path: TreePath, key: string) =>
  corrupt('BAD_SENT_NOTE', `The note that ${key} was sent cannot be read: ${path}.`, {
    hint: `If no message ${key} was ever sent, delete ${nameOf(path)}; then send it again.`,
    details: { id: key, path },
  })
