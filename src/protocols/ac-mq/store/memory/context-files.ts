/** The files of `context/` as `organize` reads them. */
import { isUtf8 } from 'node:buffer'
import { SignalboxError } from '../../../../kernel/errors.ts'
import type { TreePath } from '../../../../kernel/tree-path.ts'
import type { Tree } from '../../../../tree/tree.ts'
import type { ContextFile } from '../../memory/clusters.ts'
import { digestOf, longestCompared } from './aliases.ts'

export const readme = 'README.md'
const mostRead = 64 * 1024

export interface ReadFile extends ContextFile {
  readonly digest: string
  readonly size: number
}

/** `undefined` for what is no text, or too large to be one. */
export async function readText(tree: Tree, path: TreePath): Promise<Omit<ReadFile, 'name'> | undefined> {
  try {
    const leaf = await tree.read(path, { atMost: longestCompared })
    if (!leaf || leaf.size > longestCompared || leaf.bytes.includes(0) || !isUtf8(leaf.bytes)) return undefined
    const text = Buffer.from(leaf.bytes.subarray(0, mostRead)).toString('utf8')
    return { text, digest: digestOf(leaf.bytes), size: leaf.size }
  } catch (error) {
    if (error instanceof SignalboxError && error.kind !== 'Unavailable') return undefined
    throw error
  }
}
