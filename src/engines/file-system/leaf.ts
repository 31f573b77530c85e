/** Answers about a file: its bytes and times, and the outcome of a write to it. */
import { readInPart } from '../../tree/for-engines.ts'
import type { Durability, Entry, Leaf, Revision } from '../../tree/tree.ts'
import type { Dirent, Stats } from './disk.ts'
import { revisionOf } from './revision.ts'

export class FileLeaf implements Leaf {
  readonly bytes: Buffer
  readonly size: number
  readonly modifiedAt: number
  readonly changedAt: number
  #revision: Revision | undefined

  constructor(bytes: Buffer, stats: Stats) {
    this.bytes = bytes
    this.size = Math.max(stats.size, bytes.length)
    const { modifiedAt, changedAt } = timesOf(stats)
    this.modifiedAt = modifiedAt
    this.changedAt = changedAt
  }

  /** Made on demand: hashing costs a few microseconds a kilobyte. */
  get revision(): Revision {
    if (this.bytes.length < this.size) throw readInPart()
    this.#revision ??= revisionOf(this.bytes)
    return this.#revision
  }
}

export class WrittenLeaf<Name extends string> {
  readonly outcome: Name
  readonly durability: Durability
  readonly #content: Uint8Array | string

  constructor(outcome: Name, durability: Durability, content: Uint8Array | string) {
    this.outcome = outcome
    this.durability = durability
    this.#content = content
  }

  get revision(): Revision {
    return revisionOf(Buffer.from(this.#content))
  }
}

export const timesOf = (stats: Stats) => ({
  modifiedAt: stats.mtimeMs,
  changedAt: Math.max(stats.mtimeMs, stats.ctimeMs),
})

export const kindOf = (found: Dirent | Stats): Entry['kind'] =>
  found.isFile() ? 'leaf' : found.isDirectory() ? 'folder' : 'other'
