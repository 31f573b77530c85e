/** Moves finished messages into packs, and carries on where an earlier archiving was cut off. See `archive.ts`. */
import { bufferOf } from '../../../formats/front-matter.ts'
import { conflict } from '../../../kernel/errors.ts'
import { childOf, nameOf, parentOf, type TreePath } from '../../../kernel/tree-path.ts'
import { expectKind } from '../../../tree/expected.ts'
import type { Lease, MoveOptions, Tree } from '../../../tree/tree.ts'
import { fromCompact, parseTime } from '../times.ts'
import {
  type ArchivedEntry,
  type FinalStatus,
  indexNameOf,
  membersOf,
  mostMessages,
  PackBuilder,
  type PackedMessage,
  packNameOf,
  parsePackName,
  printIndex,
  unzipMember,
} from './pack.ts'
import { describe, entriesOf, isMonth, looseIn, readShelf, shelvesIn } from './shelves.ts'
import { Turn, TurnLost } from './turn.ts'

export interface ToArchive extends PackedMessage {
  readonly path: TreePath
  /** As it was when it was chosen: one that was moved or written to since is left where it is. */
  readonly changedAt?: number
}

export interface ArchiveOptions {
  /** Who archives, for those who find the archive busy. */
  readonly owner: string
  readonly onProgress?: (done: number, total: number) => void
}

export interface Archived {
  /** Messages that are in a pack now and were not before, those of an earlier archiving that was cut off included. */
  readonly archived: number
  /** Messages that were in a pack already and lay in their old place still. */
  readonly alreadyThere: number
  /** Set when another archiver is at work, which then does, or did, the rest. */
  readonly busy?: Lease
}

/**
 * Archives these messages. Interrupted anywhere it loses nothing and doubles nothing; called again it finishes.
 * A message that has moved on in the meantime is left where it is.
 */
export async function archiveMessages(
  tree: Tree,
  archive: TreePath,
  messages: readonly ToArchive[],
  options: ArchiveOptions,
): Promise<Archived> {
  const turn = await Turn.take(tree, archive, options.owner)
  if (!(turn instanceof Turn)) return { archived: 0, alreadyThere: 0, busy: turn }
  const archiving = new Archiving(tree, archive, turn, options.onProgress)
  try {
    await archiving.run(messages)
    return archiving.result
  } catch (error) {
    if (!(error instanceof TurnLost)) throw error
    return { ...archiving.result, ...(error.lease ? { busy: error.lease } : {}) }
  } finally {
    // It ends by itself if the disk does not let us say so, and that failure must not hide the first one.
    await turn.end().catch(() => {})
  }
}

class Archiving {
  readonly #tree: Tree
  readonly #archive: TreePath
  readonly #turn: Turn
  readonly #onProgress: ArchiveOptions['onProgress']
  /** What the caller knows about messages on their way, by where they lie. */
  readonly #known = new Map<TreePath, ToArchive>()
  /** What was packed in a month before this archiving, by id. */
  readonly #packed = new Map<TreePath, Map<string, ArchivedEntry[]>>()
  readonly result = { archived: 0, alreadyThere: 0 }
  #passed = 0
  #total = 0

  constructor(tree: Tree, archive: TreePath, turn: Turn, onProgress: ArchiveOptions['onProgress']) {
    this.#tree = tree
    this.#archive = archive
    this.#turn = turn
    this.#onProgress = onProgress
  }

  async run(messages: readonly ToArchive[]): Promise<void> {
    this.#total = messages.length
    // Before the first one is moved: all of them have a place to go to.
    await expectKind(this.#tree, 'folder', new Set(messages.map((message) => this.#placeOf(message))))
    for (const folder of await shelvesIn(this.#tree, this.#archive)) {
      if (isMonth(nameOf(folder))) await this.#carryOn(folder)
    }
    // A pack full at a time is on its way.
    for (let i = 0; i < messages.length; i += mostMessages) {
      const places = new Set<TreePath>()
      for (const message of messages.slice(i, i + mostMessages)) {
        await this.#turn.keep()
        const place = await this.#stage(message)
        if (place) places.add(parentOf(place))
        else this.#passed++
      }
      for (const place of places) await this.#packAll(place)
    }
  }

  /** Finishes what an earlier archiving left in a month. */
  async #carryOn(month: TreePath): Promise<void> {
    const { orphans, loose } = await readShelf(this.#tree, month)
    for (const pack of orphans) await this.#settleOrphan(pack, month)
    // What lies in the month itself was put there by somebody, and stays.
    const places = loose.map(({ path }) => parentOf(path)).filter((place) => place !== month)
    this.#total += places.length
    for (const place of new Set(places)) await this.#packAll(place)
  }

  /**
   * A pack without an index. Its messages lie where they lay when it was written: then it goes, and they are packed
   * again. If one is missing it is the index that was lost: then it is made again from the pack.
   */
  async #settleOrphan(pack: TreePath, month: TreePath): Promise<void> {
    const parsed = parsePackName(nameOf(pack))!
    const leaf = await this.#tree.read(pack)
    const members = leaf && membersOf(leaf.bytes)
    // Damaged: nothing is deleted that cannot be read. `listArchived` tells of it.
    if (!members) return
    const place = childOf(month, parsed.status)
    const texts = new Set<string>()
    for (const { path } of await looseIn(this.#tree, place, parsed.status)) {
      const lying = await this.#tree.read(path)
      if (lying) texts.add(asKey(lying.bytes))
    }
    if (members.every(({ bytes }) => texts.has(asKey(bytes)))) {
      await this.#under(this.#tree.remove(pack, this.#turn.guard))
      return
    }
    const finishedAt = parseTime(fromCompact(parsed.stamp) ?? '') ?? 0
    const entries = members.map(({ offset, length, bytes }, i) => {
      const name = `${parsed.stem}-${i + 1}.md`
      return { ...describe(bytes, name, parsed.status, finishedAt), offset, length, size: bytes.length }
    })
    await this.#create(childOf(month, indexNameOf(parsed.stem)), printIndex(entries))
  }

  /** Moves a message to where it waits for its pack. `undefined` when it is not there any more. */
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
      if (removed.outcome === 'removed') this.result.alreadyThere++
      return undefined
    }
  }

