/**
 * Finds messages by id, wherever in the mission they are. File names carry the first characters of the id; names that
 * do not, because another program chose them, are read once and remembered. The id in the header decides.
 */
import { notFound, SignalboxError } from '../../../kernel/errors.ts'
import { ambiguousId, isMeant, shortLength, shortOf } from '../../../kernel/short-id.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import type { ArchivedEntry } from '../archive/archive.ts'
import { archivePath, isMessageName, parseFileName } from '../layout.ts'
import { type QueueName, queueNames } from '../schema.ts'
import { FolderView } from './folder-view.ts'
import type { MissionFiles } from './parts.ts'

export interface Found {
  readonly id: string
  readonly queue: QueueName
  readonly name: string
  readonly path: TreePath
}

export class Finder {
  readonly #files: MissionFiles
  readonly #views: Record<QueueName, QueueView>

  constructor(files: MissionFiles) {
    this.#files = files
    const view = (queue: QueueName) => new QueueView(files, queue)
    this.#views = {
      pending: view('pending'),
      processing: view('processing'),
      completed: view('completed'),
      failed: view('failed'),
    }
  }

  /** Every message whose id is `id` or begins with it (eight characters at least). */
  async findAll(id: string, queues: readonly QueueName[] = queueNames): Promise<Found[]> {
    const found: Found[] = []
    for (const queue of queues) found.push(...(await this.#views[queue].find(id)))
    const unique = new Map(found.map((entry) => [`${entry.id} ${entry.queue}`, entry]))
    const all = [...unique.values()]
    // A whole id means that message, even if the id of another begins with it.
    const exact = all.filter((entry) => entry.id === id)
    return exact.length > 0 ? exact : all
  }

  /**
   * The same for those who only want to know which messages are meant, not where they are by now: one of this very id is
   * taken from what is remembered, and folders are listed only until it turns up.
   */
  async findMeant(id: string): Promise<readonly Found[]> {
    const exactly = (found: readonly Found[]) => found.find((entry) => entry.id === id)
    for (const queue of likeliestFirst) {
      const known = exactly(await this.#views[queue].known(id))
      if (known) return [known]
    }
    const all: Found[] = []
    for (const queue of likeliestFirst) {
      const found = await this.#views[queue].find(id)
      const exact = exactly(found)
      if (exact) return [exact]
      all.push(...found)
    }
    return all
  }

  /** The one message meant, or an error that says why there is none. */
  async findOne(id: string, queues?: readonly QueueName[]): Promise<Found> {
    const found = await this.findAll(id, queues)
    const ids = new Set(found.map((entry) => entry.id))
    if (ids.size > 1) throw ambiguousId(id, [...ids])
    const first = found[0]
    if (!first) throw noSuchMessage(id, this.#files.place.address)
    return first
  }

  async archived(id: string): Promise<readonly ArchivedEntry[]> {
    const { findArchived } = await import('../archive/archive.ts')
    return findArchived(this.#files.tree, archivePath(this.#files.place), id)
  }
}

/** Most messages that others depend on are completed. */
export const likeliestFirst: readonly QueueName[] = ['completed', 'processing', 'pending', 'failed']

/** The messages of one queue by id. */
class QueueView {
  readonly #files: MissionFiles
  readonly #queue: QueueName
  readonly #view: FolderView
  readonly #byShortId = new Map<string, Set<string>>()
  /** Names that say nothing about the id. */
  readonly #odd = new Set<string>()
  readonly #ids = new Map<string, string | undefined>()

  constructor(files: MissionFiles, queue: QueueName) {
    this.#files = files
    this.#queue = queue
    this.#view = new FolderView(files.tree, files.queues[queue])
  }

  async find(id: string): Promise<Found[]> {
    const { came, went } = await this.#view.changes(true)
    for (const { name, kind } of came) if (kind === 'leaf' && isMessageName(name)) this.#file(name)
    for (const name of went) this.#unfile(name)
    return this.known(id)
  }

  /** Those of the last listing. */
  async known(id: string): Promise<Found[]> {
    const found: Found[] = []
    const names = new Set([...(this.#byShortId.get(shortOf(id)) ?? []), ...this.#odd])
    for (const name of names) {
      const full = await this.#idOf(name)
      if (full !== undefined && isMeant(id, full)) {
        found.push({ id: full, queue: this.#queue, name, path: this.#files.at(this.#queue, name) })
      }
    }
    return found
  }

  #file(name: string): void {
    const short = parseFileName(name)?.shortId.slice(0, shortLength)
    if (short === undefined) {
      this.#odd.add(name)
      return
    }
    const names = this.#byShortId.get(short) ?? new Set()
    this.#byShortId.set(short, names.add(name))
  }

  #unfile(name: string): void {
    this.#odd.delete(name)
    this.#ids.delete(name)
    const short = parseFileName(name)?.shortId.slice(0, shortLength)
    const names = short === undefined ? undefined : this.#byShortId.get(short)
    names?.delete(name)
    if (names?.size === 0) this.#byShortId.delete(short!)
  }

  /** The id in the header; `undefined` for a file that is malformed or has just moved on. */
  async #idOf(name: string): Promise<string | undefined> {
    if (this.#ids.has(name)) return this.#ids.get(name)
    let id: string | undefined
    try {
      id = (await this.#files.readRecord(this.#queue, name))?.id
    } catch (error) {
      // Not ours to read: like a malformed one it has no id to be found by. `reconcile` and claiming report it.
      if (!(error instanceof SignalboxError) || error.kind === 'Unavailable') throw error
    }
    if (id !== undefined) this.#ids.set(name, id)
    return id
  }
}

export const noSuchMessage = (id: string, mission: string) =>
  notFound('NO_SUCH_MESSAGE', `There is no message ${id} in mission ${mission}.`, {
    hint: `See what there is: acmq list ${mission}`,
    details: { id, mission },
  })
