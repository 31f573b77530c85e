/** Moves finished messages into packs, and finishes what an earlier archiving left after a crash. See `archive.ts`. */

import { conflict, SignalboxError } from '../../../kernel/errors.ts'
import { groupBy } from '../../../kernel/group-by.ts'
import { largestMessage as standardLargestMessage } from '../../../kernel/problem.ts'
import { childOf, nameOf, parentOf, type TreePath } from '../../../kernel/tree-path.ts'
import { expectKind } from '../../../messaging/inspection/expected.ts'
import type { Lease, MoveOptions, Tree } from '../../../tree/tree.ts'
import { compactTime } from '../times.ts'
import { entriesOf } from './indexes.ts'
import { ArchiveLease, LeaseLost } from './lease.ts'
import { endMark, printMember, separator, unzip } from './member.ts'
import {
  type ArchivedEntry,
  describeMessage,
  type FinalStatus,
  indexNameOf,
  largestPack,
  mostMessages,
  mostPackBytes,
  type PackedMessage,
  packNameOf,
  printEntry,
} from './pack.ts'
import { finalStatuses, isMonth, looseIn, nameWithin, readLooseBytes, readShelf, shelvesIn } from './shelves.ts'

export interface ToArchive extends PackedMessage {
  readonly path: TreePath
  /** The time of the file when it was chosen. A file that has changed since stays in its queue. */
  readonly changedAt?: number
}

export interface ArchiveOptions {
  readonly owner: string
  readonly largestMessage?: number
  readonly onProgress?: (done: number, total: number) => void
}

export interface Archived {
  /** How many messages were packed, with those that an earlier archiving had left. */
  readonly archived: number
  /** How many files were removed because their message was in a pack already. */
  readonly alreadyThere: number
  readonly busy?: Lease
}

/** Archives messages. If the process is killed, no message is lost or doubled, and the next call finishes the work. */
export async function archiveMessages(
  tree: Tree,
  archive: TreePath,
  messages: readonly ToArchive[],
  options: ArchiveOptions,
): Promise<Archived> {
  const lease = await ArchiveLease.take(tree, archive, options.owner)
  if (!(lease instanceof ArchiveLease)) return { archived: 0, alreadyThere: 0, busy: lease }
  const archiving = new Archiving(tree, archive, lease, options)
  try {
    await archiving.run(messages)
    return archiving.result()
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error
    return { ...archiving.result(), ...(error.lease ? { busy: error.lease } : {}) }
  } finally {
    // If releasing fails, the lease ends by itself; that error must not hide an earlier one.
    await lease.end().catch(() => {})
  }
}

/** True when an earlier archiving left messages that are not packed, or are packed and not removed. */
export async function isUnfinished(tree: Tree, archive: TreePath): Promise<boolean> {
  for (const month of await monthsIn(tree, archive)) {
    for (const status of finalStatuses) {
      if ((await looseIn(tree, childOf(month, status), status)).length > 0) return true
    }
  }
  return false
}

const monthsIn = async (tree: Tree, archive: TreePath): Promise<TreePath[]> =>
  (await shelvesIn(tree, archive)).filter((folder) => isMonth(nameOf(folder)))

/** Builds a pack and its index. */
class PackBuilder {
  readonly #parts: Uint8Array[] = []
  readonly #lines: string[] = []
  #length = 0
  #first = Number.POSITIVE_INFINITY

  get count(): number {
    return this.#lines.length
  }

  get isFull(): boolean {
    return this.#lines.length >= mostMessages || this.#length >= mostPackBytes
  }

  stem(status: FinalStatus): string {
    return `${status}-${compactTime(this.#first)}-${crypto.randomUUID().slice(0, 8)}`
  }

  add(message: PackedMessage, bytes: Uint8Array): void {
    this.#first = Math.min(this.#first, message.finishedAt)
    const member = printMember(message, bytes)
    this.#lines.push(printEntry({ ...message, offset: this.#length, length: member.length, size: bytes.length }))
    this.#append(member)
    // So that `zcat` prints each message on a new line, although the message itself is unchanged.
    if (bytes.length > 0 && bytes[bytes.length - 1] !== 10) this.#append(separator)
  }

