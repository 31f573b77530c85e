/**
 * Vectors of texts, by the digest of what was embedded: `.signalbox/cache/embeddings/PROVIDER/N.vectors`, many in a file, a byte for
 * each number. Those of two providers, versions or lengths never meet. Disposable: deleting it costs time, and with an endpoint
 * money, and changes no answer.
 */
import { hash } from 'node:crypto'
import type { Embedder } from '../../../../kernel/embedder.ts'
import { SignalboxError } from '../../../../kernel/errors.ts'
import { childOf, isSegment, type TreePath } from '../../../../kernel/tree-path.ts'
import { type Keeping, prune } from '../../../../messaging/leaves/keep.ts'
import { cacheOf } from '../../../../tree/home.ts'
import type { Tree } from '../../../../tree/tree.ts'

/** Of each provider. */
const keeping: Keeping = { keepMs: 90 * 24 * 60 * 60 * 1000, keepBytes: 64 * 1024 * 1024 }
/** Files with fewer vectors become one when there are so many of them. */
const largeFile = 4096
const mostSmallFiles = 8
const mostBytes = 32 * 1024 * 1024
const digestBytes = 16

interface File {
  readonly name: string
  readonly count: number
}

/** A digest is 32 hexadecimal digits. */
export class VectorIndex {
  readonly dim: number
  readonly #tree: Tree
  readonly #folder: TreePath
  readonly #keep: Keeping
  readonly #vectors = new Map<string, Int8Array>()
  #files: File[] = []
  #unsaved: string[] = []

  private constructor(tree: Tree, folder: TreePath, dim: number, keep: Keeping) {
    this.dim = dim
    this.#tree = tree
    this.#folder = folder
    this.#keep = keep
  }

  /** `keep`: how much, unless a test says otherwise. */
  static async open(tree: Tree, { id, version, dim }: Embedder, keep = keeping): Promise<VectorIndex> {
    const name = hash('sha256', `${id}\n${version}\n${dim}`, 'hex').slice(0, 40)
    const folder = childOf(cacheOf('embeddings'), name)
    const known = opened.get(tree)?.get(folder)
    const index = known ?? new VectorIndex(tree, folder, dim, keep)
    if (!known) opened.set(tree, (opened.get(tree) ?? new Map()).set(folder, index))
    await index.#readNew()
    return index
  }

  get size(): number {
    return this.#vectors.size
  }

  /** True for a text that was looked at, even if it has no vector. */
  has(digest: string): boolean {
    return this.#vectors.has(digest)
  }

  /** Of length 1; `undefined` where there is none. */
  vectorOf(digest: string): Float32Array | undefined {
    const bytes = this.#vectors.get(digest)
    const length = bytes ? lengthOf(bytes) : 0
    return bytes && length > 0 ? Float32Array.from(bytes, (one) => one / length) : undefined
  }

  /** The cosine with a vector of length 1; `undefined` where there is none. */
  likeness(digest: string, other: Float32Array): number | undefined {
    const bytes = this.#vectors.get(digest)
    if (!bytes) return undefined
    let sum = 0
    let squares = 0
    for (let i = 0; i < bytes.length; i++) {
      const one = bytes[i]!
      sum += one * other[i]!
      squares += one * one
    }
    return squares === 0 ? undefined : sum / Math.sqrt(squares)
  }

  /** `undefined`: the provider has none for this text. */
  add(digest: string, vector: Float32Array | undefined): void {
    const bytes = new Int8Array(this.dim)
    const largest = vector?.reduce((most, one) => Math.max(most, Math.abs(one)), 0) ?? 0
    if (vector && largest > 0) for (let i = 0; i < this.dim; i++) bytes[i] = Math.round((vector[i]! / largest) * 127)
    this.#vectors.set(digest, bytes)
    this.#unsaved.push(digest)
  }

