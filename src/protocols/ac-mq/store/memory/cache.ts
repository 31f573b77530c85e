/** Keeps the cache of a mission in `.signalbox/cache/memory/`: reads what has come or changed since, remembers the rest. */
import { hash } from 'node:crypto'
import { childOf, type TreePath } from '../../../../kernel/tree-path.ts'
import { isWorthWriting, readCacheFile, writeCacheFile } from '../../../../messaging/search/cache-file.ts'
import { cacheOf } from '../../../../tree/home.ts'
import type { TimedEntry, Tree } from '../../../../tree/tree.ts'
import { type ArchivedEntry, eachArchived } from '../../archive/archive.ts'
import { archivePath } from '../../layout.ts'
import { type CachedMessage, cacheEntryMaker, emptyCache, type MemoryCache } from '../../memory/cache.ts'
import { printCache, readCache } from '../../memory/cache-format.ts'
import { type QueueName, queueNames } from '../../schema.ts'
import { bodyElsewhere } from '../large-bodies.ts'
import type { MissionFiles } from '../parts.ts'
import { archivedText, listQueues, type MessageText, type QueueListing, queuedText } from './texts.ts'

/** A second change within so many milliseconds may leave the times of a file as they are, so a younger mark is not trusted. */
export const tooRecent = 2000
const mostInMemory = 8

type Place = QueueName | ArchivedEntry

export const markOf = ({ size, modifiedAt, changedAt }: TimedEntry): string => `${size} ${modifiedAt} ${changedAt}`

/** Empty while a second change might not show in it. */
export const settledMark = (entry: TimedEntry, now: number): string =>
  now - Math.max(entry.modifiedAt, entry.changedAt) > tooRecent ? markOf(entry) : ''

export class OpenCache {
  readonly files: MissionFiles
  readonly before: MemoryCache
  readonly titles: readonly string[]
  readonly messages = new Map<string, CachedMessage>()
  readonly #entries = new Map<string, CachedMessage>()
  readonly #places = new Map<string, Place>()
  readonly #known: ReadonlyMap<string, CachedMessage>
  #read = 0

  /** `titles`: of the milestones that messages are held against. */
  private constructor(files: MissionFiles, before: MemoryCache, titles: readonly string[]) {
    const isJudged = titles.every((title) => before.titles.includes(title))
    this.files = files
    this.before = before
    this.titles = isJudged ? before.titles : titles
    this.#known = isJudged ? before.messages : new Map()
  }

  /** Reads what has come or changed since. `listing`: what is in the queues, if the caller has just looked. */
  static async open(files: MissionFiles, titles: readonly string[], listing?: QueueListing): Promise<OpenCache> {
    const cache = new OpenCache(files, await recall(files), titles)
    await cache.#readNew(listing ?? (await listQueues(files)))
    return cache
  }

  async #readNew(listing: QueueListing): Promise<void> {
    const { tree, place, settings } = this.files
    const entryOf = cacheEntryMaker(this.titles)
    const add = async (key: string, at: Place, name: string, mark: string, settled: string): Promise<void> => {
      const had = this.#known.get(key)
      const text = had?.mark === mark ? undefined : await this.#textAt(at, name)
      if (text) this.#read++
      // A body in a file of its own may change while the message does not.
      const kept = text && bodyElsewhere(text.message) === undefined ? settled : ''
      const entry = had?.mark === mark ? had : text && entryOf({ ...text.message, ...text }, kept)
      if (!entry) return
      this.#entries.set(key, entry)
      this.messages.set(entry.id, entry)
      this.#places.set(entry.id, at)
    }
    const now = await tree.now()
    for (const queue of queueNames) {
      for (const listed of listing[queue])
        await add(`${queue}/${listed.name}`, queue, listed.name, markOf(listed), settledMark(listed, now))
    }
    for await (const entry of eachArchived(tree, archivePath(place), settings)) {
      const { pack, offset, name, finishedAt, size, status } = entry
      // Packs do not change; single files in the archive may.
      const mark = `${finishedAt} ${size} ${status}`
      await add(`${pack} ${offset} ${name}`, entry, name, mark, mark)
    }
  }

  async text(id: string): Promise<MessageText | undefined> {
    const at = this.#places.get(id)
    return at === undefined ? undefined : this.#textAt(at, this.messages.get(id)!.name)
  }

  #textAt(at: Place, name: string): Promise<MessageText | undefined> {
    return typeof at === 'string' ? queuedText(this.files, at, name) : archivedText(this.files, at)
  }

  /** Keeps this and what was found out besides. `made`: how many documents. */
  async keep(known: Partial<MemoryCache>, made: number): Promise<void> {
    const cache = { ...this.before, ...known, titles: this.titles, messages: this.#entries }
    await keep(this.files, cache, this.#read + made)
  }
}

interface Remembered {
  readonly cache: MemoryCache
  /** How many messages and documents another process would have to read or make again. */
  readonly unsaved: number
}

const inMemory = new WeakMap<Tree, Map<TreePath, Remembered>>()

const cachePath = ({ path }: MissionFiles): TreePath =>
  childOf(cacheOf('memory'), `${hash('sha256', path, 'hex').slice(0, 32)}.json`)

async function recall(files: MissionFiles): Promise<MemoryCache> {
  const known = inMemory.get(files.tree)?.get(files.path)
  if (known) return known.cache
  const bytes = await readCacheFile(files.tree, cachePath(files))
  const cache = (bytes && readCache(bytes)) ?? emptyCache
  remember(files, { cache, unsaved: 0 })
  return cache
}

/** `news`: how many messages were read and documents made. A few are kept in this process alone, until there are more. */
async function keep(files: MissionFiles, cache: MemoryCache, news: number): Promise<void> {
  const unsaved = (inMemory.get(files.tree)?.get(files.path)?.unsaved ?? 0) + news
  const isSaved = isWorthWriting(cache.messages.size, unsaved)
  remember(files, { cache, unsaved: isSaved ? 0 : unsaved })
  if (isSaved) await writeCacheFile(files.tree, cachePath(files), printCache(cache))
}

function remember({ tree, path }: MissionFiles, what: Remembered): void {
  const caches = inMemory.get(tree) ?? new Map<TreePath, Remembered>()
  inMemory.set(tree, caches)
  caches.delete(path)
  caches.set(path, what)
  const [oldest] = caches.keys()
  if (caches.size > mostInMemory) caches.delete(oldest!)
}
