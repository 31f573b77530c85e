/**
 * Vectors of texts, by the digest of what was embedded: `.signalbox/cache/embeddings/PROVIDER/N.jsonl`, some in each line, a byte
 * for each number. Disposable: deleting it costs time, and with an endpoint money.
 */
import { hash } from 'node:crypto'
import { readJsonLines } from '../../formats/json-lines.ts'
import type { Embedder } from '../../kernel/embedder.ts'
import { childOf, isSegment, type TreePath } from '../../kernel/tree-path.ts'
import { cacheOf } from '../../tree/home.ts'
import type { Tree } from '../../tree/tree.ts'
import { type Keeping, prune } from '../leaves/keep.ts'
import { unlessFailed } from '../leaves/tolerant.ts'

/** Of each provider. */
const keeping: Keeping = { keepMs: 90 * 24 * 60 * 60 * 1000, keepBytes: 64 * 1024 * 1024 }
/** Of what is kept, so much is in one file: the oldest is removed at a time. */
const files = 8
/** A cluster takes lines of up to a million bytes. */
const mostInLine = 64
const numbered = /^([1-9]\d{0,14})\.jsonl$/
const digits = /^[0-9a-f]{32}$/

export class VectorIndex {
  readonly dim: number
  readonly #tree: Tree
  readonly #folder: TreePath
  readonly #keep: Keeping
  readonly #vectors = new Map<string, Int8Array>()
  readonly #read = new Map<string, number>()
  #unsaved: string[] = []

  private constructor(tree: Tree, folder: TreePath, dim: number, keep: Keeping) {
    this.dim = dim
    this.#tree = tree
    this.#folder = folder
    this.#keep = keep
  }

  /** `keep`: how much, unless a test says otherwise. */
  static async open(tree: Tree, { id, version, dim }: Embedder, keep = keeping): Promise<VectorIndex> {
    const provider = hash('sha256', `${id}\n${version}\n${dim}`, 'hex').slice(0, 40)
    const folder = childOf(cacheOf('embeddings'), provider)
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
    const length = bytes ? lengthOf(bytes) : 0
    if (!bytes || length === 0) return undefined
    let sum = 0
    for (let i = 0; i < bytes.length; i++) sum += bytes[i]! * other[i]!
    return sum / length
  }

  /** `undefined`: the provider has none for this text. */
  add(digest: string, vector: Float32Array | undefined): void {
    const bytes = new Int8Array(this.dim)
    const largest = vector?.reduce((most, one) => Math.max(most, Math.abs(one)), 0) ?? 0
    if (vector && largest > 0) for (let i = 0; i < this.dim; i++) bytes[i] = Math.round((vector[i]! / largest) * 127)
    this.#vectors.set(digest, bytes)
    this.#unsaved.push(digest)
  }

  /** Writes what was added since. A full disk is no error: the index is then made again. */
  async save(): Promise<void> {
    if (this.#unsaved.length === 0) return
    const isSaved = await unlessFailed(this.#append(this.#unsaved))
    if (isSaved) this.#unsaved = []
  }

  async #append(digests: readonly string[]): Promise<true> {
    const last = (await this.#listed()).at(-1)
    const isFull = last !== undefined && last.size >= this.#keep.keepBytes / files
    const path = childOf(this.#folder, `${(last?.number ?? 0) + (last && !isFull ? 0 : 1)}.jsonl`)
    for (let at = 0; at < digests.length; at += mostInLine) {
      const some = digests.slice(at, at + mostInLine).map((digest) => {
        const { buffer, byteOffset, length } = this.#vectors.get(digest)!
        return [digest, Buffer.from(buffer, byteOffset, length).toString('base64')]
      })
      await this.#tree.append(path, JSON.stringify(Object.fromEntries(some)))
    }
    if (isFull) await pruneAll(this.#tree, this.#keep)
    return true
  }

  async #listed() {
    const listed = (await unlessFailed(this.#tree.list(this.#folder, { times: true }))) ?? []
    return listed
      .flatMap((file) => {
        const number = file.kind === 'leaf' ? Number(numbered.exec(file.name)?.[1] ?? 0) : 0
        return number > 0 ? [{ ...file, number }] : []
      })
      .sort((a, b) => a.number - b.number)
  }

  /** What other processes have written since. A line that is not whole, or of a stranger, is passed over. */
  async #readNew(): Promise<void> {
    for (const { name: file, size } of await this.#listed()) {
      if (this.#read.get(file) === size || size > this.#keep.keepBytes) continue
      const leaf = await unlessFailed(this.#tree.read(childOf(this.#folder, file), { atMost: size }))
      for (const line of readJsonLines(leaf?.bytes ?? new Uint8Array())) {
        for (const [digest, text] of line.kind === 'record' ? Object.entries(line.value ?? {}) : []) {
          if (this.#vectors.has(digest) || !digits.test(digest)) continue
          const bytes = Buffer.from(String(text), 'base64')
          if (bytes.length === this.dim) this.#vectors.set(digest, new Int8Array(bytes))
        }
      }
      this.#read.set(file, size)
    }
  }
}

/** In a process that stays, only what is new is read. */
const opened = new WeakMap<Tree, Map<TreePath, VectorIndex>>()

function lengthOf(bytes: Int8Array): number {
  let squares = 0
  for (let i = 0; i < bytes.length; i++) squares += bytes[i]! ** 2
  return Math.sqrt(squares)
}

/** Those of providers that are not asked any more, too. */
async function pruneAll(tree: Tree, keep: Keeping): Promise<void> {
  for (const { name: provider, kind } of await tree.list(cacheOf('embeddings')))
    if (kind === 'folder' && isSegment(provider)) await prune(tree, childOf(cacheOf('embeddings'), provider), keep)
}
