/**
 * Keeps the book of a mission: reads the messages that have come or changed since, and remembers the rest. It lies in
 * `.signalbox/cache/memory/`, bounded in size; without it everything is read and compared once more, with the same result.
 */
import { hash } from 'node:crypto'
import { SignalboxError } from '../../../../kernel/errors.ts'
import { childOf, type TreePath } from '../../../../kernel/tree-path.ts'
import { prune } from '../../../../messaging/leaves/keep.ts'
import { cacheOf } from '../../../../tree/home.ts'
import type { TimedEntry, Tree } from '../../../../tree/tree.ts'
import { type ArchivedEntry, eachArchived } from '../../archive/archive.ts'
import { archivePath } from '../../layout.ts'
import { type Book, type BookEntry, emptyBook } from '../../memory/book.ts'
import { printBook, readBook } from '../../memory/book-format.ts'
import { noter } from '../../memory/noted.ts'
import { type QueueName, queueNames } from '../../schema.ts'
import { bodyElsewhere } from '../body-elsewhere.ts'
import type { MissionFiles } from '../parts.ts'
import type { QueueListing } from './listing.ts'
import { archivedText, type MessageText, queuedText } from './texts.ts'

/** A larger book is not kept on disk. */
const mostBytes = 128 * 1024 * 1024
const keeping = { keepMs: 90 * 24 * 60 * 60 * 1000, keepBytes: 4 * mostBytes }
/** Two changes may have the same time, so what changed this lately, in milliseconds, may have changed again. */
const tooRecent = 2000
/** Of fewer messages everything is read and compared again as quickly. */
const worthKeeping = 500
/** Writing the book costs about what so much of it costs to find out again. */
const worthSaving = 0.04
/** So many missions are remembered in this process. */
const mostInMemory = 8

/** Where the file of a message is. */
type Place = QueueName | ArchivedEntry

export interface OpenBook {
  readonly before: Book
  /** As they are now. */
  readonly entries: ReadonlyMap<string, BookEntry>
  /** The same by id, each once, and where each is. */
  readonly messages: ReadonlyMap<string, BookEntry>
  readonly places: ReadonlyMap<string, Place>
  /** How many had to be read. */
  readonly read: number
  readonly titles: readonly string[]
}

export const markOf = ({ size, modifiedAt, changedAt }: TimedEntry): string => `${size} ${modifiedAt} ${changedAt}`

/** Empty while it may change again without looking other. */
export const settledMark = (entry: TimedEntry, now: number): string =>
  now - Math.max(entry.modifiedAt, entry.changedAt) > tooRecent ? markOf(entry) : ''

/** `titles`: of the milestones that are ticked. */
export async function openBook(
  files: MissionFiles,
  titles: readonly string[],
  listing: QueueListing,
): Promise<OpenBook> {
  const before = await recall(files)
  const isJudged = titles.every((title) => before.titles.includes(title))
  const judged = isJudged ? before.titles : titles
  const known = isJudged ? before.entries : new Map<string, BookEntry>()
  const note = noter(judged)
  const entries = new Map<string, BookEntry>()
  const messages = new Map<string, BookEntry>()
  const places = new Map<string, Place>()
  let read = 0
  const put = (key: string, place: Place, entry: BookEntry): void => {
    entries.set(key, entry)
    messages.set(entry.id, entry)
    places.set(entry.id, place)
  }
  const add = (key: string, place: Place, mark: string, text: MessageText | undefined): void => {
    if (!text) return
    read++
    // The body that lies elsewhere may change by itself.
    const isAllHere = bodyElsewhere(text.message) === undefined
    const noted = note({ ...text.message, status: text.status, body: text.body })
    put(key, place, { ...noted, mark: isAllHere ? mark : '' })
  }
  const now = await files.tree.now()
  for (const queue of queueNames) {
    for (const listed of listing[queue]) {
      const key = `${queue}/${listed.name}`
      const had = known.get(key)
      if (had?.mark === markOf(listed)) put(key, queue, had)
      else add(key, queue, settledMark(listed, now), await queuedText(files, queue, listed.name))
    }
  }
  const { tree, place, settings } = files
  for await (const entry of eachArchived(tree, archivePath(place), settings)) {
    // Packs do not change; what lies loose there may.
    const mark = `${entry.finishedAt} ${entry.size} ${entry.status}`
    const key = `${entry.pack} ${entry.offset} ${entry.name}`
    const had = known.get(key)
    if (had?.mark === mark) put(key, entry, had)
    else add(key, entry, mark, await archivedText(files, entry))
  }
  return { before, entries, messages, places, read, titles: judged }
}

