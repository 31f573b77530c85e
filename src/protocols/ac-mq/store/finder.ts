/** Finds messages by id. File names carry the beginning of the id; other files are read once. The id in the header decides. */
import { call } from '../../../kernel/call.ts'
import { conflict, notFound, SignalboxError, unavailable } from '../../../kernel/errors.ts'
import { isMeant, shortLength, shortOf, theOneMeant, thoseMeant } from '../../../kernel/short-id.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import { unlessUnreadable } from '../../../messaging/leaves/tolerant.ts'
import type { ArchivedEntry } from '../archive/archive.ts'
import { errorOf } from '../format.ts'
import { archivePath, isMessageName, parseFileName } from '../layout.ts'
import { forQueues, type QueueName, queueNames } from '../schema.ts'
import { FolderView } from './folder-view.ts'
import type { MissionFiles } from './parts.ts'

export interface QueueEntry {
  readonly id: string
  readonly queue: QueueName
  readonly name: string
  readonly path: TreePath
}

export class Finder {
  readonly files: MissionFiles
  readonly #views: Record<QueueName, QueueView>

  constructor(files: MissionFiles) {
    this.files = files
    this.#views = forQueues((queue) => new QueueView(files, queue))
  }

  /** Every message whose id is `id` or begins with it (eight characters at least). */
  async findAll(id: string, queues: readonly QueueName[] = queueNames): Promise<readonly QueueEntry[]> {
    const found: QueueEntry[] = []
    for (const queue of queues) found.push(...(await this.#views[queue].find(id)))
    const unique = new Map(found.map((entry) => [`${entry.id} ${entry.queue}`, entry]))
    return thoseMeant(id, [...unique.values()])
  }

  /** Which messages an id means; where they are may be old. Lists folders only until a message with exactly this id is found. */
  async findMeant(id: string): Promise<readonly QueueEntry[]> {
    const exactly = (found: readonly QueueEntry[]) => found.find((entry) => entry.id === id)
    for (const queue of likeliestFirst) {
      const known = exactly(await this.#views[queue].known(id))
      if (known) return [known]
    }
    const all: QueueEntry[] = []
    for (const queue of likeliestFirst) {
      const found = await this.#views[queue].find(id)
      const exact = exactly(found)
      if (exact) return [exact]
      all.push(...found)
    }
    return all
  }

  /** As `findAll`, but waits for a message that another process is moving, and that cannot be read until then. */
  findSurely(id: string, queues: readonly QueueName[] = queueNames): Promise<readonly QueueEntry[]> {
    return untilFree(id, async () => {
      const found = await this.findAll(id, queues)
      return found.length > 0 || !(await this.#isBeingMoved(id, queues)) ? found : undefined
    })
  }

  async #isBeingMoved(id: string, queues: readonly QueueName[]): Promise<boolean> {
    for (const queue of queues) if (await this.#views[queue].isBeingMoved(id)) return true
    return false
  }

  async findOne(id: string, queues?: readonly QueueName[]): Promise<QueueEntry> {
    const found = theOneMeant(id, await this.findSurely(id, queues))
    if (found) return found
    // A person may just have corrected a file that had no usable id.
    for (const queue of queueNames) await this.#views[queue].readUnknown()
    const [mended] = await this.findAll(id, queues)
    if (mended) return mended
    throw await this.notFound(id)
  }

  /** For a verb that works on a queue: says so if the message is archived. */
  async findInQueue(id: string, verb: string): Promise<QueueEntry> {
    try {
      return await this.findOne(id)
    } catch (error) {
      if (!(error instanceof SignalboxError) || error.kind !== 'NotFound') throw error
      const [archived] = await this.archived(id)
      throw archived ? isArchived(archived, verb) : error
    }
  }

  /** The error for an id without a message. It tells of a file with this id that is malformed or another user's. */
  async notFound(id: string): Promise<Error> {
    for (const queue of queueNames) {
      for (const name of this.#views[queue].candidates(id)) {
        const read = await this.files.readHeader(queue, name)
        if (!read || read.outcome === 'message') continue
        const [{ message, ...problem }, ...others] = read.problems
        const path = this.files.at(queue, name)
        const told = { ...problem, message: `${path} cannot be read as a message. ${message}` }
        return errorOf({ ...read, problems: [told, ...others] } as typeof read)
      }
    }
    return noSuchMessage(id, this.files.place.address)
  }

  async archived(id: string): Promise<readonly ArchivedEntry[]> {
    const { findArchived } = await import('../archive/archive.ts')
    return findArchived(this.files.tree, archivePath(this.files.place), id, this.files.settings)
  }
}

/** Milliseconds. A running process moves a message in far less. */
const longestMove = 5000

/** Tries again, with pauses, while the answer is `undefined` because another process moves the message. */
export async function untilFree<T>(id: string, attempt: () => Promise<T | undefined>): Promise<T> {
  const startedAt = performance.now()
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    const found = await attempt()
    if (found !== undefined) return found
    if (performance.now() - startedAt > longestMove) {
      throw unavailable('MESSAGE_BUSY', `Another process has message ${id} in hand and does not let go of it.`, {
        hint: `See whether a process is stopped; ${call('doctor')} tells which.`,
        details: { id },
      })
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/** Most messages that others depend on are completed. */
export const likeliestFirst: readonly QueueName[] = ['completed', 'processing', 'pending', 'failed']

/** Files without a usable id are read again after so many milliseconds, or after 20 times as long as reading them took. */
const believedFor = 1000
const restFactor = 20

class QueueView {
  readonly #files: MissionFiles
  readonly #queue: QueueName
  readonly #view: FolderView
  /** File names by the short id in the name or in the header. */
  readonly #byShortId = new Map<string, Set<string>>()
  /** Files whose names carry no id, and in which no usable id was found. */
  readonly #unknown = new Set<string>()
  readonly #ids = new Map<string, string>()
  /** Until then the files of `#unknown` are not read again: otherwise every search would read all of them. */
  #believedUntil = Number.NEGATIVE_INFINITY

  constructor(files: MissionFiles, queue: QueueName) {
    this.#files = files
    this.#queue = queue
    this.#view = new FolderView(files.tree, files.queues[queue])
  }

  async find(id: string): Promise<QueueEntry[]> {
    await this.#view.update(true, async ({ came, went }) => {
      for (const name of went) this.#unfile(name)
      const messages = came.filter(({ name, kind }) => kind === 'leaf' && isMessageName(name))
      await this.#readOdd(messages.map(({ name }) => name).filter((name) => !this.#file(name)))
    })
    return this.known(id)
  }

  async known(id: string): Promise<QueueEntry[]> {
    if (this.#unknown.size > 0 && performance.now() >= this.#believedUntil) await this.readUnknown()
    const found: QueueEntry[] = []
    for (const name of this.#byShortId.get(shortOf(id)) ?? []) {
      const full = await this.#idOf(name)
      if (full !== undefined && isMeant(id, full)) {
        found.push({ id: full, queue: this.#queue, name, path: this.#files.at(this.#queue, name) })
      }
    }
    return found
  }

  /** Reads the files without a usable id again: a person may have corrected them. */
  async readUnknown(): Promise<void> {
    const startedAt = performance.now()
    await this.#readOdd([...this.#unknown])
    const endedAt = performance.now()
    this.#believedUntil = endedAt + Math.max(believedFor, (endedAt - startedAt) * restFactor)
  }

  /** True when a file that may be meant is listed and cannot be read, because another process is moving it. */
  async isBeingMoved(id: string): Promise<boolean> {
    for (const name of [...(this.#byShortId.get(shortOf(id)) ?? []), ...this.#unknown]) {
      if (!this.#ids.has(name) && (await this.#files.readHeader(this.#queue, name)) === undefined) return true
    }
    return false
  }

  /** Files that a person may mean by an id: the short id is in the file name, or the id is the file name. */
  candidates(id: string): string[] {
    const byName = [id, `${id}.md`].filter((name) => this.#view.names.get(name) === 'leaf' && isMessageName(name))
    return [...byName, ...(this.#byShortId.get(shortOf(id)) ?? [])]
  }

  #file(name: string): boolean {
    const short = shortIn(name)
    if (short === undefined) return false
    this.#add(short, name)
    return true
  }

  #add(short: string, name: string): void {
    const names = this.#byShortId.get(short) ?? new Set()
    this.#byShortId.set(short, names.add(name))
  }

  async #readOdd(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const id = await this.#idOf(name)
      if (id === undefined) this.#unknown.add(name)
      else {
        this.#unknown.delete(name)
        this.#add(shortOf(id), name)
      }
    }
  }

  #unfile(name: string): void {
    const id = this.#ids.get(name)
    this.#unknown.delete(name)
    this.#ids.delete(name)
    const short = shortIn(name) ?? (id === undefined ? undefined : shortOf(id))
    const names = short === undefined ? undefined : this.#byShortId.get(short)
    names?.delete(name)
    if (names?.size === 0) this.#byShortId.delete(short!)
  }

  /** The id in the header; `undefined` for a file that cannot be read as a message or has just moved. */
  async #idOf(name: string): Promise<string | undefined> {
    const known = this.#ids.get(name)
    if (known !== undefined) return known
    const id = (await unlessUnreadable(this.#files.readRecord(this.#queue, name)))?.id
    if (id !== undefined) this.#ids.set(name, id)
    return id
  }
}

const shortIn = (name: string): string | undefined => parseFileName(name)?.shortId.slice(0, shortLength)

const isArchived = ({ id, status }: ArchivedEntry, verb: string) =>
  conflict('WRONG_STATE', `Message ${id} is archived, as ${status}; there is nothing to ${verb}.`, {
    hint: `Read it with ${call('acmq show', { mission: 'MISSION', id: 'ID' })}, and send a new message if it is to be done again.`,
    details: { id, queue: 'archived', status },
  })

export const noSuchMessage = (id: string, mission: string) =>
  notFound('NO_SUCH_MESSAGE', `There is no message ${id} in mission ${mission}.`, {
    hint: `See what there is: ${call('acmq list', { mission })}`,
    details: { id, mission },
  })
