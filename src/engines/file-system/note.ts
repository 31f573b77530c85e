/**
 * Reads and prints the note about a move. A note may be a stranger's, since a cloned repository can contain some: one that
 * names anything but a leaf, its own private file and its own draft is refused. Pure.
 */
import { nameOf, type TreePath, treeRoot } from '../../kernel/tree-path.ts'
import type { HolderId } from './holder.ts'
import { draftFolder, leafPath, ownName } from './own-paths.ts'

export interface Intent {
  /** Part of the name of the private file beside `from`, and the name of the draft with the new bytes. */
  readonly operation: string
  readonly from: TreePath
  readonly to: TreePath
  /** Where the draft is; absent when the leaf moves unchanged. */
  readonly draft?: TreePath
  /** The inode of the file, and how many names it had before. Both tell how far the move came. */
  readonly file: number
  readonly links: number
}

/** Where the list of folders begins. A note has three paths of at most 2048 bytes before it. */
export const foldersAt = 16 * 1024
export const mostFolders = 64
export const largestNote = 256 * 1024

/** File systems take names of at most 255 bytes. */
const longestName = 255

/** What a crossed-out note begins with. */
export const crossedOut = '-'

// A note without its line end was not written to the end, so its move had not begun.
export const printNote = (intent: Intent): string => `${JSON.stringify(intent)}\n`

/** `idle`: no move was going on. `strange`: this is no note of ours. Unknown keys are left out. */
export function parseNote(text: string, holder: HolderId): Intent | 'idle' | 'strange' {
  if (text === '' || text.startsWith(crossedOut)) return 'idle'
  if (!text.startsWith('{')) return 'strange'
  const end = text.indexOf('\n')
  if (end < 0) return 'idle'
  let value: unknown
  try {
    value = JSON.parse(text.slice(0, end))
  } catch {
    // A crash cut it off while it was being written: the move had not begun.
    return 'idle'
  }
  return intentOf(value as Readonly<Record<string, unknown>>, holder) ?? 'strange'
}

/** One folder a line, the root as a dot; an empty line ends the list. */
export const printFolders = (folders: readonly TreePath[]): string =>
  `${folders.map((folder) => folder || '.').join('\n')}\n\n`

/** Lines that are no folders of leaves are left out. */
export const parseFolders = (text: string): TreePath[] =>
  text
    .slice(0, Math.max(0, text.indexOf('\n\n')))
    .split('\n', mostFolders)
    .flatMap((line) => (line === '.' ? treeRoot : (leafPath(line) ?? [])))

function intentOf(value: Readonly<Record<string, unknown>>, holder: HolderId): Intent | undefined {
  const { operation, file, links } = value
  const [from, to] = [leafPath(value.from), leafPath(value.to)]
  const draft = value.draft === undefined ? undefined : draftFolder(value.draft)
  // Some file systems have inode numbers that a double cannot hold exactly.
  const areCounts =
    Number.isInteger(file) && (file as number) >= 0 && Number.isSafeInteger(links) && (links as number) > 0
  if (!isOperationOf(operation, holder) || from === undefined || to === undefined || !areCounts) return undefined
  if (value.draft !== undefined && draft === undefined) return undefined
  if (Buffer.byteLength(ownName(operation, nameOf(from))) > longestName) return undefined
  return {
    operation,
    from,
    to,
    ...(draft === undefined ? {} : { draft }),
    file: file as number,
    links: links as number,
  }
}

const isOperationOf = (operation: unknown, holder: HolderId): operation is string =>
  typeof operation === 'string' &&
  operation.startsWith(`${holder}-`) &&
  /^[0-9a-z]{1,11}$/.test(operation.slice(holder.length + 1))
