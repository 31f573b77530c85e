/**
 * Vectors that an endpoint gave, by what was embedded: `.signalbox/cache/embeddings/PROVIDER/HASH`. Those of two providers,
 * versions or lengths never meet. Deleting it costs time and money and changes no answer.
 */
import { hash } from 'node:crypto'
import type { Embedder } from '../../../../kernel/embedder.ts'
import { SignalboxError } from '../../../../kernel/errors.ts'
import { childOf, isSegment, type TreePath } from '../../../../kernel/tree-path.ts'
import { cacheOf } from '../../../../tree/home.ts'
import { type Keeping, prune } from '../../../../tree/keep.ts'
import type { Tree } from '../../../../tree/tree.ts'

/** Of each provider. */
const keeping: Keeping = { keepMs: 90 * 24 * 60 * 60 * 1000, keepBytes: 256 * 1024 * 1024 }
/** Going through the folders costs a listing of each, so it is done once for so many vectors on average. */
const pruneEvery = 128
/** So many are asked for and kept before the next: an endpoint that fails half-way need not begin again. */
const atOnce = 64

/** One for each text. Throws what the provider throws. `keep`: how much, unless a test says otherwise. */
export async function cachedVectors(
  tree: Tree,
  embedder: Embedder,
  texts: readonly string[],
  keep = keeping,
): Promise<Float32Array[]> {
  const folder = childOf(cacheOf('embeddings'), nameOf(`${embedder.id}\n${embedder.version}\n${embedder.dim}`))
  const paths = texts.map((text) => childOf(folder, nameOf(text)))
  const vectors: (Float32Array | undefined)[] = []
  for (const path of paths) vectors.push(await readVector(tree, path, embedder.dim))
  // The same text is asked for once, however many messages say it.
  const placesOf = new Map<TreePath, number[]>()
  for (const [at, path] of paths.entries()) {
    if (vectors[at] !== undefined) continue
    const known = placesOf.get(path)
    if (known) known.push(at)
    else placesOf.set(path, [at])
  }
  const missing = [...placesOf]
  for (let start = 0; start < missing.length; start += atOnce) {
    const some = missing.slice(start, start + atOnce)
    const made = await embedder.embed(some.map(([, [first]]) => texts[first!]!))
    for (const [i, [path, places]] of some.entries()) {
      for (const at of places) vectors[at] = made[i]!
      await quietly(() => tree.create(path, bytesOf(made[i]!)))
    }
  }
  // By the names, which are as good as chance: many small additions come to it as a large one does.
  if (missing.some(([path]) => isPruning(path))) await pruneAll(tree, keep)
  return vectors as Float32Array[]
}

const isPruning = (path: TreePath): boolean => Number.parseInt(path.slice(-4), 16) % pruneEvery === 0

/** Those of providers that are not asked any more, too. */
async function pruneAll(tree: Tree, keep: Keeping): Promise<void> {
  for (const { name, kind } of (await quietly(() => tree.list(cacheOf('embeddings')))) ?? [])
    if (kind === 'folder' && isSegment(name))
      await quietly(() => prune(tree, childOf(cacheOf('embeddings'), name), keep))
}

const nameOf = (text: string): string => hash('sha256', text, 'hex').slice(0, 40)

/** Anything else than so many finite numbers was not written by us, and is made again in memory. */
async function readVector(tree: Tree, path: TreePath, dim: number): Promise<Float32Array | undefined> {
  const leaf = await quietly(() => tree.read(path, { atMost: dim * 4 + 1 }))
  if (leaf?.bytes.length !== dim * 4) return undefined
  const view = new DataView(leaf.bytes.buffer, leaf.bytes.byteOffset, leaf.bytes.length)
  const vector = Float32Array.from({ length: dim }, (_, i) => view.getFloat32(i * 4, true))
  return vector.every(Number.isFinite) ? vector : undefined
}

function bytesOf(vector: Float32Array): Uint8Array {
  const bytes = new Uint8Array(vector.length * 4)
  const view = new DataView(bytes.buffer)
  for (const [i, number] of vector.entries()) view.setFloat32(i * 4, number, true)
  return bytes
}

/** A cache that cannot be read or written is none: a full disk must not stop a search. */
async function quietly<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SignalboxError) return undefined
    throw error
  }
}
