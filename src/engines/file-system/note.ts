/**
 * What a note about a move says. Notes are input from strangers, as messages are: a cloned repository can bring some along.
 * One that names anything but a leaf, its own private file and its own draft is none. Pure.
 */
import { nameOf, type TreePath, treeRoot } from '../../kernel/tree-path.ts'
import type { HolderId } from './holder.ts'
import { draftFolder, leafPath } from './own-paths.ts'

export interface Intent {
  /** Names the private file beside `from`, and the draft with the new bytes. */
  readonly operation: string
  readonly from: TreePath
  readonly to: TreePath
  /** Where the draft is; absent when the leaf moves unchanged. */
  readonly draft?: TreePath
  /** The file that was to be moved, and how many names it had before: both tell how far the move came. */
  readonly file: number
  readonly links: number
}

/** Paths have at most 2048 bytes, and a note holds three of them. The folders that are used follow after so much room. */
export const foldersAt = 16 * 1024
export const mostFolders = 64
export const largestNote = 256 * 1024

/** `.own-` and the operation before the name of the leaf; file systems take no more than 255 bytes of a name. */
export const ownPrefix = '.own-'
export const ownName = (operation: string, name: string): string => `${ownPrefix}${operation}-${name}`
const longestName = 255

/** What a crossed-out note begins with. */
export const crossedOut = '-'

// The line end is what makes the note valid: without it the move had not begun.
export const printNote = (intent: Intent): string => `${JSON.stringify(intent)}\n`

/** `idle`: nothing was going on. `strange`: no process of ours has written this. Keys that we do not know are left out. */
export function parseNote(text: string, holder: HolderId): Intent | 'idle' | 'strange' {
  if (text === '' || text.startsWith(crossedOut)) return 'idle'
  if (!text.startsWith('{')) return 'strange'
  const end = text.indexOf('\n')
  if (end < 0) return 'idle'
  let value: unknown
  try {
    value = JSON.parse(text.slice(0, end))
  } catch {
    // Overwritten half-way by a crash: the move it was about to note had not begun.
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
  // Not every file system numbers its files so that a double holds them exactly.
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
