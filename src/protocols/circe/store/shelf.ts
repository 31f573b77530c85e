/**
 * What is remembered of folders with many messages, so that a command reads what changed since and not everything: the heads
 * of the messages, and which of them nothing more has to be done about. Derived from the folders and disposable; the next
 * process finds it in `.signalbox/cache/circe/lying/`. A small folder is read anew each time.
 *
 * Names are never believed: the folder is listed. A file that was edited in place keeps its name; the times of all files are
 * compared now and then, and whatever is claimed, counted or moved is read again in the step that does it.
 * See docs/decisions/0044-what-circe-remembers.md.
 */
import { SignalboxError } from '../../../kernel/errors.ts'
import type { Problem } from '../../../kernel/problem.ts'
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import type { Entry, TimedEntry } from '../../../tree/tree.ts'
import { parseMessage } from '../format.ts'
import { type Head, headOf } from '../head.ts'
import { lyingPath } from '../layout.ts'
import { type AgentId, type FileName, isFileName } from '../names.ts'
import { messageStatuses } from '../schema.ts'
import { type CirceParts, unlessOdd } from './parts.ts'
import {
  folderAt,
  isFound,
  type Listed,
  namesAmong,
  oldestFirst,
  pathAt,
  readAt,
  type Spot,
  type Unusable,
} from './places.ts'
import { ownedTasks } from './task-files.ts'

/** From so many files on a folder is remembered. */
const rememberFrom = 50
/** The times of a file that was changed less than so many milliseconds ago are compared each time: it may not be finished. */
const youngMs = 2000
/** When it was read so soon after a change, it may have been changed again without getting another time. */
const doubtfulMs = 50
/** Milliseconds for which heads are believed without comparing times, at least and for each file. */
const believedFor = 5000
const believedForEach = 5
/** In a process that stays, a large folder may be listed again after this many times what that took. */
const restFactor = 20
/** So many news are worth writing all of it down again. */
const enoughNews = 50
/** Of larger messages each is read by itself. */
const headBytes = 16 * 1024

/** Nothing was left to be done about a message; `owned`, if its task had an owner then. */
type Settled = 'owned' | 'free' | undefined

interface Fields {
  readonly changedAt: number
  readonly size: number
  readonly problems: readonly Problem[]
  readonly message: Head
}

/** How long ago a file was changed when it was read. */
type Age = 'old' | 'young' | 'doubtful'

/** One message of a large folder. Of thousands that were written down nearly all are passed over: they are not taken apart. */
class Kept implements Listed {
  readonly #parts: Pick<CirceParts, 'root'>
  #fields: Fields | undefined
  readonly #line: string
  readonly place: Spot['place']
  readonly agent?: AgentId
  readonly folder?: string
  readonly name: FileName
  readonly task: string | undefined
  readonly sentAt: number
  readonly writtenAt: number
  age: Age
  settled: Settled

  constructor(
    parts: Pick<CirceParts, 'root'>,
    spot: Spot,
    known: Pick<Kept, 'name' | 'task' | 'sentAt' | 'writtenAt' | 'age' | 'settled'>,
    fields: Fields | string,
  ) {
    this.#parts = parts
    this.place = spot.place
    if (spot.agent !== undefined) this.agent = spot.agent
    if (spot.folder !== undefined) this.folder = spot.folder
    this.name = known.name
    this.task = known.task
    this.sentAt = known.sentAt
    this.writtenAt = known.writtenAt
    this.age = known.age
    this.settled = known.settled
    this.#fields = typeof fields === 'string' ? undefined : fields
    this.#line = typeof fields === 'string' ? fields : ''
  }

  get path(): TreePath {
    return pathAt(this.#parts, this, this.name)
  }
  get fields(): Fields {
    this.#fields ??= fieldsFrom(this.#line)
    return this.#fields
  }
  get message(): Head {
    return this.fields.message
  }
  get problems(): readonly Problem[] {
    return this.fields.problems
  }

  /** A line of what is written down. No part before the last has a tab in it. */
  print(): string {
    const { name, task = '', sentAt, writtenAt, age, settled = '' } = this
    const fields = this.#fields ? printFields(this.#fields) : this.#line
    return `${name}\t${task}\t${sentAt}\t${writtenAt}\t${age}\t${settled}\t${fields}`
  }
}

export interface OnShelf {
  /** The oldest first. */
  readonly found: readonly Listed[]
  readonly unusable: readonly Unusable[]
}

export class Shelf {
  readonly #folders = new Map<TreePath, Remembered>()

