/**
 * What this process knows of the messages outside of the log: their heads, and which of them are settled, so that nothing is left
 * to be done about them. The index of a large folder is saved in `.signalbox/cache/circe/lying/`, so that the next process reads
 * only what has changed; it can be deleted at any time. A small folder is read anew each time.
 *
 * Names always come from listing the folder. A file that is edited in place keeps its name, so the times of all files are compared
 * now and then. A message that is claimed, counted or moved is read again in that step.
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
import { type Head, messageStatuses, questionKinds } from '../schema.ts'
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

/** A folder with so many files is large. */
const largeFrom = 50
/** A file that was read so soon after a change may have changed again within the same tick of the clock. */
const doubtfulMs = 50
/** For so many milliseconds the times of files are not compared: at least, and for each file of the folder. */
const believedFor = 5000
const believedForEach = 5
/** A process that stays lists a large folder again after this many times as long as the last listing took. */
const restFactor = 20
/** Milliseconds. Whatever the time of a large folder says, it is listed so often: edits by strangers can leave that as it was. */
const longestTrust = 3000
/** After so many changes the whole index is saved again. */
const enoughChanges = 50
/** Larger messages are read one by one. */
const headBytes = 16 * 1024

/** The message was settled while its task had an owner (`owned`), or had none (`free`). `undefined`: it is not settled. */
type Settled = 'owned' | 'free' | undefined

interface Indexed extends Listed {
  /** Of the file when it was read. */
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

  /** A folder is large, so that `at` may answer from an earlier listing. */
  get isUsed(): boolean {
    return [...this.#folders.values()].some(({ isLarge }) => isLarge)
  }

  /** The messages of a folder. `isFresh`: lists the folder in any case. */
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

  /** Its folder is large: that it is settled is saved for the next process. */
  isKept(one: Listed): boolean {
    return this.#indexOf(one)?.isLarge === true
  }

  /** Its line is in the log: it was written before the message was settled, see `tellOf`. */
  hasLine(one: Listed): boolean {
    const isPlain = !one.message.asks && one.message.intent !== 'answer'
    return isPlain && this.isKept(one) && settledOf(one) !== undefined
  }

  /** The messages that are not settled: new ones, and those whose task another program has claimed or given back since. */
  async unsettled(found: readonly Listed[]): Promise<readonly Listed[]> {
    if (!found.some(settledOf)) return found
    const owned = await ownedTasks(this.#parts)
    const tasks = [...owned].join('\n')
    const last = this.#unsettled
    if (last?.found === found && last.tasks === tasks) return last.open
    const open = found.filter((one) => settledOf(one) !== settledNow(one, owned))
    this.#unsettled = { found, tasks, open }
    return open
  }

  /** Marks messages as settled. That ends when their task gets an owner, or loses it. */
  async settle(done: readonly Listed[]): Promise<void> {
    if (done.length === 0) return
    this.#unsettled = undefined
    const owned = await ownedTasks(this.#parts)
    for (const one of done) this.#indexOf(one)?.settle(one, settledNow(one, owned))
  }

  /** This process found it gone, or has moved it to the inbox of an agent, which owns the task if the message is work. */
  moved(one: Listed, to?: Spot): void {
    this.#indexOf(one)?.drop(one)
    const settled = takesTask(one.message.intent) ? 'owned' : settledOf(one)
    if (to) this.#folders.get(folderAt(this.#parts, to))?.put(one, settled)
  }

  async save(): Promise<void> {
    for (const index of this.#folders.values()) await index.save()
  }

  /** Called before an `.owner` is removed: one that another program makes afterwards would look like the one before. */
  async forget(): Promise<void> {
    this.#folders.clear()
    for (const { name, kind } of await listIfFolder(this.#parts.tree, lyingPath))
      if (kind === 'leaf') await this.#parts.tree.remove(childOf(lyingPath, name))
  }

  #indexOf(one: Listed): FolderIndex | undefined {
    return this.#folders.get(folderAt(this.#parts, one))
  }
}

const settledNow = ({ message: { task } }: Listed, owned: ReadonlySet<string>): Settled =>
  task !== undefined && owned.has(task) ? 'owned' : 'free'

const settledOf = (one: Listed): Settled => ('settled' in one ? (one as Indexed).settled : undefined)

/** A message without known times counts as changed. */
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

  /** `entries`: those that the folder has now. */
  async update(entries: readonly Entry[], isLarge: boolean): Promise<void> {
    this.isLarge = isLarge
    this.#dropGone(entries)
    if (isLarge) await this.#updateLarge(entries)
    else await this.#readAll(namesAmong(entries))
  }

  async #readAll(names: readonly FileName[]): Promise<void> {
    const unusable: Unusable[] = []
    const now = performance.now()
    // Another process may have given a task back, and another program claimed it since: then nothing seems to have changed.
    if (now - this.#settledSince > believedFor) {
      this.#settledSince = now
      for (const one of this.#byName.values()) one.settled = undefined
    }
    for (const name of names) {
      const read = await readAt(this.#parts, this.#spot, name)
      if (isFound(read)) {
        const message = headOf(read.message)
        this.put({ ...read, message }, this.#settledBefore(name, message))
      } else this.drop({ name })
      if (read && !isFound(read)) unusable.push(read)
    }
    this.unusable = unusable
  }

  /** A message that still says the same stays settled. */
  #settledBefore(name: FileName, message: Head): Settled {
    const before = this.#byName.get(name)
    return before && JSON.stringify(before.message) === JSON.stringify(message) ? before.settled : undefined
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

  #dropGone(entries: readonly Entry[]): void {
    const gone = this.#byName.size - entries.filter(({ name }) => this.#byName.has(name)).length
    if (gone === 0) return
    const there = new Set(entries.map(({ name }) => name))
    for (const name of this.#byName.keys()) if (!there.has(name)) this.#byName.delete(name)
    this.#inOrder = this.#inOrder?.filter(({ name }) => there.has(name))
    this.#unsaved += gone
  }

  /** Reads the files that have changed. */
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
      this.put({ ...read, writtenAt }, this.#settledBefore(read.name, read.message), times)
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
      // The disk is full, or the cache belongs to another user: no command fails because of that.
      if (!(error instanceof SignalboxError)) throw error
    }
  }
}

type ReadHead = Pick<Listed, 'name' | 'path' | 'message' | 'problems'>

/** In one call for all of them where the engine has one. */
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
    // `readAt` reads it again below, and says why it is no message.
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

/** `undefined` when anything in it is wrong: then the messages themselves are read. */
function parse(parts: Reading, spot: Spot, bytes: Uint8Array): Saved | undefined {
  const read = readJson(saved, bytes)
  if (read?.version !== version) return undefined
  const indexed = read.indexed.map((one): Indexed => {
    return { ...spot, ...one, path: pathAt(parts, spot, one.name), settled: one.settled }
  })
  return { checkedAt: read.checkedAt, indexed }
}
