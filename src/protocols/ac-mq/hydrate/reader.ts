/** Reads a file as text for an agent, or says why not. A file is read once. */
import { isUtf8 } from 'node:buffer'
import { bufferOf } from '../../../formats/front-matter.ts'
import { SignalboxError } from '../../../kernel/errors.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import type { Leaf, Tree } from '../../../tree/tree.ts'

export interface LeftOut {
  /** A path, or a pattern that matches nothing. Text of any author: print it escaped. */
  readonly path: string
  readonly reason: 'binary' | 'too-large' | 'over-budget' | 'outside' | 'missing' | 'not-a-file' | 'unreadable'
  readonly detail: string
}

export interface TextFile {
  readonly path: TreePath
  readonly text: string
  readonly bytes: number
}

export type TextReader = (path: TreePath) => Promise<TextFile | LeftOut>

export function textReader(tree: Tree, mostBytes: number): TextReader {
  const known = new Map<TreePath, TextFile | LeftOut>()
  return async (path) => {
    const read = known.get(path) ?? (await readNow(tree, path, mostBytes))
    known.set(path, read)
    return read
  }
}

async function readNow(tree: Tree, path: TreePath, mostBytes: number): Promise<TextFile | LeftOut> {
  let leaf: Leaf | undefined
  try {
    leaf = await tree.read(path, { atMost: mostBytes + 1 })
  } catch (error) {
    return leftOutBy(path, error)
  }
  if (!leaf) return { path, reason: 'missing', detail: 'there is no such file' }
  const { bytes, size } = leaf
  if (bytes.length > mostBytes) return { path, reason: 'too-large', detail: `${size} bytes; ${mostBytes} is the most` }
  if (bytes.includes(0) || !isUtf8(bytes)) return { path, reason: 'binary', detail: `${size} bytes, not UTF-8 text` }
  return { path, text: bufferOf(bytes).toString('utf8'), bytes: bytes.length }
}

export const overBudget = (path: string, detail: string): LeftOut => ({ path, reason: 'over-budget', detail })

export const isText = (file: TextFile | LeftOut): file is TextFile => 'text' in file

/** Reports an error that concerns one file alone; throws one that concerns the whole disk. */
export function leftOutBy(path: string, error: unknown): LeftOut {
  if (!(error instanceof SignalboxError) || error.kind === 'Unavailable') throw error
  if (error.code === 'LINK_REFUSED')
    return { path, reason: 'outside', detail: 'a link leads there; links are not followed' }
  if (error.code === 'NOT_A_LEAF') return { path, reason: 'not-a-file', detail: 'a folder, link, pipe or device' }
  if (error.code === 'NOT_A_FOLDER') return { path, reason: 'missing', detail: 'there is no such file' }
  return { path, reason: 'unreadable', detail: error.message }
}
