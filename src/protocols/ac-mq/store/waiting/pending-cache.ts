/**
 * What the last process knew of `pending/`, for the next one: a command that claims one message does not read a hundred
 * thousand headers first. Derived and disposable. It lies in `.signalbox/cache/acmq/`: a base, and beside it a journal
 * to which each process adds what it changed. Bases are never changed, only followed by newer ones.
 *
 * It is believed without looking only while the folder's time is one that base or journal know, and for two seconds at
 * most after somebody really looked: a change by others in the very instant of a claim of ours shares that claim's time.
 * Otherwise the folder is listed, compared with what is known, and only what is new is read.
 * See docs/decisions/0025-a-cache-of-what-waits.md.
 */
import { SignalboxError } from '../../../../kernel/errors.ts'
import { childOf, type TreePath } from '../../../../kernel/tree-path.ts'
import { cacheOf } from '../../../../tree/home.ts'
import type { Entry, Leaf } from '../../../../tree/tree.ts'
import { isMessageName, queuePath } from '../../layout.ts'
import { everyone } from '../../names.ts'
import type { AcmqRecord } from '../../schema.ts'
import type { MissionFiles } from '../parts.ts'
import { type Candidate, candidateOf, inOrder, isAsRemembered } from './candidate.ts'
import { differences, isListed } from './listing-diff.ts'
import {
  type Base,
  entriesIn,
  longestHead,
  parseBase,
  parseNote,
  printBase,
  printNote,
  type Section,
  WholeBase,
} from './pending-cache-format.ts'
import { dueBetween } from './turns.ts'

const trustedFor = 2000
const firstRead = 8 * 1024
/** A journal is followed up to here; a longer one is time for a new base. */
const longestJournal = 256 * 1024
/** As many as a claim may find held back before it looks at all of them. */
const few = 16
/** More news than this are better said in a new base. */
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
}

/** What a look of our own found, until it is written down. */
interface News {
  readonly stamp: number
  readonly lookedAt: number
  readonly gone: string[]
  readonly came: Candidate[]
}

export interface Known {
  /** The best few, best first. */
  readonly candidates: readonly Candidate[]
  /** The folder's time at which that holds. */
  readonly stamp: number
}

export class PendingCache {
  readonly #files: MissionFiles
  readonly #folder: TreePath
  #opened: Opened | undefined
  #news: News | undefined
  #isOutdated = true
  /** The newest base when it was last looked for, usable or not. */
  #newestSeen: TreePath | undefined

  constructor(files: MissionFiles) {
    this.#files = files
    this.#folder = queuePath({ root: cacheOf('acmq'), address: files.place.address }, 'pending')
  }

  /** The best for this agent; `undefined` when the cache is of no use. */
  bestFor(agent: string): Promise<Known | undefined> {
    return this.#reading(async () => {
      const opened = await this.#open()
      if (!opened || this.#isOutdated) return undefined
      const stamp = (await this.#trusted(opened)) ?? (await this.#look(opened))
      if (stamp === undefined) return undefined
      const isMine = ({ to }: { to: string }) => to === agent || to === everyone
      const candidates = [...opened.came.values()].filter(isMine)
      for (const section of opened.base.sections.filter(isMine))
        candidates.push(...(await this.#start(opened, section)))
      return { candidates: candidates.sort(inOrder).slice(0, few), stamp }
    })
  }

  /** All that it holds, and since when nobody has looked. */
  load(): Promise<{ readonly candidates: Candidate[]; readonly lookedAt: number } | undefined> {
    return this.#reading(async () => {
      const opened = this.#opened ?? (await this.#open())
      const entries = opened && (await this.#whole(opened)).entries()
      if (!entries) return undefined
      const candidates = entries.filter((entry) => isCurrent(opened, entry))
      candidates.push(...opened.came.values())
      return { candidates, lookedAt: lastLook(opened) }
    })
  }

  /** True when this many messages should be remembered, or a cache is there that must not grow old. */
  isWorthIt(count: number): boolean {
    return this.#opened !== undefined || count >= this.#files.settings.rememberFrom
  }

  /** True when a new base is called for. */
  get isOutdated(): boolean {
    return this.#isOutdated
  }

  /** Notes that this process took a message between two times of the folder, and what it had found out before. */
  claimed(name: string, before: number, after: number): Promise<void> {
    return this.#writing(async () => {
      if (!this.#opened) return
      const { stamp, lookedAt, gone, came } = this.#news ?? { stamp: before, lookedAt: undefined, gone: [], came: [] }
      const note = {
        before: stamp,
        after: stamp === before ? after : stamp,
        gone: [...gone, name],
        came: came.filter((one) => one.name !== name),
      }
      const line = printNote(lookedAt === undefined ? note : { ...note, lookedAt })
      await this.#files.tree.append(journalOf(this.#opened.path), line)
    })
  }

