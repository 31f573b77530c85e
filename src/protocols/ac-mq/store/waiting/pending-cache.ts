/**
 * What the last process knew of `pending/`, so that a command that claims one message need not read 100,000 headers first. It
 * lies in `.signalbox/cache/acmq/` as a file that is never changed, only followed by a newer one: a base.
 *
 * The names in a base are always compared with the folder. Its headers are used without a check while the base is young.
 * See docs/decisions/0025-a-cache-of-what-waits.md.
 */

import { SignalboxError } from '../../../../kernel/errors.ts'
import { inOrder } from '../../../../kernel/order.ts'
import { childOf, type TreePath } from '../../../../kernel/tree-path.ts'
import { cacheOf } from '../../../../tree/home.ts'
import type { Entry } from '../../../../tree/tree.ts'
import { isMessageName, queuePath } from '../../layout.ts'
import type { MissionFiles } from '../parts.ts'
import { type Candidate, candidateOf } from './candidate.ts'
import { Base, printBase } from './pending-cache-format.ts'

/** How many messages a claim tries before it looks at all of them. */
const few = 16
/** If the folder differs from the base by more names, a new base is written. */
const mostNews = 500
/** How long headers are used, in milliseconds: at least, and for each message. A listing does not show edits in place. */
const believedFor = 4000
const believedForEach = 5

const basePattern = /^(\d{1,15})-[a-z0-9]{1,16}\.base$/

export class PendingCache {
  readonly #files: MissionFiles
  readonly #folder: TreePath
  #base: Base | undefined
  #isOutdated = true
  /** The newest base at the last look, usable or not. */
  #newestSeen: TreePath | undefined

  constructor(files: MissionFiles) {
    this.#files = files
    this.#folder = queuePath({ root: cacheOf('acmq'), address: files.place.address }, 'pending')
  }

  /** The best few for these recipients, best first; `undefined` when the cache cannot be used. */
  bestFor(recipients: readonly string[]): Promise<readonly Candidate[] | undefined> {
    return this.#reading(async (base) => {
      const { tree, queues } = this.#files
      const found = differences(base.names(), await tree.list(queues.pending), mostNews)
      this.#isOutdated = found === undefined
      if (!found) return undefined
      const gone = new Set(found.onlyKnown)
      const candidates = (await this.#read(found.onlyListed)).filter(({ to }) => recipients.includes(to))
      for (const to of recipients) candidates.push(...base.first(to, few, (name) => !gone.has(name)))
      return candidates.sort(inOrder).slice(0, few)
    })
  }

  /** All that the cache holds. `readAt`: all headers were read after this. */
  load(): Promise<{ readonly candidates: readonly Candidate[]; readonly readAt: number } | undefined> {
    return this.#reading(async (base) => ({ candidates: base.entries(), readAt: base.readAt }))
  }

  /** Writes a new base if the last one is outdated. For a queue that has become small it only removes the old ones. */
  async save(candidates: ReadonlyMap<string, Candidate>, readAt: number): Promise<void> {
    const isWorthIt = candidates.size >= this.#files.settings.rememberFrom
    if (!this.#isOutdated || (!isWorthIt && this.#newestSeen === undefined)) return
    this.#isOutdated = false
    try {
      const newest = await this.#newest()
      // Another process wrote a base meanwhile.
      if (newest?.path !== this.#newestSeen) return
      const turn = (newest?.turn ?? 0) + 1
      if (isWorthIt) {
        const name = `${turn}-${Math.random().toString(36).slice(2, 10) || '0'}.base`
        await this.#files.tree.create(childOf(this.#folder, name), printBase(candidates.values(), readAt))
      }
      await this.#clearBefore(turn)
    } catch (error) {
      // A full disk, or a folder that this user may not write to: the claim is made and must not fail because of it.
      if (!(error instanceof SignalboxError)) throw error
    }
  }

  async #clearBefore(turn: number): Promise<void> {
    for (const { name, kind } of await this.#files.tree.list(this.#folder)) {
      // Of two bases that were written at once both stay until the next one: each may be in use.
      const isOld = !(Number.parseInt(name, 10) >= turn)
      if (isOld && kind === 'leaf') await this.#files.tree.remove(childOf(this.#folder, name))
    }
  }

  async #open(): Promise<Base | undefined> {
    const { tree } = this.#files
    const newest = await this.#newest()
    this.#newestSeen = newest?.path
    const leaf = newest && (await tree.read(newest.path))
    if (!leaf) return undefined
    const { bytes } = leaf
    const base = new Base(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
    const age = (await tree.now()) - base.readAt
    const isBelieved = age >= 0 && age < Math.max(believedFor, base.count * believedForEach)
    this.#isOutdated = !isBelieved
    return isBelieved ? base : undefined
  }

  async #newest(): Promise<{ path: TreePath; turn: number } | undefined> {
    let newest: { name: string; turn: number } | undefined
    for (const { name, kind } of await this.#files.tree.list(this.#folder)) {
      const turn = Number(basePattern.exec(name)?.[1] ?? Number.NaN)
      if (kind === 'leaf' && turn >= (newest?.turn ?? 0)) newest = { name, turn }
    }
    return newest && { path: childOf(this.#folder, newest.name), turn: newest.turn }
  }

  /** Leaves out files that are gone or no messages: these are dealt with when all messages are looked at. */
  async #read(entries: readonly Entry[]): Promise<Candidate[]> {
    const names = entries.filter(({ name, kind }) => kind === 'leaf' && isMessageName(name)).map(({ name }) => name)
    const found: Candidate[] = []
    const left = await this.#files.readHeaders('pending', names, (name, record) => {
      found.push(candidateOf(name, record))
    })
    for (const name of left) {
      const record = await this.#files.readRecord('pending', name)
      if (record) found.push(candidateOf(name, record))
    }
    return found
  }

  /** Any error makes the cache unusable; then the messages themselves are read. */
  async #reading<T>(read: (base: Base) => Promise<T | undefined>): Promise<T | undefined> {
    try {
      this.#base ??= await this.#open()
      return this.#base && (await read(this.#base))
    } catch {
      // The base is cut off, was made by another program, or cannot be read.
      this.#base = undefined
      this.#isOutdated = true
      return undefined
    }
  }
}

/** What is in one of two sorted lists and not in the other; `undefined` when there is more than `most` of it. */
function differences(known: readonly string[], listed: readonly Entry[], most: number) {
  const onlyKnown: string[] = []
  const onlyListed: Entry[] = []
  let [i, j] = [0, 0]
  while (i < known.length || j < listed.length) {
    const [name, entry] = [known[i], listed[j]]
    if (name === entry?.name) {
      i++
      j++
    } else if (entry === undefined || (name !== undefined && name < entry.name)) {
      onlyKnown.push(name!)
      i++
    } else {
      onlyListed.push(entry)
      j++
    }
    if (onlyKnown.length + onlyListed.length > most) return undefined
  }
  return { onlyKnown, onlyListed }
}
