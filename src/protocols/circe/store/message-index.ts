/**
 * What this process knows of the messages that lie somewhere: their heads, and for which of them nothing is left to be done. Of
 * a large folder that is kept in `.signalbox/cache/circe/lying/`, so that the next process reads what changed since and not
 * everything; it can be deleted at any time. A small folder is read anew each time.
 *
 * Names always come from listing the folder. A file that is edited in place keeps its name: the times of all files are compared
 * now and then, and a message that is claimed, counted or moved is read again in the step that does it.
 * See docs/decisions/0044-what-circe-remembers.md.
 */
import {
  flag,
  list,
  matching,
  maybe,
  number,
  object,
  oneOf,
  readJson,
  record,
  text,
} from '../../../formats/plain-data.ts'
import { SignalboxError } from '../../../kernel/errors.ts'
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { listIfFolder, lookIfThere, readIfLeaf } from '../../../messaging/leaves/tolerant.ts'
import type { Entry, TimedEntry } from '../../../tree/tree.ts'
import { headOf, parseMessage } from '../format.ts'
import { takesTask } from '../intents.ts'
import { lyingPath } from '../layout.ts'
import { type FileName, isFileName, isTaskId } from '../names.ts'
import { type CirceMessage, type Head, messageStatuses, questionKinds } from '../schema.ts'
import type { Reading } from './parts.ts'
import {
  folderAt,
  isFound,
  type Listed,
  type Messages,
  namesAmong,
  oldestFirst,
  pathAt,
  readAt,
  type Spot,
  type Unusable,
} from './places.ts'
import { ownedTasks } from './task-files.ts'

/** From so many files on a folder is large. */
const largeFrom = 50
/** A file that was read so soon after a change may have been changed again without getting another time. */
const doubtfulMs = 50
/** Milliseconds for which heads are believed without comparing times, at least and for each file. */
const believedFor = 5000
const believedForEach = 5
/** In a process that stays, a large folder may be listed again after this many times what that took. */
const restFactor = 20
/** Milliseconds. Whatever the time of a large folder says, it is listed so often: edits by strangers can leave that as it was. */
const longestTrust = 3000
/** So many changes are worth writing the whole index down again. */
const enoughChanges = 50
/** Of larger messages each is read by itself. */
const headBytes = 16 * 1024

/** Nothing was left to be done about a message when its task had an owner, or had none. */
type Settled = 'owned' | 'free' | undefined

export interface Indexed extends Listed {
  /** As the file was when it was read. */
  readonly changedAt: number
  readonly size: number
  readonly isDoubtful: boolean
  settled: Settled
}

interface Unsettled {
  /** A list that has changed is another one. */
  readonly found: readonly Listed[]
  readonly tasks: string
  readonly open: readonly Listed[]
}

export class MessageIndex {
  readonly #parts: Reading
  readonly #folders = new Map<TreePath, FolderIndex>()
  /** The last answer of `unsettled`, and what it followed from. */
  #unsettled: Unsettled | undefined

  constructor(parts: Reading) {
    this.#parts = parts
  }