  /** A new base, unless somebody else wrote one meanwhile. A queue that has become small does without. */
  save(candidates: ReadonlyMap<string, Candidate>, at: Pick<Base, 'stamp' | 'lookedAt'>): Promise<void> {
    return this.#writing(async () => {
      const newest = await this.#newest()
      if (newest?.path !== this.#newestSeen) return
      const turn = (newest?.turn ?? 0) + 1
      if (candidates.size >= this.#files.settings.rememberFrom) {
        const name = `${turn}-${Math.random().toString(36).slice(2, 10) || '0'}.base`
        await this.#files.tree.create(childOf(this.#folder, name), printBase(candidates.values(), at))
      }
      await this.#clearBefore(turn)
    })
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
    this.#opened = undefined
    this.#news = undefined
    this.#isOutdated = true
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
    const opened: Opened = { path, base, known, gone: new Set(), came: new Map(), front: bufferOf(front) }
    const journal = await tree.read(journalOf(path), { atMost: longestJournal })
    if (journal) follow(opened, journal)
    this.#isOutdated = journal !== undefined && journal.size >= longestJournal
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

  /** The folder's time, if what is known was true at that time and somebody looked not long ago. */
  async #trusted(opened: Opened): Promise<number | undefined> {
    const stamp = await this.#stamp()
    const age =
      stamp === undefined ? Number.NaN : (await this.#files.tree.now()) - (opened.known.get(stamp) ?? Number.NaN)
    return age >= 0 && age < trustedFor ? stamp : undefined
  }

  /** Compares what is known with the folder and reads what is new. The folder's time before that. */
  async #look(opened: Opened): Promise<number | undefined> {
    const [stamp, lookedAt] = [await this.#stamp(), await this.#files.tree.now()]
    const whole = await this.#whole(opened)
    const [names, listed] = [whole.names(), await this.#files.tree.list(this.#files.queues.pending)]
    const { gone, came } = opened
    const found = differences(names, listed, gone.size + came.size + mostNews)
    this.#isOutdated = found === undefined
    if (stamp === undefined || !found) return undefined
    const news: News = { stamp, lookedAt, gone: [], came: [] }
    const remove = (name: string) => {
      gone.add(name)
      came.delete(name)
      news.gone.push(name)
    }
    const add = (candidate: Candidate) => {
      came.set(candidate.name, candidate)
      news.came.push(candidate)
    }
    const isNew = ({ name }: Entry) => !came.has(name)
    const isBack = (name: string) => !came.has(name) && isListed(listed, name)
    const fresh = [
      ...found.onlyListed
        .filter(isNew)
        .filter(isMessage)
        .map(({ name }) => name),
      ...[...gone].filter(isBack),
    ]
    for (const name of found.onlyKnown) if (!gone.has(name)) remove(name)
    for (const name of [...came.keys()]) if (!isListed(listed, name)) remove(name)
    // Edits in place show in no listing: see `PendingIndex`.
    const isDue = dueBetween(lastLook(opened), lookedAt, names.length) ?? (() => false)
    for (const then of [...came.values()].filter(({ name }) => isDue(name))) {
      await this.#compare(then, remove, add)
    }
    for (let i = 0; i < names.length; i++) {
      if (!isDue(names[i]!) || gone.has(names[i]!) || came.has(names[i]!)) continue
      const then = whole.entryAt(i)
      if (!then) throw new Odd()
      await this.#compare(then, remove, add)
    }
    for (const name of fresh) {
      const record = await this.#read(name)
      if (record) add(candidateOf(name, record))
    }
    opened.known.set(stamp, lookedAt)
    this.#news = news
    return stamp
  }

  async #compare(then: Candidate, remove: (name: string) => void, add: (one: Candidate) => void): Promise<void> {
    const now = await this.#read(then.name)
    if (!now) remove(then.name)
    else if (!isAsRemembered(then, now)) add(candidateOf(then.name, now))
  }

  /** `undefined` for one that has gone, or that is no message: whoever looks at everything deals with those. */
  #read(name: string): Promise<AcmqRecord | undefined> {
    return this.#files.readRecord('pending', name)
  }

  /** The first few of a section that still count. Reads no more of the base than it needs. */
  async #start(opened: Opened, section: Section): Promise<Candidate[]> {
    for (let reach = 0; ; reach = Math.max(firstRead, reach * 8)) {
      const wanted = Math.min(section.end, section.start + reach)
      if (opened.front.length < wanted) opened.front = await this.#readBase(opened, wanted)
      const found: Candidate[] = []
      for (const entry of entriesIn(opened.front, section)) {
        if (!entry) throw new Odd()
        if (isCurrent(opened, entry)) found.push(entry)
        if (found.length === few) return found
      }
      if (opened.front.length >= section.end) return found
    }
  }

  async #whole(opened: Opened): Promise<WholeBase> {
    const { size } = opened.base
    if (opened.front.length < size) opened.front = await this.#readBase(opened, size)
    return new WholeBase(opened.front, opened.base)
  }

  async #readBase({ path, base }: Opened, atMost: number): Promise<Buffer> {
    const leaf = await this.#files.tree.read(path, { atMost })
    if (leaf?.size !== base.size) throw new Odd()
    return bufferOf(leaf)
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
      this.#isOutdated = true
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

const isMessage = ({ name, kind }: Entry): boolean => kind === 'leaf' && isMessageName(name)

const lastLook = ({ known }: Opened): number => Math.max(...known.values())

function follow(opened: Opened, journal: Leaf): void {
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
