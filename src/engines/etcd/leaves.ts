/** Reading leaves: from the copy of their folder where there is one, else from the cluster. */
import { corrupt, invalidInput } from '../../kernel/errors.ts'
import { parentOf, type TreePath } from '../../kernel/tree-path.ts'
import type { Leaf, Revision } from '../../tree/tree.ts'
import { type FolderIndex, stampTime } from './folder-index.ts'
import { weightOfALook } from './folder-indexes.ts'
import { revisionOfBytes } from './hash.ts'
import { fromWire, type Key, type Keys, wire } from './keys.ts'
import type { LargeBodies } from './large-bodies.ts'
import type { LogCopies } from './log-copies.ts'
import type { Copies } from './parts.ts'
import type { Requests } from './requests.ts'
import type { KeyValue } from './transaction.ts'
import { type About, notOurs, parseValue } from './value.ts'

/** A leaf at one revision of the cluster. */
export interface Seen {
  /** `mod_revision` of its key: what a write compares. */
  readonly revision: number
  readonly about: About
  /** The body. Only one that is kept in a file must be read for this. */
  bytes(atMost?: number): Uint8Array
  readonly size: number
  /** From `OwnWrites`, perhaps out of date. Good enough for a write, whose transaction compares; not for an answer. */
  readonly isRemembered?: true
}

/** No leaf there. If a folder is, when that last changed. */
export interface NotSeen {
  readonly folderChangedAt?: number
}

export class Leaves {
  readonly #requests: Requests
  readonly #keys: Keys
  readonly #indexes: Copies
  readonly #bodies: LargeBodies
  readonly #logs: LogCopies

  constructor(
    requests: Requests,
    keys: Keys,
    indexes: Copies,
    { bodies, logs }: { readonly bodies: LargeBodies; readonly logs: LogCopies },
  ) {
    this.#requests = requests
    this.#keys = keys
    this.#indexes = indexes
    this.#bodies = bodies
    this.#logs = logs
  }

  /** From the copy of its folder, if there is one. */
  async find(path: TreePath): Promise<Seen | NotSeen> {
    const index = await this.#indexes.current(parentOf(path))
    if (index && !index.at(this.#keys.leaf(path)) && !index.at(this.#keys.folder(path))) return {}
    return this.#heldBy(index, path)
  }

  /** The same before a write, but asks the cluster before it answers that there is nothing. */
  async findToWrite(path: TreePath): Promise<Seen | NotSeen> {
    const own = this.#indexes.isOpen(parentOf(path)) ? undefined : this.#indexes.ownAt(this.#keys.leaf(path))
    if (own && !parseValue(own.value ?? '')?.about.isLog) return { ...this.seen(path, own, []), isRemembered: true }
    return this.#heldBy(await this.#indexes.current(parentOf(path), weightOfALook), path)
  }

  async #heldBy(index: FolderIndex | undefined, path: TreePath): Promise<Seen | NotSeen> {
    const held = index?.at(this.#keys.leaf(path))
    const log = held?.about?.isLog ? this.#logs.at(path, held.revision) : undefined
    const bytes = log ? this.#joined(path, log) : held?.bytes
    if (!held?.about || !bytes) return this.ask(path)
    return { revision: held.revision, about: held.about, size: bytes.length, bytes: (atMost) => cut(bytes, atMost) }
  }

  /** From the cluster, as it is now. */
  async ask(path: TreePath): Promise<Seen | NotSeen> {
    const { leaf, log = [], stamp } = await this.#requests.at(path)
    if (leaf) return this.seen(path, leaf, log)
    const folder = stamp && parseValue(stamp.value ?? '')
    return folder ? { folderChangedAt: stampTime(folder.about.modifiedAt, Number(stamp.mod_revision)) } : {}
  }

  /** What a transaction found at the leaf's own key; for a log, with its lines. */
  seen(path: TreePath, found: KeyValue, log: readonly KeyValue[]): Seen {
    const value = parseValue(found.value ?? '')
    if (!value) throw notOurs(path)
    const { about } = value
    const revision = Number(found.mod_revision)
    if (about.isLog) {
      const bytes = this.#joined(path, log)
      return { revision, about, size: bytes.length, bytes: (atMost) => cut(bytes, atMost) }
    }
    const { elsewhere } = about
    if (!elsewhere) return { revision, about, size: value.bytes.length, bytes: (atMost) => cut(value.bytes, atMost) }
    return { revision, about, size: elsewhere.size, bytes: (atMost) => this.#bodies.read(elsewhere, atMost) }
  }

  /** The bytes before the first line, then the lines in the order in which they came. */
  #joined(path: TreePath, log: readonly KeyValue[]): Uint8Array {
    const startKey = wire(this.#keys.logStart(path))
    const start = log.find(({ key }) => key === startKey)
    const value = parseValue(start?.value ?? '')
    if (!value) throw notOurs(path)
    const before = value.about.elsewhere ? this.#bodies.read(value.about.elsewhere) : value.bytes
    const lines = log.filter((line) => line !== start).map(lineOf)
    lines.sort((a, b) => a.revision - b.revision || (a.key < b.key ? -1 : 1))
    return Buffer.concat([before, ...lines.map(({ bytes }) => bytes)])
  }
}

interface Line {
  readonly revision: number
  readonly key: Key
  readonly bytes: Uint8Array
}

/** A log is read again after every new line, so each line is decoded once. */
const decoded = new WeakMap<KeyValue, Line>()

function lineOf(found: KeyValue): Line {
  const known = decoded.get(found)
  if (known) return known
  const { key, value = '', create_revision } = found
  const line = { revision: Number(create_revision), key: fromWire(key), bytes: Buffer.from(value, 'base64') }
  decoded.set(found, line)
  return line
}

export const isSeen = (found: Seen | NotSeen): found is Seen => 'about' in found

const cut = (bytes: Uint8Array, atMost: number | undefined): Uint8Array =>
  atMost === undefined || atMost >= bytes.length ? bytes : bytes.subarray(0, atMost)

export class EtcdLeaf implements Leaf {
  readonly bytes: Uint8Array
  readonly size: number
  readonly modifiedAt: number
  readonly changedAt: number

  constructor(seen: Seen, atMost: number | undefined) {
    // A copy, because callers may change the bytes.
    this.bytes = Buffer.from(seen.bytes(atMost))
    this.size = seen.size
    this.modifiedAt = seen.about.modifiedAt
    this.changedAt = seen.about.changedAt
  }

  /** Hashed on demand. */
  get revision(): Revision {
    if (this.bytes.length < this.size) {
      throw invalidInput('PARTIAL_READ', 'A leaf that was read in part has no revision.', { hint: 'Read it whole.' })
    }
    return revisionOfBytes(this.bytes)
  }
}

export const notALeaf = (path: TreePath) =>
  corrupt('NOT_A_LEAF', `Not a leaf: ${path}.`, { hint: 'Name a leaf inside that folder.' })
