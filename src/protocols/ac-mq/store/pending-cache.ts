/**
 * What the last process knew of `pending/`, for the next one: a command that claims one message does not read a hundred
 * thousand headers first. Derived and disposable. It lies in `.signalbox/cache/acmq/`: a base, and beside it a journal
 * to which each process adds what it changed. Bases are never changed, only followed by newer ones.
 *
 * It is believed without looking only while the folder's time is one that the base or the journal knows, and for two
 * seconds at most after somebody really looked: a change by others in the very instant of a claim of ours shares that
 * claim's time. Otherwise the folder is listed and only what is new is read.
 */
import { SignalboxError } from '../../../kernel/errors.ts'
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { cacheOf } from '../../../tree/home.ts'
import type { Leaf } from '../../../tree/tree.ts'
import { queuePath } from '../layout.ts'
import { everyone } from '../names.ts'
import { type Candidate, inOrder } from './candidate.ts'
import type { MissionFiles } from './mission-files.ts'
import {
  type Base,
  entriesIn,
  longestHead,
  type Note,
  parseBase,
  parseEntries,
  parseNote,
  printBase,
  printNote,
  type Section,
} from './pending-cache-format.ts'
import type { News } from './pending-index.ts'

/** Smaller queues are read as quickly as a cache of them would be, and then nothing can be out of date. */
const worthCaching = 1000
const trustedFor = 2000
const firstRead = 8 * 1024
/** A journal is followed up to here; a longer one is time for a new base. */
const longestJournal = 256 * 1024
/** As many as a claim may lose to others before it looks for itself. */
const few = 16
/** More than this is better said in a new base than in a note. */
const mostNews = 500

const basePattern = /^(\d{1,15})-[a-z0-9]{1,16}\.base$/

interface Opened {
  readonly path: TreePath
  readonly base: Base
  /** Times of the folder at which the contents were known, each with the last real look before it. */
  readonly known: Map<number, number>
  /** Entries of the base that do not count any more. */
  readonly gone: Set<string>
  /** Entries that the base does not have, or has otherwise. */
  readonly came: Map<string, Candidate>
  front: Buffer
  journalSize: number
}

export class PendingCache {
  readonly #files: MissionFiles
  readonly #folder: TreePath
  #opened: Opened | undefined
  /** The newest base when it was last looked for, usable or not. */
  #newestSeen: TreePath | undefined

  constructor(files: MissionFiles) {
    this.#files = files
    this.#folder = queuePath({ root: cacheOf('acmq'), address: files.place.address }, 'pending')
  }

  /** The best few for this agent, best first; `undefined` when only a look at the folder can tell. */
  async bestFor(agent: string): Promise<{ readonly candidates: Candidate[]; readonly stamp: number } | undefined> {
    return this.#reading(async () => {
      const opened = await this.#open()
      const stamp = await this.#stamp()
      const lookedAt = stamp === undefined ? undefined : opened?.known.get(stamp)
      const age = Date.now() - (lookedAt ?? 0)
      if (!opened || stamp === undefined || !(age >= 0 && age < trustedFor)) return undefined
      const isMine = ({ to }: { to: string }) => to === agent || to === everyone
      const candidates = [...opened.came.values()].filter(isMine)
      for (const section of opened.base.sections.filter(isMine))
        candidates.push(...(await this.#start(opened, section)))
      return { candidates: candidates.sort(inOrder).slice(0, few), stamp }
    })
  }

