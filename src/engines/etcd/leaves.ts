/** Reading leaves: from the copy of their folder where there is one, else from the cluster. */
import { parentOf, type TreePath } from '../../kernel/tree-path.ts'
import { readInPart } from '../../tree/for-engines.ts'
import type { Leaf, Revision } from '../../tree/tree.ts'
import { type FolderIndex, stampTime } from './folder-index.ts'
import { weightOfALook } from './folder-indexes.ts'
import { fromWire, type Key, wire } from './keys.ts'
import type { Parts } from './parts.ts'
import type { KeyValue } from './transaction.ts'
import { type LeafHeader, notOurs, parseValue, revisionOfBytes } from './value.ts'

/** A leaf at one revision of the cluster. */
export interface Seen {
  /** `mod_revision` of its key: what a write compares. */
  readonly revision: number
  readonly about: LeafHeader
  /** The body. Only one that is kept in a file must be read for this. */
  bytes(atMost?: number): Uint8Array
  readonly size: number
  /** As this process wrote it last, perhaps out of date. Enough for a write, whose transaction compares; not for an answer. */
  readonly isRemembered?: true
}

/** No leaf there. If a folder is, when that last changed. */
export interface NotSeen {
  readonly folderChangedAt?: number
}

/** From the copy of its folder, if there is one. */
export async function findLeaf(parts: Parts, path: TreePath): Promise<Seen | NotSeen> {
  const { indexes, keys } = parts
  const index = await indexes.current(parentOf(path))
  if (index && !index.at(keys.leaf(path)) && !index.at(keys.folder(path))) return {}
  return heldBy(parts, index, path)
}

/** The same before a write, but asks the cluster before it answers that there is nothing. */
export async function findToWrite(parts: Parts, path: TreePath): Promise<Seen | NotSeen> {
  const { indexes, keys } = parts
  const own = indexes.isOpen(parentOf(path)) ? undefined : indexes.ownAt(keys.leaf(path))
  if (own && !parseValue(own.value ?? '')?.about.isLog) return { ...seenAt(parts, path, own, []), isRemembered: true }
  return heldBy(parts, await indexes.current(parentOf(path), weightOfALook), path)
}

async function heldBy(parts: Parts, index: FolderIndex | undefined, path: TreePath): Promise<Seen | NotSeen> {
  const held = index?.at(parts.keys.leaf(path))
  const log = held?.about?.isLog ? parts.logs.at(path, held.revision) : undefined
  const bytes = log ? joined(parts, path, log) : held?.bytes
  if (!held?.about || !bytes) return askForLeaf(parts, path)
  return { revision: held.revision, about: held.about, size: bytes.length, bytes: (atMost) => cut(bytes, atMost) }
}

/** From the cluster, as it is now. */
export async function askForLeaf(parts: Parts, path: TreePath): Promise<Seen | NotSeen> {
  const { leaf, log = [], stamp } = await parts.requests.at(path)
  if (leaf) return seenAt(parts, path, leaf, log)
  const folder = stamp && parseValue(stamp.value ?? '')
  return folder ? { folderChangedAt: stampTime(folder.about.modifiedAt, Number(stamp.mod_revision)) } : {}
}

/** What a transaction found at the leaf's own key; for a log, with its lines. */
export function seenAt(parts: Parts, path: TreePath, found: KeyValue, log: readonly KeyValue[]): Seen {
  const value = parseValue(found.value ?? '')
  if (!value) throw notOurs(path)
  const { about } = value
  const revision = Number(found.mod_revision)
  const { elsewhere, isLog } = about
  if (elsewhere && !isLog)
    return { revision, about, size: elsewhere.size, bytes: (atMost) => parts.bodies.read(elsewhere, atMost) }
  const bytes = isLog ? joined(parts, path, log) : value.bytes
  return { revision, about, size: bytes.length, bytes: (atMost) => cut(bytes, atMost) }
}

/** The bytes before the first line, then the lines in the order in which they came. */
function joined({ keys, bodies }: Parts, path: TreePath, log: readonly KeyValue[]): Uint8Array {
  const startKey = wire(keys.logStart(path))
  const start = log.find(({ key }) => key === startKey)
  const value = parseValue(start?.value ?? '')
  if (!value) throw notOurs(path)
  const before = value.about.elsewhere ? bodies.read(value.about.elsewhere) : value.bytes
  const lines = log.filter((line) => line !== start).map(lineOf)
  lines.sort((a, b) => a.revision - b.revision || (a.key < b.key ? -1 : 1))
  return Buffer.concat([before, ...lines.map(({ bytes }) => bytes)])
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
    if (this.bytes.length < this.size) throw readInPart()
    return revisionOfBytes(this.bytes)
  }
}
