/** How a leaf begins that is not what it should be, for a person who has to see what was meant. */
import { isoTime } from '../../kernel/clock.ts'
import type { TreePath } from '../../kernel/tree-path.ts'
import type { Tree } from '../../tree/tree.ts'
import { isOddEntry } from '../inspection/expected.ts'
import { isUnread, readOrSayWhy } from '../leaves/readable.ts'

export interface Beginning {
  readonly path: TreePath
  /** Since when it has been there. */
  readonly since: string
  readonly text: string
  /** Names what it says, as far as it was read. */
  readonly digest: string
}

const mostRead = 64 * 1024
const mostShown = 2000

/** `undefined` when it is gone, or is no leaf. Of one that this user may not read, nothing is shown. */
export async function beginningAt(tree: Tree, path: TreePath): Promise<Beginning | undefined> {
  try {
    const entry = await tree.look(path)
    const read = entry && (await readOrSayWhy(tree, path, { most: Number.MAX_SAFE_INTEGER, atMost: mostRead }))
    if (!entry || !read) return undefined
    const bytes = Buffer.from(isUnread(read) ? [] : read.bytes)
    const text = bytes.toString('utf8')
    const shown = text.length > mostShown ? `${text.slice(0, mostShown).toWellFormed()}…` : text
    const { hash } = process.getBuiltinModule('node:crypto')
    const digest = hash('sha256', `${entry.size} ${bytes.toString('latin1')}`, 'hex').slice(0, 32)
    return { path, since: isoTime(entry.changedAt), text: shown, digest }
  } catch (error) {
    // A folder or link in its place: `doctor` tells of it.
    if (isOddEntry(error)) return undefined
    throw error
  }
}