  /** Where a message waits for its pack. */
  #placeOf({ status, finishedAt }: ToArchive): TreePath {
    return childOf(childOf(this.#archive, monthOf(finishedAt)), status)
  }

  /** Packs everything that waits in a place. */
  async #packAll(place: TreePath): Promise<void> {
    const status = nameOf(place) as FinalStatus
    const packed = await this.#packedIn(parentOf(place))
    let builder = new PackBuilder()
    let lying = new Map<TreePath, string>()
    const finish = async () => {
      if (lying.size === 0) return
      await this.#commit(parentOf(place), builder.stem(status), builder, lying)
      builder = new PackBuilder()
      lying = new Map()
    }
    for (const { path, file } of await looseIn(this.#tree, place, status)) {
      await this.#turn.keep()
      const leaf = await this.#tree.read(path)
      if (!leaf) continue
      const message = this.#known.get(path) ?? describe(leaf.bytes, file.name, status, file.modifiedAt)
      const digest = digestOf(leaf.bytes)
      if (await this.#isPacked(packed.get(message.id) ?? [], leaf.bytes)) {
        await this.#tree.remove(path, { onlyIf: sameAs(digest) })
        this.result.alreadyThere++
        continue
      }
      builder.add(message, leaf.bytes)
      lying.set(path, digest)
      if (builder.isFull) await finish()
    }
    await finish()
    this.#tellProgress()
  }

  async #packedIn(month: TreePath): Promise<Map<string, ArchivedEntry[]>> {
    const known = this.#packed.get(month)
    if (known) return known
    const packed = new Map<string, ArchivedEntry[]>()
    this.#packed.set(month, packed)
    for (const index of (await readShelf(this.#tree, month)).indexes) {
      for (const entry of await entriesOf(this.#tree, index)) {
        const same = packed.get(entry.id)
        if (same) same.push(entry)
        else packed.set(entry.id, [entry])
      }
    }
    return packed
  }

  /** The same id is not enough: only what is in a pack byte for byte may be removed. */
  async #isPacked(entries: readonly ArchivedEntry[], bytes: Uint8Array): Promise<boolean> {
    for (const entry of entries.filter(({ size }) => size === bytes.length)) {
      const pack = await this.#tree.read(entry.pack)
      try {
        if (pack && Buffer.compare(unzipMember(pack.bytes, entry), bytes) === 0) return true
      } catch {
        // That copy is damaged; this one goes into a pack of its own.
      }
    }
    return false
  }

  /** `lying`: the digests of what was packed, by where it lies. Whatever lies there instead by now is not removed. */
  async #commit(
    month: TreePath,
    stem: string,
    builder: PackBuilder,
    lying: ReadonlyMap<TreePath, string>,
  ): Promise<void> {
    await this.#create(childOf(month, packNameOf(stem)), builder.pack())
    await this.#create(childOf(month, indexNameOf(stem)), builder.index())
    this.result.archived += builder.count
    for (const [path, digest] of lying) {
      await this.#tree.remove(path, { onlyIf: sameAs(digest) })
      this.#known.delete(path)
    }
    this.#tellProgress()
  }

  #tellProgress(): void {
    this.#onProgress?.(this.result.archived + this.result.alreadyThere + this.#passed, this.#total)
  }

  async #create(path: TreePath, bytes: Uint8Array): Promise<void> {
    const { outcome } = await this.#under(this.#tree.create(path, bytes, this.#turn.guard))
    if (outcome === 'taken')
      throw conflict('ARCHIVE_NAME_TAKEN', `${path} is there already.`, { hint: 'Archive again.' })
  }

  async #under<T extends { readonly outcome: string }>(write: Promise<T>): Promise<T> {
    const written = await write
    if (written.outcome === 'fenced') throw new TurnLost()
    return written
  }
}

const digestOf = (bytes: Uint8Array): string =>
  process.getBuiltinModule('node:crypto').hash('sha256', bytes, 'base64url')

const sameAs = (digest: string) => (bytes: Uint8Array) => digestOf(bytes) === digest

/** Months are those in which a message was finished, in UTC. */
const monthOf = (finishedAt: number): string =>
  new Date(Number.isFinite(finishedAt) ? finishedAt : 0).toISOString().slice(0, 7)

const asKey = (bytes: Uint8Array): string => bufferOf(bytes).toString('latin1')