/** What a message of the book says now; `undefined` when it is not there any more. */
export async function textIn(files: MissionFiles, { messages, places }: OpenBook, id: string) {
  const place = places.get(id)
  if (place === undefined) return undefined
  return typeof place === 'string' ? queuedText(files, place, messages.get(id)!.name) : archivedText(files, place)
}

interface Remembered {
  readonly book: Book
  /** The number of the newest one that is known on disk; 0 when there is none. */
  readonly turn: number
  /** How many messages and documents another process would have to read or make again. */
  readonly unsaved: number
}

const inMemory = new WeakMap<Tree, Map<TreePath, Remembered>>()

/** Books are never changed, only followed by a newer one: comparing with the old one would take longer than writing. */
const bookPath = (files: MissionFiles, turn: number): TreePath =>
  childOf(cacheOf('memory'), `${beginningOf(files)}${turn}.book`)

const beginningOf = ({ path }: MissionFiles): string => `${hash('sha256', path, 'hex').slice(0, 32)}.`

/** The numbers of those that are there. */
async function turnsOf(files: MissionFiles): Promise<number[]> {
  const beginning = beginningOf(files)
  const listed = await files.tree.list(cacheOf('memory'))
  return listed.flatMap(({ name, kind }) => {
    const turn = name.startsWith(beginning)
      ? /^([1-9]\d{0,14})\.book$/.exec(name.slice(beginning.length))?.[1]
      : undefined
    return kind === 'leaf' && turn !== undefined ? [Number(turn)] : []
  })
}

async function recall(files: MissionFiles): Promise<Book> {
  const known = inMemory.get(files.tree)?.get(files.path)
  if (known) return known.book
  const turn = Math.max(0, ...((await quietly(() => turnsOf(files))) ?? []))
  const leaf = await quietly(() => files.tree.read(bookPath(files, turn), { atMost: mostBytes + 1 }))
  const book = leaf && leaf.size <= mostBytes ? readBook(leaf.bytes) : undefined
  // Cut off or made up: it would stand before every newer one.
  if (leaf && !book) await quietly(() => files.tree.remove(bookPath(files, turn), { atMost: 0 }))
  remember(files, { book: book ?? emptyBook, turn: book ? turn : 0, unsaved: 0 })
  return book ?? emptyBook
}

/** `news`: how many messages were read and documents made. A few are kept in this process alone, until there are more. */
export async function keepBook(files: MissionFiles, book: Book, news: number): Promise<void> {
  const { turn, unsaved } = inMemory.get(files.tree)?.get(files.path) ?? { turn: 0, unsaved: 0 }
  remember(files, { book, turn, unsaved: unsaved + news })
  if (book.entries.size < worthKeeping || unsaved + news <= book.entries.size * worthSaving) return
  // One that cannot be written is none.
  await quietly(() => write(files, printBook(book), turn + 1))
  remember(files, { book, turn: turn + 1, unsaved: 0 })
}

async function write(files: MissionFiles, bytes: Uint8Array, turn: number): Promise<void> {
  const { tree } = files
  if (bytes.length > mostBytes || (await tree.create(bookPath(files, turn), bytes)).outcome !== 'created') return
  for (const older of await turnsOf(files)) if (older < turn) await tree.remove(bookPath(files, older))
  await prune(tree, cacheOf('memory'), keeping)
}

function remember({ tree, path }: MissionFiles, what: Remembered): void {
  const books = inMemory.get(tree) ?? new Map<TreePath, Remembered>()
  inMemory.set(tree, books)
  books.delete(path)
  books.set(path, what)
  for (const oldest of books.keys()) {
    if (books.size <= mostInMemory) break
    books.delete(oldest)
  }
}

/** A cache that cannot be read or written is none. */
async function quietly<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SignalboxError) return undefined
    throw error
  }
}