  /** Writes what was added since. A disk without room for it stops nobody: then it is made again. */
  async save(): Promise<void> {
    if (this.#unsaved.length === 0) return
    const small = this.#files.filter(({ count }) => count < largeFile)
    const isMerging = small.length >= mostSmallFiles
    const digests = isMerging ? await this.#digestsIn(small) : []
    const all = [...new Set([...digests, ...this.#unsaved])]
    const name = await quietly(() => this.#write(all))
    if (name === undefined) return
    this.#unsaved = []
    this.#files.push({ name, count: all.length })
    if (!isMerging) return
    for (const one of small) await quietly(() => this.#tree.remove(childOf(this.#folder, one.name), { atMost: 0 }))
    await pruneAll(this.#tree, this.#keep)
  }

  async #write(digests: readonly string[]): Promise<string | undefined> {
    const body = Buffer.alloc(digests.length * (digestBytes + this.dim))
    for (const [i, digest] of digests.entries()) {
      body.write(digest, i * digestBytes, 'hex')
      const { buffer, byteOffset } = this.#vectors.get(digest)!
      body.set(new Uint8Array(buffer, byteOffset, this.dim), digests.length * digestBytes + i * this.dim)
    }
    const bytes = Buffer.concat([Buffer.from(`${magic} ${this.dim} ${digests.length} ${sumOf(body)}\n`), body])
    const listed = await this.#tree.list(this.#folder)
    let number = Math.max(0, ...listed.flatMap(({ name }) => Number(numbered.exec(name)?.[1] ?? 0))) + 1
    for (let attempt = 0; attempt < 8; attempt++, number++) {
      const name = `${number}.vectors`
      if ((await this.#tree.create(childOf(this.#folder, name), bytes)).outcome === 'created') return name
    }
    return undefined
  }

  /** What other processes have written since. */
  async #readNew(): Promise<void> {
    const listed = (await quietly(() => this.#tree.list(this.#folder))) ?? []
    const names = listed.flatMap(({ name, kind }) => (kind === 'leaf' && numbered.test(name) ? [name] : []))
    this.#files = this.#files.filter(({ name }) => names.includes(name))
    for (const name of names) {
      if (this.#files.some((file) => file.name === name)) continue
      const digests = await this.#read(name)
      this.#files.push({ name, count: digests.length })
    }
  }

  async #digestsIn(files: readonly File[]): Promise<string[]> {
    const digests: string[] = []
    for (const { name } of files) digests.push(...(await this.#read(name)))
    return digests
  }

  /** Answers the digests; none of a file that is not whole, or was written by a stranger. */
  async #read(name: string): Promise<string[]> {
    const leaf = await quietly(() => this.#tree.read(childOf(this.#folder, name), { atMost: mostBytes }))
    if (!leaf || leaf.size > mostBytes) return []
    const bytes = Buffer.from(leaf.bytes.buffer, leaf.bytes.byteOffset, leaf.bytes.length)
    const end = bytes.indexOf(10)
    const found = header.exec(bytes.toString('latin1', 0, Math.max(0, Math.min(end, 100))))
    const body = bytes.subarray(end + 1)
    const count = Number(found?.[2])
    if (Number(found?.[1]) !== this.dim || body.length !== count * (digestBytes + this.dim)) return []
    if (sumOf(body) !== found?.[3]) return []
    // A copy: what the tree has read may be used again by it.
    const vectors = new Int8Array(body.subarray(count * digestBytes))
    const digests: string[] = []
    for (let i = 0; i < count; i++) {
      const digest = body.toString('hex', i * digestBytes, (i + 1) * digestBytes)
      digests.push(digest)
      if (!this.#vectors.has(digest)) this.#vectors.set(digest, vectors.subarray(i * this.dim, (i + 1) * this.dim))
    }
    return digests
  }
}

/** In a process that stays, only what is new is read. */
const opened = new WeakMap<Tree, Map<TreePath, VectorIndex>>()

const magic = 'signalbox-vectors-1'
const header = /^signalbox-vectors-1 (\d{1,5}) (\d{1,7}) ([0-9a-f]{16})$/
const numbered = /^([1-9]\d{0,14})\.vectors$/

/** Enough to notice a write that a power cut stopped; it keeps nobody out. */
const sumOf = (bytes: Uint8Array): string => hash('md5', bytes, 'hex').slice(0, 16)

function lengthOf(bytes: Int8Array): number {
  let squares = 0
  for (let i = 0; i < bytes.length; i++) squares += bytes[i]! ** 2
  return Math.sqrt(squares)
}

/** Those of providers that are not asked any more, too. */
async function pruneAll(tree: Tree, keep: Keeping): Promise<void> {
  for (const { name, kind } of (await quietly(() => tree.list(cacheOf('embeddings')))) ?? [])
    if (kind === 'folder' && isSegment(name))
      await quietly(() => prune(tree, childOf(cacheOf('embeddings'), name), keep))
}

/** A cache that cannot be read or written is none. */
async function quietly<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SignalboxError) return undefined
    throw error
  }
}