  /** Some folder is large, and may be listed less often than it is asked for. */
  get isUsed(): boolean {
    return [...this.#folders.values()].some(({ isLarge }) => isLarge)
  }

  /** The messages of a folder. `isFresh`: also what came in this moment. */
  async at(spot: Spot, { isFresh }: { readonly isFresh: boolean }): Promise<Messages> {
    const folder = folderAt(this.#parts, spot)
    const before = this.#folders.get(folder)
    if (before && !isFresh && performance.now() < before.restsUntil) return before
    const startedAt = performance.now()
    // `changedAt`, because nobody can set it back.
    const stamp = before?.isLarge ? (await lookIfThere(this.#parts.tree, folder))?.changedAt : undefined
    if (stamp !== undefined && before!.isAsAt(stamp)) return before!
    const entries = await listIfFolder(this.#parts.tree, folder)
    const cost = performance.now() - startedAt
    const isLarge = entries.length >= largeFrom
    const index = before ?? (await FolderIndex.open(this.#parts, spot, isLarge))
    this.#folders.set(folder, index)
    await index.update(entries, isLarge)
    if (isLarge) index.restsUntil = performance.now() + cost * restFactor
    if (stamp !== undefined) await index.listedAt(stamp, startedAt)
    return index
  }

  /** The next process will know that nothing is left to be done about it. */
  isKept(one: Listed): boolean {
    return this.#indexOf(one)?.isLarge === true
  }

  /** Its line in the log was looked for when it was indexed, see `Counting`. */
  hasLine(one: Listed): boolean {
    const isPlain = !one.message.asks && one.message.intent !== 'answer'
    return isPlain && this.isKept(one) && settledOf(one) !== undefined
  }

  /** Those about which something may have to be done: a new one, and one whose task was taken or given back by another program. */
  async unsettled(found: readonly Listed[]): Promise<readonly Listed[]> {
    if (!found.some(settledOf)) return found
    const owned = await ownedTasks(this.#parts)
    const tasks = [...owned].join('\n')
    const last = this.#unsettled
    if (last?.found === found && last.tasks === tasks) return last.open
    const open = found.filter((one) => settledOf(one) !== standing(one, owned))
    this.#unsettled = { found, tasks, open }
    return open
  }

  /** Nothing more has to be done about these, as long as their tasks have an owner or have none. */
  async settle(done: readonly Listed[]): Promise<void> {
    if (done.length === 0) return
    this.#unsettled = undefined
    const owned = await ownedTasks(this.#parts)
    for (const one of done) this.#indexOf(one)?.settle(one, standing(one, owned))
  }

  /** This process found it gone, or has moved it to the inbox of an agent, which owns the task now if it is work. */
  moved(one: Listed, to?: Spot): void {
    this.#indexOf(one)?.drop(one)
    const settled = takesTask(one.message.intent) ? 'owned' : settledOf(one)
    if (to) this.#folders.get(folderAt(this.#parts, to))?.put(one, settled)
  }

  /** For the next process. */
  async save(): Promise<void> {
    for (const index of this.#folders.values()) await index.save()
  }

  /** Before an owner is taken away: an `.owner` that another program makes afterwards must be noticed. */
  async forget(): Promise<void> {
    this.#folders.clear()
    for (const { name, kind } of await listIfFolder(this.#parts.tree, lyingPath))
      if (kind === 'leaf') await this.#parts.tree.remove(childOf(lyingPath, name))
  }

  #indexOf(one: Listed): FolderIndex | undefined {
    return this.#folders.get(folderAt(this.#parts, one))
  }
}

const standing = ({ message: { task } }: Listed, owned: ReadonlySet<string>): Settled =>
  task !== undefined && owned.has(task) ? 'owned' : 'free'

const settledOf = (one: Listed): Settled => ('settled' in one ? (one as Indexed).settled : undefined)

/** As long as its times are not known, a message counts as changed. */
const unknownTimes = { changedAt: -1, size: -1, isDoubtful: true }

class FolderIndex implements Messages {
  readonly #parts: Reading
  readonly #spot: Spot
  readonly #byName = new Map<string, Indexed>()
  #inOrder: readonly Indexed[] | undefined
  #checkedAt: number
  #settledSince = performance.now()
  #unsaved = 0
  unusable: readonly Unusable[] = []
  isLarge: boolean
  restsUntil = Number.NEGATIVE_INFINITY
  /** The time of the folder when it was listed; `undefined` where that may hide a change. */
  #stamp: number | undefined
  #listedAt = Number.NEGATIVE_INFINITY

  private constructor(parts: Reading, spot: Spot, isLarge: boolean, { checkedAt, indexed }: Saved) {
    this.#parts = parts
    this.#spot = spot
    this.isLarge = isLarge
    this.#checkedAt = checkedAt
    for (const one of indexed) this.#byName.set(one.name, one)
  }

  static async open(parts: Reading, spot: Spot, isLarge: boolean): Promise<FolderIndex> {
    const leaf = isLarge ? await readIfLeaf(parts.tree, leafOf(spot)) : undefined
    const saved = (leaf && parse(parts, spot, leaf.bytes)) ?? { checkedAt: 0, indexed: [] }
    return new FolderIndex(parts, spot, isLarge, saved)
  }

  get found(): readonly Indexed[] {
    this.#inOrder ??= [...this.#byName.values()].sort(oldestFirst)
    return this.#inOrder
  }

  /** No name came or went since it was listed. */
  isAsAt(stamp: number): boolean {
    return stamp === this.#stamp && performance.now() - this.#listedAt < longestTrust
  }

  async listedAt(stamp: number, at: number): Promise<void> {
    // By the earlier of two clocks: to one that is ahead every folder time would seem old enough.
    const age = Math.min(await this.#parts.tree.now(), Date.now()) - stamp
    const isSure = age > doubtfulMs && !this.found.some(({ isDoubtful }) => isDoubtful)
    this.#stamp = isSure ? stamp : undefined
    this.#listedAt = at
  }

  settle({ name }: Listed, settled: Settled): void {
    const indexed = this.#byName.get(name)
    if (!indexed) return
    indexed.settled = settled
    this.#unsaved++
  }

  drop({ name }: Pick<Listed, 'name'>): void {
    if (!this.#byName.delete(name)) return
    this.#unsaved++
    this.#inOrder = this.#inOrder?.filter((one) => one.name !== name)
  }

  put(one: ReadHead & Pick<Listed, 'writtenAt'>, settled: Settled, times = unknownTimes): void {
    const { name, message, problems, writtenAt } = one
    const path = pathAt(this.#parts, this.#spot, name)
    this.#byName.set(name, { ...this.#spot, name, path, message, problems, writtenAt, ...times, settled })
    this.#inOrder = undefined
    this.#unsaved++
  }

  /** Brings it in step with the folder, which has these entries. */
  async update(entries: readonly Entry[], isLarge: boolean): Promise<void> {
    this.isLarge = isLarge
    this.#dropOthers(entries)
    if (isLarge) await this.#updateLarge(entries)
    else await this.#readAll(namesAmong(entries))
  }

  async #readAll(names: readonly FileName[]): Promise<void> {
    const unusable: Unusable[] = []
    const now = performance.now()
    // Another process may have given a task back that another program took again since: then nothing seems to have changed.
    if (now - this.#settledSince > believedFor) {
      this.#settledSince = now
      for (const one of this.#byName.values()) one.settled = undefined
    }
    for (const name of names) {
      const read = await readAt(this.#parts, this.#spot, name)
      if (isFound(read)) this.put({ ...read, message: headOf(read.message) }, this.#settledAs(read))
      else this.drop({ name })
      if (read && !isFound(read)) unusable.push(read)
    }
    this.unusable = unusable
  }

  /** Nothing is left to be done about it, as before, if it says what it said. */
  #settledAs({ name, message }: Pick<Listed, 'name' | 'message'>): Settled {
    const before = this.#byName.get(name)
    return before && isSameHead(before.message, message) ? before.settled : undefined
  }

  async #updateLarge(entries: readonly Entry[]): Promise<void> {
    const { tree } = this.#parts
    const now = await tree.now()
    const age = now - this.#checkedAt
    const isCheckDue = age < 0 || age >= Math.max(believedFor, entries.length * believedForEach)
    const unknown = namesAmong(entries.filter(({ name }) => this.#byName.get(name)?.isDoubtful !== false))
    if (isCheckDue || unknown.length > enoughChanges) {
      this.#checkedAt = now
      if (isCheckDue) this.#unsaved += enoughChanges
      await this.#read(await tree.list(folderAt(this.#parts, this.#spot), { times: true }), now)
      return
    }
    const looked: TimedEntry[] = []
    for (const name of unknown) {
      const entry = await lookIfThere(tree, pathAt(this.#parts, this.#spot, name))
      if (entry) looked.push({ ...entry, name })
    }
    await this.#read(looked, now)
  }

  /** Those that are not in the folder any more. */
  #dropOthers(entries: readonly Entry[]): void {
    const gone = this.#byName.size - entries.filter(({ name }) => this.#byName.has(name)).length
    if (gone === 0) return
    const there = new Set(entries.map(({ name }) => name))
    for (const name of this.#byName.keys()) if (!there.has(name)) this.#byName.delete(name)
    this.#inOrder = this.#inOrder?.filter(({ name }) => there.has(name))
    this.#unsaved += gone
  }

  /** Reads those that changed. */
  async #read(entries: readonly TimedEntry[], now: number): Promise<void> {
    const changed = new Map<FileName, TimedEntry>()
    for (const entry of entries) {
      const { name, kind, changedAt, size } = entry
      const before = this.#byName.get(name)
      const isSame = before && !before.isDoubtful && before.changedAt === changedAt && before.size === size
      if (!isSame && kind === 'leaf' && isFileName(name)) changed.set(name, entry)
    }
    const unusable: Unusable[] = []
    for await (const read of readHeads(this.#parts, this.#spot, [...changed.keys()])) {
      if ('problem' in read) {
        this.drop(read)
        unusable.push(read)
        continue
      }
      const { changedAt, size, modifiedAt: writtenAt } = changed.get(read.name)!
      const times = { changedAt, size, isDoubtful: now - changedAt < doubtfulMs }
      this.put({ ...read, writtenAt }, this.#settledAs(read), times)
    }
    this.unusable = unusable
  }

  async save(): Promise<void> {
    if (!this.isLarge || this.#unsaved < enoughChanges) return
    this.#unsaved = 0
    const { tree } = this.#parts
    const path = leafOf(this.#spot)
    try {
      await tree.remove(path)
      await tree.create(path, print({ checkedAt: this.#checkedAt, indexed: this.found }))
    } catch (error) {
      // A full disk, or a cache that is not ours to write: no command fails because of that.
      if (!(error instanceof SignalboxError)) throw error
    }
  }
}

const isSameHead = (before: Head, now: Head): boolean =>
  JSON.stringify(before) === JSON.stringify('bytes' in now ? headOf(now as CirceMessage) : now)

type ReadHead = Pick<Listed, 'name' | 'path' | 'message' | 'problems'>

/** Many at once where the engine can. */
export async function* readHeads(
  parts: Reading,
  spot: Spot,
  names: readonly FileName[],
): AsyncGenerator<ReadHead | Unusable> {
  const { tree, settings } = parts
  const most = Math.min(headBytes, settings.largestMessage)
  const read = new Map<string, ReadHead>()
  await tree.heads?.(folderAt(parts, spot), names, most + 1, (name, bytes, size) => {
    if (size > most) return
    const parsed = parseMessage(bytes, settings.furtherIntents)
    // What is no message is read again by `readAt`, which tells why.
    if (parsed.outcome !== 'message') return
    const path = pathAt(parts, spot, name as FileName)
    read.set(name, { name: name as FileName, path, message: headOf(parsed.message), problems: parsed.problems })
  })
  yield* read.values()
  for (const name of names) {
    const one = read.has(name) ? undefined : await readAt(parts, spot, name)
    if (isFound(one)) yield { name, path: one.path, message: headOf(one.message), problems: one.problems }
    else if (one) yield one
  }
}

const leafOf = ({ place, agent }: Spot): TreePath =>
  childOf(lyingPath, `${agent === undefined ? place : `${place}.${agent}`}.json`)

const version = 3

interface Saved {
  readonly checkedAt: number
  readonly indexed: readonly Indexed[]
}

const one = object({
  name: matching(isFileName),
  writtenAt: number,
  changedAt: number,
  size: number,
  isDoubtful: flag,
  settled: maybe(oneOf(['owned', 'free'])),
  problems: list(object({ code: text, field: text, message: text })),
  message: object({
    from: text,
    to: text,
    intent: text,
    task: maybe(matching(isTaskId)),
    status: oneOf(messageStatuses),
    createdAt: text,
    time: number,
    replyTo: maybe(text),
    summary: text,
    further: record(text),
    asks: maybe(oneOf(questionKinds)),
  }),
})
const saved = object({ version: number, checkedAt: number, indexed: list(one) })

const print = ({ checkedAt, indexed }: Saved): string => {
  const known = indexed.map(({ place: _, agent: __, folder: ___, path: ____, ...one }) => one)
  return `${JSON.stringify({ version, checkedAt, indexed: known })}\n`
}

/** `undefined` when anything is odd: then the messages themselves are read. A name is compared with those of a listing. */
function parse(parts: Reading, spot: Spot, bytes: Uint8Array): Saved | undefined {
  const read = readJson(saved, bytes)
  if (read?.version !== version) return undefined
  const indexed = read.indexed.map((one): Indexed => {
    return { ...spot, ...one, path: pathAt(parts, spot, one.name), settled: one.settled }
  })
  return { checkedAt: read.checkedAt, indexed }
}