  /** Some folder is remembered, and may be looked at less often than it is asked for. */
  get isUsed(): boolean {
    return this.#folders.size > 0
  }

  async at(parts: CirceParts, spot: Spot, { isFresh }: { readonly isFresh: boolean }): Promise<OnShelf> {
    const folder = folderAt(parts, spot)
    const before = this.#folders.get(folder)
    if (before && !isFresh && performance.now() < before.restsUntil) return before
    const startedAt = performance.now()
    const entries = (await unlessOdd(() => parts.tree.list(folder))) ?? []
    const cost = performance.now() - startedAt
    if (entries.length < rememberFrom) {
      this.#folders.delete(folder)
      return readAll(parts, spot, namesAmong(entries))
    }
    const remembered = before ?? (await Remembered.load(parts, spot))
    this.#folders.set(folder, remembered)
    await remembered.update(parts, entries)
    remembered.restsUntil = performance.now() + cost * restFactor
    return remembered
  }

  /** That nothing is left to be done about it can be remembered. */
  remembers(one: Listed): boolean {
    return one instanceof Kept
  }

  /** Those about which something may have to be done. */
  async unsettled(parts: CirceParts, found: readonly Listed[]): Promise<readonly Listed[]> {
    if (this.#folders.size === 0) return found
    const owned = await ownedTasks(parts)
    return found.filter((one) => !(one instanceof Kept) || one.settled !== standing(one.task, owned))
  }

  /** Nothing more has to be done about these, as long as their tasks have an owner or have none. */
  async settle(parts: CirceParts, done: readonly Listed[]): Promise<void> {
    if (this.#folders.size === 0) return
    const owned = await ownedTasks(parts)
    for (const one of done) {
      const kept = this.#folders.get(folderAt(parts, one))?.kept(one)
      if (!kept) continue
      kept.settled = standing(kept.task, owned)
      this.#folders.get(folderAt(parts, one))!.unsaved++
    }
  }

  /** This process has moved it away, or found it gone. */
  drop(parts: CirceParts, gone: Listed): void {
    this.#folders.get(folderAt(parts, gone))?.drop(gone)
  }

  /** For the next process. What cannot be written is not remembered. */
  async save(parts: CirceParts): Promise<void> {
    for (const remembered of this.#folders.values()) await remembered.save(parts)
  }

  /** Before an owner is taken away: whoever makes `.owner` by hand then must be noticed. */
  async forget(parts: CirceParts): Promise<void> {
    this.#folders.clear()
    for (const { name, kind } of (await unlessOdd(() => parts.tree.list(lyingPath))) ?? [])
      if (kind === 'leaf') await parts.tree.remove(childOf(lyingPath, name))
  }
}

const standing = (task: string | undefined, owned: ReadonlySet<string>): Settled =>
  task !== undefined && owned.has(task) ? 'owned' : 'free'

async function readAll(parts: CirceParts, spot: Spot, names: readonly FileName[]): Promise<OnShelf> {
  const found: Listed[] = []
  const unusable: Unusable[] = []
  for (const name of names) {
    const read = await readAt(parts, spot, name)
    if (isFound(read)) found.push(read)
    else if (read) unusable.push(read)
  }
  return { found: found.sort(oldestFirst), unusable }
}

/** One large folder. */
class Remembered implements OnShelf {
  readonly #spot: Spot
  readonly #kept = new Map<string, Kept>()
  #checkedAt: number
  #unusable: readonly Unusable[] = []
  #inOrder: readonly Kept[] | undefined
  restsUntil = Number.NEGATIVE_INFINITY
  unsaved = 0

  private constructor(spot: Spot, checkedAt: number, kept: readonly Kept[]) {
    this.#spot = spot
    this.#checkedAt = checkedAt
    for (const one of kept) this.#kept.set(one.name, one)
  }

  static async load(parts: CirceParts, spot: Spot): Promise<Remembered> {
    const leaf = await unlessOdd(() => parts.tree.read(leafOf(spot)))
    const { checkedAt, kept } = (leaf && parse(parts, spot, leaf.bytes)) ?? { checkedAt: 0, kept: [] }
    return new Remembered(spot, checkedAt, kept)
  }

  get found(): readonly Kept[] {
    this.#inOrder ??= [...this.#kept.values()].sort(oldestFirst)
    return this.#inOrder
  }

  get unusable(): readonly Unusable[] {
    return this.#unusable
  }

  kept({ name }: Listed): Kept | undefined {
    return this.#kept.get(name)
  }

  drop({ name }: Listed): void {
    if (!this.#kept.delete(name)) return
    this.unsaved++
    this.#inOrder = this.#inOrder?.filter((one) => one.name !== name)
  }

  /** Brings it in step with the folder, which has these names. */
  async update(parts: CirceParts, entries: readonly Entry[]): Promise<void> {
    const now = await parts.tree.now()
    const doubtful = namesAmong(entries.filter(({ name }) => this.#kept.get(name)?.age !== 'old'))
    const went = this.#removeOthers(entries)
    if (went > 0) this.#inOrder = this.#inOrder?.filter(({ name }) => this.#kept.has(name))
    this.unsaved += went
    const age = now - this.#checkedAt
    const isCheckDue = age < 0 || age >= Math.max(believedFor, entries.length * believedForEach)
    const times = new Map<string, TimedEntry>()
    if (isCheckDue || doubtful.length > enoughNews) {
      for (const entry of await parts.tree.list(folderAt(parts, this.#spot), { times: true }))
        times.set(entry.name, entry)
      this.#checkedAt = now
      if (isCheckDue) this.unsaved += enoughNews
    } else {
      for (const name of doubtful) {
        const entry = await unlessOdd(() => parts.tree.look(pathAt(parts, this.#spot, name)))
        if (entry) times.set(name, entry)
      }
    }
    await this.#read(parts, times, now)
  }

  /** How many were not there any more. */
  #removeOthers(entries: readonly Entry[]): number {
    let left = this.#kept.size
    for (const { name } of entries) if (this.#kept.has(name)) left--
    if (left === 0) return 0
    const there = new Set(entries.map(({ name }) => name))
    for (const name of this.#kept.keys()) if (!there.has(name)) this.#kept.delete(name)
    return left
  }

  async #read(parts: CirceParts, times: ReadonlyMap<string, TimedEntry>, now: number): Promise<void> {
    const changed: FileName[] = []
    for (const [name, { changedAt, size, kind }] of times) {
      const kept = this.#kept.get(name)
      const isSame = kept !== undefined && kept.fields.changedAt === changedAt && kept.fields.size === size
      if (isSame && kept.age !== 'doubtful') {
        const age = ageOf(now - changedAt)
        if (kept.age !== age) this.unsaved++
        kept.age = age
        continue
      }
      if (kind === 'leaf' && isFileName(name)) changed.push(name)
    }
    this.#unusable = []
    if (changed.length === 0) return
    const unusable: Unusable[] = []
    for await (const read of readHeads(parts, this.#spot, changed)) {
      const entry = times.get(read.name)!
      if ('problem' in read) unusable.push(read)
      const before = this.#kept.get(read.name)
      this.#kept.delete(read.name)
      if ('problem' in read) continue
      const settled = before && isSameHead(before.message, read.message) ? before.settled : undefined
      const { changedAt, size, modifiedAt: writtenAt } = entry
      const { name, message, problems } = read
      const known = { name, task: message.task, sentAt: message.time, writtenAt, age: ageOf(now - changedAt), settled }
      this.#kept.set(name, new Kept(parts, this.#spot, known, { changedAt, size, problems, message }))
      this.unsaved++
    }
    this.#unusable = unusable
    this.#inOrder = undefined
  }

  async save(parts: CirceParts): Promise<void> {
    if (this.unsaved < enoughNews) return
    this.unsaved = 0
    const path = leafOf(this.#spot)
    try {
      await parts.tree.remove(path)
      await parts.tree.create(path, print(this.#checkedAt, this.found))
    } catch (error) {
      // A full disk, or a cache that is not ours to write: no command fails because of that.
      if (!(error instanceof SignalboxError)) throw error
    }
  }
}

const ageOf = (ms: number): Age => (ms < doubtfulMs ? 'doubtful' : ms < youngMs ? 'young' : 'old')

const isSameHead = (a: Head, b: Head): boolean => JSON.stringify(a) === JSON.stringify(b)

type ReadHead = Pick<Listed, 'name' | 'path' | 'message' | 'problems'>

/** Many at once where the engine can. */
export async function* readHeads(
  parts: CirceParts,
  spot: Spot,
  names: readonly FileName[],
): AsyncGenerator<ReadHead | Unusable> {
  const { tree, settings } = parts
  const most = Math.min(headBytes, settings.largestMessage)
  const read: ReadHead[] = []
  const done = new Set<string>()
  await tree.heads?.(folderAt(parts, spot), names, most + 1, (name, bytes, size) => {
    if (size > most) return
    const parsed = parseMessage(bytes, settings.furtherIntents)
    // Others are read once more by themselves, which tells why they are none.
    if (parsed.outcome !== 'message') return
    const path = pathAt(parts, spot, name as FileName)
    read.push({ name: name as FileName, path, message: headOf(parsed.message), problems: parsed.problems })
    done.add(name)
  })
  yield* read
  for (const name of names) {
    if (done.has(name)) continue
    const one = await readAt(parts, spot, name)
    if (!isFound(one)) {
      if (one) yield one
      continue
    }
    yield { name, path: one.path, message: headOf(one.message), problems: one.problems }
  }
}

const leafOf = ({ place, agent }: Spot): TreePath =>
  childOf(lyingPath, `${agent === undefined ? place : `${place}.${agent}`}.json`)

const version = 1

const print = (checkedAt: number, kept: readonly Kept[]): string =>
  `${JSON.stringify({ version, checkedAt, count: kept.length })}\n${kept.map((one) => `${one.print()}\n`).join('')}`

/** Read as a stranger's; `undefined` when anything is odd, and then the messages themselves are read. */
function parse(parts: CirceParts, spot: Spot, bytes: Uint8Array): { checkedAt: number; kept: Kept[] } | undefined {
  try {
    const [first = '', ...lines] = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
      .toString('utf8')
      .split('\n')
    const head = JSON.parse(first) as Record<string, unknown>
    if (head.version !== version || lines.pop() !== '' || lines.length !== head.count) return undefined
    return { checkedAt: number(head.checkedAt), kept: lines.map((line) => keptFrom(parts, spot, line)) }
  } catch {
    return undefined // Not JSON, or `odd` was thrown.
  }
}

const odd = (): never => {
  throw new Error('not what was written')
}
const text = (value: unknown): string => (typeof value === 'string' ? value : odd())
const number = (value: unknown): number => (Number.isFinite(value) ? (value as number) : odd())
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : odd())
const maybe = (value: unknown): string | undefined => (value === null ? undefined : text(value))

/** Its name is compared with those of a listing before it becomes part of a path. */
function keptFrom(parts: CirceParts, spot: Spot, line: string): Kept {
  const [name, task, sentAt, writtenAt, age, settled, fields] = line.split('\t')
  const known = {
    name: text(name) as FileName,
    task: task === '' ? undefined : text(task),
    sentAt: number(Number(sentAt)),
    writtenAt: number(Number(writtenAt)),
    age: age === 'old' || age === 'young' ? age : 'doubtful',
    settled: settled === 'owned' || settled === 'free' ? settled : undefined,
  } as const
  return new Kept(parts, spot, known, text(fields))
}

function printFields({ changedAt, size, problems, message }: Fields): string {
  const { from, to, intent, task, status, createdAt, time, replyTo, summary, further, asks } = message
  const head = [
    from,
    to,
    intent,
    task ?? null,
    status,
    createdAt,
    time,
    replyTo ?? null,
    summary,
    further,
    asks ?? null,
  ]
  return JSON.stringify([changedAt, size, problems, head])
}

/** What cannot be read any more is taken for a message that nobody gets: it is read again when it is looked at for changes. */
function fieldsFrom(line: string): Fields {
  try {
    const [changedAt, size, problems, head] = list(JSON.parse(line))
    return {
      changedAt: number(changedAt),
      size: number(size),
      message: headFrom(list(head)),
      problems: list(problems).map((one) => {
        const { code, field, message } = one as Problem
        return { code: text(code), field: text(field), message: text(message) }
      }),
    }
  } catch {
    return { changedAt: -1, size: -1, problems: [], message: unreadable }
  }
}

const unreadable: Head = {
  from: '?',
  to: '?',
  intent: '?',
  task: undefined,
  status: 'new',
  createdAt: '',
  time: 0,
  replyTo: undefined,
  summary: '',
  further: {},
  asks: undefined,
}

function headFrom([from, to, intent, task, status, createdAt, time, replyTo, summary, further, asks]: unknown[]): Head {
  if (typeof further !== 'object' || further === null) odd()
  for (const said of Object.values(further as object)) text(said)
  return {
    from: text(from),
    to: text(to),
    intent: text(intent),
    task: maybe(task),
    status: messageStatuses.find((one) => one === status) ?? odd(),
    createdAt: text(createdAt),
    time: number(time),
    replyTo: maybe(replyTo),
    summary: text(summary),
    further: further as Head['further'],
    asks: (['question', 'escalation', 'approval'] as const).find((one) => one === asks),
  }
}
