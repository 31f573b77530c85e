/** One leaf of a cache in `.signalbox/cache/`: read if it is there, replaced as a whole. Where that fails, work goes on without it. */
import { parentOf, type TreePath } from '../../kernel/tree-path.ts'
import type { Tree } from '../../tree/tree.ts'
import { prune } from '../leaves/keep.ts'
import { unlessFailed } from '../leaves/tolerant.ts'

const mostBytes = 128 * 1024 * 1024
const keeping = { keepMs: 90 * 24 * 60 * 60 * 1000, keepBytes: 4 * mostBytes }

/** Of fewer texts everything is read and compared again as quickly. */
const worthKeeping = 500
/** Writing the cache costs about what so much of it costs to find out again. */
const worthSaving = 0.04

/** `unsaved`: how much another process would have to work out again. */
export const isWorthWriting = (size: number, unsaved: number): boolean =>
  size >= worthKeeping && unsaved > size * worthSaving

export async function readCacheFile(tree: Tree, path: TreePath): Promise<Uint8Array | undefined> {
  const leaf = await unlessFailed(tree.read(path, { atMost: mostBytes + 1 }))
  return leaf && leaf.size <= mostBytes ? leaf.bytes : undefined
}

/** When two processes write at once, the second one gives up: the first has written the same. */
export async function writeCacheFile(tree: Tree, path: TreePath, bytes: Uint8Array): Promise<void> {
  if (bytes.length > mostBytes) return
  const write = async () => {
    await tree.remove(path, { atMost: 0 })
    await tree.create(path, bytes)
    await prune(tree, parentOf(path), keeping)
  }
  await unlessFailed(write())
}