  pack(): Uint8Array {
    return Buffer.concat([...this.#parts, endMark])
  }

  index(): Uint8Array {
    return Buffer.from(this.#lines.join(''))
  }

  #append(member: Uint8Array): void {
    this.#parts.push(member)
    this.#length += member.length
  }
}

class Archiving {
  readonly #tree: Tree
  readonly #archive: TreePath
  readonly #lease: ArchiveLease
  readonly #onProgress: ArchiveOptions['onProgress']
  readonly #largest: number
  /** What the caller said about each message, by the path of its file. */
  readonly #known = new Map<TreePath, ToArchive>()
  readonly #packed = new Map<TreePath, Map<string, ArchivedEntry[]>>()
  #archived = 0
  #alreadyThere = 0
  #passed = 0
  #total = 0

  constructor(tree: Tree, archive: TreePath, lease: ArchiveLease, options: ArchiveOptions) {
    this.#tree = tree
    this.#archive = archive
    this.#lease = lease
    this.#onProgress = options.onProgress
    this.#largest = options.largestMessage ?? standardLargestMessage
  }

  result(): Archived {
    return { archived: this.#archived, alreadyThere: this.#alreadyThere }
  }

  async run(messages: readonly ToArchive[]): Promise<void> {
    this.#total = messages.length
    // Before the first message is moved, so that a file in place of a folder stops no archiving half-way.
    await expectKind(this.#tree, 'folder', new Set(messages.map((message) => this.#placeOf(message))))
    for (const month of await monthsIn(this.#tree, this.#archive)) await this.#carryOn(month)
    for (let i = 0; i < messages.length; i += mostMessages) {
      const places = new Set<TreePath>()
      for (const message of messages.slice(i, i + mostMessages)) {
        await this.#lease.keep()
        const place = await this.#stage(message)
        if (place) places.add(parentOf(place))
        else this.#passed++
      }
      for (const place of places) await this.#packAll(place)
    }
  }

  /** Finishes what an earlier archiving left in a month, and makes lost indexes again. */
  async #carryOn(month: TreePath): Promise<void> {
    const { packs, loose } = await readShelf(this.#tree, month)
    for (const pack of packs) if (!pack.index) await entriesOf(this.#tree, pack, this.#limits)
    const waiting = loose.filter(({ path }) => parentOf(path) !== month)
    this.#total += waiting.length
    for (const status of finalStatuses) {
      const place = childOf(month, status)
      if (waiting.some(({ path }) => parentOf(path) === place)) await this.#packAll(place)
    }
  }

  get #limits() {
    return { largestMessage: this.#largest }
  }

  /** Moves a message to the folder from which it is packed. `undefined` when it is gone or has changed. */
  async #stage(message: ToArchive): Promise<TreePath | undefined> {
    const { path, name, changedAt } = message
    const judge: MoveOptions = {
      timed: true,
      change: (before, times) => (changedAt === undefined || times.changedAt === changedAt ? before : undefined),
      atMost: 1,
    }
    const place = this.#placeOf(message)
    for (let attempt = 1; ; attempt++) {
      const target = childOf(place, attempt === 1 ? name : name.replace(/(\.md)?$/, `.${attempt}$1`))
      const { outcome } = await this.#tree.move(path, target, judge)
      if (outcome === 'moved') {
        this.#known.set(target, message)
        return target
      }
      if (outcome !== 'taken') return undefined
      const [one, other] = [await this.#tree.read(path), await this.#tree.read(target)]
      if (!one || !other || Buffer.compare(one.bytes, other.bytes) !== 0) continue
      const removed = await this.#tree.remove(path, { onlyIf: sameAs(digestOf(other.bytes)) })
      if (removed.outcome === 'removed') this.#alreadyThere++
      return undefined
    }
  }

  #placeOf({ status, finishedAt }: ToArchive): TreePath {
    return childOf(childOf(this.#archive, monthOf(finishedAt)), status)
  }

  async #packAll(place: TreePath): Promise<void> {
    const status = nameOf(place) as FinalStatus
    const month = parentOf(place)
    const before = await this.#packedIn(month)
    let builder = new PackBuilder()
    let packed = new Map<TreePath, string>()
    const finish = async () => {
      if (packed.size === 0) return
      await this.#commit(month, builder.stem(status), builder, packed)
      builder = new PackBuilder()
      packed = new Map()
    }
    for (const { path, file } of await looseIn(this.#tree, place, status)) {
      await this.#lease.keep()
      const read = await this.#readLoose(path)
      if (!read) continue
      const { bytes, leaf } = read
      const message = this.#known.get(path) ?? describeMessage(bytes, nameWithin(file.name), status, file.modifiedAt)
      const digest = digestOf(leaf.bytes)
      if (await this.#isPacked(before.get(message.id) ?? [], bytes)) {
        await this.#tree.remove(path, { onlyIf: sameAs(digest) })
        this.#alreadyThere++
        continue
      }
      builder.add(message, bytes)
      packed.set(path, digest)
      if (builder.isFull) await finish()
    }
    await finish()
    this.#onProgress?.(this.#archived + this.#alreadyThere + this.#passed, this.#total)
  }

  /** `undefined` when the file is gone or cannot be a message: `doctor` reports it, and the other files are packed. */
  async #readLoose(path: TreePath) {
    try {
      return await readLooseBytes(this.#tree, path, this.#largest)
    } catch (error) {
      if (error instanceof SignalboxError && error.kind === 'Unavailable') throw error
      return undefined
    }
  }

  async #packedIn(month: TreePath): Promise<Map<string, ArchivedEntry[]>> {
    const known = this.#packed.get(month)
    if (known) return known
    const entries: ArchivedEntry[] = []
    for (const pack of (await readShelf(this.#tree, month)).packs)
      entries.push(...(await entriesOf(this.#tree, pack, this.#limits)))
    const packed = groupBy(entries, ({ id }) => id)
    this.#packed.set(month, packed)
    return packed
  }

  /** Compares all bytes, not the id alone: a file is removed only if a pack has exactly the same. */
  async #isPacked(entries: readonly ArchivedEntry[], bytes: Uint8Array): Promise<boolean> {
    for (const entry of entries.filter(({ size }) => size === bytes.length)) {
      const pack = await this.#tree.read(entry.pack, { atMost: largestPack(this.#largest) })
      try {
        const member = pack?.bytes.subarray(entry.offset, entry.offset + entry.length)
        if (member && Buffer.compare(unzip(member, this.#largest), bytes) === 0) return true
      } catch {
        // The packed copy is damaged, so this one is packed too.
      }
    }
    return false
  }

  /** `packed`: digests of what was packed, by path. A file that has changed since it was packed is not removed. */
  async #commit(
    month: TreePath,
    stem: string,
    builder: PackBuilder,
    packed: ReadonlyMap<TreePath, string>,
  ): Promise<void> {
    // With the pack the messages are archived. If the process dies before the index is there, a reader makes it.
    const pack = childOf(month, packNameOf(stem))
    if ((await this.#create(pack, builder.pack())) === 'taken') {
      throw conflict('ARCHIVE_NAME_TAKEN', `${pack} is there already.`, { hint: 'Archive again.' })
    }
    await this.#create(childOf(month, indexNameOf(stem)), builder.index())
    this.#archived += builder.count
    for (const [path, digest] of packed) {
      await this.#tree.remove(path, { onlyIf: sameAs(digest) })
      this.#known.delete(path)
    }
    this.#onProgress?.(this.#archived + this.#alreadyThere + this.#passed, this.#total)
  }

  async #create(path: TreePath, bytes: Uint8Array): Promise<'created' | 'taken'> {
    const { outcome } = await this.#tree.create(path, bytes, this.#lease.guard)
    if (outcome === 'fenced') throw new LeaseLost()
    return outcome
  }
}

const digestOf = (bytes: Uint8Array): string =>
  process.getBuiltinModule('node:crypto').hash('sha256', bytes, 'base64url')

const sameAs = (digest: string) => (bytes: Uint8Array) => digestOf(bytes) === digest

/** The month in which a message was finished, in UTC. */
const monthOf = (finishedAt: number): string =>
  new Date(Number.isFinite(finishedAt) ? finishedAt : 0).toISOString().slice(0, 7)