  /** All that it holds, and since when nobody has looked. */
  async load(): Promise<{ readonly candidates: Candidate[]; readonly lookedAt: number } | undefined> {
    return this.#reading(async () => {
      const opened = await this.#open()
      const leaf = opened && (await this.#files.tree.read(opened.path))
      const entries = leaf && parseEntries(bufferOf(leaf), opened.base)
      if (!entries) return undefined
      const candidates = entries.filter((entry) => isCurrent(opened, entry))
      candidates.push(...opened.came.values())
      return { candidates, lookedAt: Math.max(...opened.known.values()) }
    })
  }

  /** True when this many messages should be remembered, or a cache is there that must not grow old. */
  isWorthIt(count: number): boolean {
    return this.#opened !== undefined || count >= worthCaching
  }

  /** Brings the cache up to date after a look at the whole folder: by a note if there is little to say. */
  async remember(
    candidates: ReadonlyMap<string, Candidate>,
    news: News | undefined,
    times: { readonly before: number; readonly after: number; readonly lookedAt: number },
  ): Promise<void> {
    if (candidates.size < worthCaching / 2) return this.#clear()
    const hasRoom = this.#opened !== undefined && this.#opened.journalSize < longestJournal
    if (!news || !hasRoom || news.came.size + news.gone.size > mostNews) {
      return this.#save(candidates.values(), { stamp: times.after, lookedAt: times.lookedAt })
    }
    const came = [...news.came].flatMap((name) => candidates.get(name) ?? [])
    return this.note({ ...times, gone: [...news.gone], came })
  }

  note(note: Note): Promise<void> {
    return this.#writing(async () => {
      if (this.#opened) await this.#files.tree.append(journalOf(this.#opened.path), printNote(note))
    })
  }

  /** A new base, unless somebody else wrote one meanwhile. */
  #save(candidates: Iterable<Candidate>, at: Pick<Base, 'stamp' | 'lookedAt'>): Promise<void> {
    return this.#writing(async () => {
      const newest = await this.#newest()
      if (newest?.path !== this.#newestSeen) return
      const turn = (newest?.turn ?? 0) + 1
      const name = `${turn}-${Math.random().toString(36).slice(2, 10) || '0'}.base`
      await this.#files.tree.create(childOf(this.#folder, name), printBase(candidates, at))
      await this.#clearBefore(turn)
    })
  }

  /** For a queue that has become small. */
  #clear(): Promise<void> {
    return this.#writing(() => this.#clearBefore(Number.POSITIVE_INFINITY))
  }

  async #clearBefore(turn: number): Promise<void> {
    for (const { name, kind } of await this.#files.tree.list(this.#folder)) {
      // Of two that were written at once both stay until the next one comes: each may be in use.
      const isOld = !(Number.parseInt(name, 10) >= turn)
      if (isOld && kind === 'leaf') await this.#files.tree.remove(childOf(this.#folder, name))
    }
  }

  async #open(): Promise<Opened | undefined> {
    const { tree } = this.#files
    const newest = await this.#newest()
    this.#newestSeen = newest?.path
    if (!newest) return undefined
    const { path } = newest
    let front = await tree.read(path, { atMost: firstRead })
    let base = front && parseBase(bufferOf(front), front.size)
    if (base === 'longer') {
      front = await tree.read(path, { atMost: longestHead })
      base = front && parseBase(bufferOf(front), front.size)
    }
    if (!front || !base || base === 'longer') return undefined
    const known = new Map([[base.stamp, base.lookedAt]])
    const opened: Opened = {
      path,
      base,
      known,
      gone: new Set(),
      came: new Map(),
      front: bufferOf(front),
      journalSize: 0,
    }
    const journal = await tree.read(journalOf(path), { atMost: longestJournal })
    if (journal) follow(opened, journal)
    this.#opened = opened
    return opened
  }

  async #newest(): Promise<{ path: TreePath; turn: number } | undefined> {
    let newest: { name: string; turn: number } | undefined
    for (const { name, kind } of await this.#files.tree.list(this.#folder)) {
      const turn = Number(basePattern.exec(name)?.[1] ?? Number.NaN)
      if (kind === 'leaf' && turn >= (newest?.turn ?? 0)) newest = { name, turn }
    }
    return newest && { path: childOf(this.#folder, newest.name), turn: newest.turn }
  }

  /** The first few of a section that still count. Reads no more of the base than it needs. */
  async #start(opened: Opened, section: Section): Promise<Candidate[]> {
    for (let reach = 0; ; reach = Math.max(firstRead, reach * 8)) {
      const wanted = Math.min(section.end, section.start + reach)
      if (opened.front.length < wanted) {
        const leaf = await this.#files.tree.read(opened.path, { atMost: wanted })
        if (leaf?.size !== opened.base.size) throw new Odd()
        opened.front = bufferOf(leaf)
      }
      const found: Candidate[] = []
      for (const entry of entriesIn(opened.front, section)) {
        if (!entry) throw new Odd()
        if (isCurrent(opened, entry)) found.push(entry)
        if (found.length === few) return found
      }
      if (opened.front.length >= section.end) return found
    }
  }

  async #stamp(): Promise<number | undefined> {
    return (await this.#files.tree.look(this.#files.queues.pending))?.changedAt
  }

  /** Whatever is wrong with the cache, the messages are still there to be read. */
  async #reading<T>(read: () => Promise<T | undefined>): Promise<T | undefined> {
    try {
      return await read()
    } catch {
      // Cut off, made up, or not ours to read: odd shapes fail in many ways, and all mean the same.
      this.#opened = undefined
      return undefined
    }
  }

  /** A claim that is made must not fail because of what would make the next one faster. */
  async #writing(write: () => Promise<void>): Promise<void> {
    try {
      await write()
    } catch (error) {
      // A full disk, or a cache that is not ours to write.
      if (!(error instanceof SignalboxError)) throw error
    }
  }
}

/** Thrown and caught in this file: the cache cannot be used. */
class Odd extends Error {}

const journalOf = (base: TreePath): TreePath => `${base.slice(0, -'base'.length)}log` as TreePath

const bufferOf = ({ bytes }: Leaf): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

/** An entry of the base that nothing in the journal speaks against. */
const isCurrent = ({ gone, came }: Opened, { name }: Candidate): boolean => !gone.has(name) && !came.has(name)

function follow(opened: Opened, journal: Leaf): void {
  opened.journalSize = journal.size
  for (const line of bufferOf(journal).toString('utf8').split('\n')) {
    const note = line === '' ? undefined : parseNote(line)
    // Without a note that was cut off, the times that follow from it stay unknown.
    if (!note) continue
    const { before, after, lookedAt = opened.known.get(before), gone, came } = note
    if (lookedAt !== undefined) opened.known.set(before, lookedAt).set(after, lookedAt)
    for (const name of gone) {
      opened.gone.add(name)
      opened.came.delete(name)
    }
    for (const candidate of came) opened.came.set(candidate.name, candidate)
  }
}
