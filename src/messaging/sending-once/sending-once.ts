/**
 * Sending under a key: however many processes send under it, are paused or killed, one message comes of it.
 *
 * A sender first writes its message under a name of its own (staged), then tries to create the note whose name is the key. The
 * one note there can be says whose message counts. That staged message is moved to where it belongs, which happens once: by its
 * sender, by another one that finds the key in use, or by supervision (`unmoved`). The caller moves it: nothing here knows
 * where it belongs. Notes stay: the key has been used, wherever its message is by now.
 */
import { sha256 } from '../../formats/digest.ts'
import { parseJson } from '../../formats/json.ts'
import { conflict, corrupt, SignalboxError } from '../../kernel/errors.ts'
import { printableLine } from '../../kernel/printable.ts'
import { childOf, isSegment, nameOf, type TreePath } from '../../kernel/tree-path.ts'
import type { Durability, Tree } from '../../tree/tree.ts'
import { isUnread, readOrSayWhy, whyClosed } from '../leaves/readable.ts'

/** The message of this call counts. Move `staged` to where it belongs; if it is gone, another process has done so. */
export interface Begun {
  readonly outcome: 'begun'
  readonly staged: TreePath
  readonly durability: Durability
}

/** The key was used before, for what `digest` says. */
export interface UsedBefore {
  readonly outcome: 'known'
  readonly digest: string
  /** The id of the message, if its sender noted it. */
  readonly id: string | undefined
  /** The message, if it still has to be moved: its sender may be paused or dead. */
  readonly staged: TreePath | undefined
}

export interface SendingPlaces {
  /** One note for each key that was ever used. */
  readonly notes: TreePath
  readonly staged: TreePath
  /** How names of staged messages end. */
  readonly ending: string
  /** The key of a message that an earlier version staged under a name that does not tell it. */
  readonly keyIn?: (content: Uint8Array) => string | undefined
}

interface Note {
  /** The name under which the message waits to be moved. */
  readonly staged: string
  readonly digest: string
  readonly id?: string
}

const longestNote = 4096

/** Any other key goes by its digest. `~` is in none that goes by itself. */
const nameOfKey = (key: string): string => (/^[\w.-]{1,128}$/.test(key) ? key : `~${sha256(key)}`)

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

export class SendingOnce {
  readonly #tree: Tree
  readonly #places: SendingPlaces
  /** `NAME~UUID.md`, where NAME is the name of the key. Earlier versions wrote `UUID.md`. */
  readonly #stagedName: RegExp

  constructor(tree: Tree, places: SendingPlaces) {
    this.#tree = tree
    this.#places = places
    this.#stagedName = new RegExp(`^(?:(.+)~)?${uuid}${places.ending.replaceAll('.', '\\.')}$`)
  }

  /**
   * `digest` stands for what is sent: equal ones mean the same message. `id`: of the message, where that is not the key; a
   * process that sends under the key again gets it.
   */
  async begin(key: string, content: Uint8Array | string, digest: string, id?: string): Promise<Begun | UsedBefore> {
    const name = `${nameOfKey(key)}~${crypto.randomUUID()}${this.#places.ending}`
    const staged = childOf(this.#places.staged, name)
    const written = await this.#tree.create(staged, content)
    if (written.outcome !== 'created') return this.begin(key, content, digest, id)
    const note: Note = { staged: name, digest, ...(id === undefined ? {} : { id }) }
    const noted = await this.#tree.create(this.#noteOf(nameOfKey(key)), `${JSON.stringify(note)}\n`)
    if (noted.outcome === 'created') return { outcome: 'begun', staged, durability: written.durability }
    await this.#tree.remove(staged)
    return (await this.find(key))!
  }

  /** `undefined`: the key was never used. */
  async find(key: string): Promise<UsedBefore | undefined> {
    const note = await this.#noted(nameOfKey(key))
    if (!note) return undefined
    const staged = childOf(this.#places.staged, note.staged)
    const leaf = await this.#tree.read(staged, { atMost: 1, fresh: true })
    return { outcome: 'known', digest: note.digest, id: note.id, staged: leaf && staged }
  }

  /**
   * The staged messages that senders noted and have not moved. A message without a note is still its sender's own. One that
   * lost its key to another message is removed.
   */
  async *unmoved(): AsyncGenerator<TreePath> {
    for (const { name, kind } of await this.#tree.list(this.#places.staged)) {
      const match = kind === 'leaf' ? this.#stagedName.exec(name) : null
      if (!match) continue
      const staged = childOf(this.#places.staged, name)
      const note = await this.#noteOfStaged(staged, match[1])
      if (note?.staged === name) yield staged
      else if (note) await this.#tree.remove(staged)
    }
  }

  /** The id that its sender noted with a staged message. */
  async idOf(staged: TreePath): Promise<string | undefined> {
    return (await this.#noteOfStaged(staged, this.#stagedName.exec(nameOf(staged))?.[1]))?.id
  }

  async #noteOfStaged(staged: TreePath, nameInName: string | undefined): Promise<Note | undefined> {
    try {
      const name = nameInName ?? (await this.#keyIn(staged))
      return name !== undefined && isSegment(name) ? await this.#noted(name) : undefined
    } catch (error) {
      if (isAboutOneMessage(error)) return undefined
      throw error
    }
  }

  async #keyIn(staged: TreePath): Promise<string | undefined> {
    const leaf = this.#places.keyIn && (await readOrSayWhy(this.#tree, staged))
    return leaf && !isUnread(leaf) ? this.#places.keyIn?.(leaf.bytes) : undefined
  }

  async #noted(name: string): Promise<Note | undefined> {
    const path = this.#noteOf(name)
    const leaf = await this.#tree.read(path, { atMost: longestNote, fresh: true })
    if (!leaf) return undefined
    const note = this.#noteIn(leaf.bytes)
    if (!note) throw badNote(path, name)
    return note
  }

  #noteOf(name: string): TreePath {
    return childOf(this.#places.notes, `${name}.json`)
  }

  #noteIn(bytes: Uint8Array): Note | undefined {
    try {
      const { staged, digest, id } = (parseJson(bytes) ?? {}) as Record<string, unknown>
      const isNote = typeof staged === 'string' && this.#stagedName.test(staged) && typeof digest === 'string'
      return isNote ? { staged, digest, ...(typeof id === 'string' ? { id } : {}) } : undefined
    } catch (error) {
      if (error instanceof SignalboxError) return undefined
      throw error
    }
  }
}

/**
 * A message or note that cannot be read, or is another user's. Supervision goes on with the next one: the sender gets the error
 * when it sends again.
 */
export const isAboutOneMessage = (error: unknown): boolean =>
  whyClosed(error) !== undefined || (error instanceof SignalboxError && error.kind === 'Corrupt')

/** For a sender whose key was used before, with another digest. */
export const keyUsed = (key: string, { id }: Pick<UsedBefore, 'id'>): SignalboxError =>
  conflict('KEY_USED', `The key ${shown(key)} was used for another message${id === undefined ? '' : `, ${id}`}.`, {
    hint: 'Send this one under another key. To repeat that one, send it exactly as it was sent.',
    details: { key: key.slice(0, 400), ...(id === undefined ? {} : { id }) },
  })

const shown = (key: string): string => printableLine(key.slice(0, 120))

const badNote = (path: TreePath, key: string) =>
  corrupt('BAD_SENT_NOTE', `The note that ${key} was sent cannot be read: ${path}.`, {
    hint: `If no message ${key} was ever sent, delete ${nameOf(path)}; then send it again.`,
    details: { id: key, path },
  })
