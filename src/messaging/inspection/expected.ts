/**
 * Checks what kind of entry is at a path. Before a message is taken, everything that is written afterwards is checked: a
 * folder, link or pipe in place of a file would otherwise fail when the message has already left its place.
 */
import { corrupt, SignalboxError } from '../../kernel/errors.ts'
import { childOf, type TreePath } from '../../kernel/tree-path.ts'
import { type Entry, type Finding, finding, type Tree } from '../../tree/tree.ts'
import { isOddEntry } from '../leaves/tolerant.ts'

export type ExpectedKind = 'leaf' | 'folder'

export interface Odd {
  readonly path: TreePath
  readonly kind: Entry['kind']
  readonly expected: ExpectedKind
}

/** The entries of a folder whose kind is not the one in the table. Missing ones are fine. */
export const oddAmong = (
  folder: TreePath,
  entries: readonly Entry[],
  expectedOf: (name: string) => ExpectedKind | undefined,
): Odd[] =>
  entries.flatMap(({ name, kind }) => {
    const expected = expectedOf(name)
    return expected === undefined || kind === expected ? [] : [{ path: childOf(folder, name), kind, expected }]
  })

/** Throws if something of another kind is at one of these paths. */
export async function expectKind(tree: Tree, expected: ExpectedKind, paths: Iterable<TreePath>): Promise<void> {
  if (!tree.isOpenToOthers) return
  for (const path of paths) {
    const kind = (await tree.look(path))?.kind
    if (kind !== undefined && kind !== expected) throw oddEntry(tree, { path, kind, expected })
  }
}

export const oddEntry = (tree: Tree, odd: Odd): SignalboxError =>
  corrupt(codeOf(odd), `${tree.place}/${odd.path} is ${nounOf(odd)}. Nothing was taken or moved.`, {
    hint: hintOf(odd),
    details: { path: odd.path },
  })

/** The same as a finding for `doctor`. */
export const oddFinding = (odd: Odd): Finding =>
  finding('error', codeOf(odd), odd.path, `This is ${nounOf(odd)}.`, hintOf(odd))

const codeOf = ({ expected }: Odd): string => (expected === 'leaf' ? 'NOT_A_LEAF' : 'NOT_A_FOLDER')

const nounOf = ({ kind, expected }: Odd): string => {
  const found = kind === 'leaf' ? 'a file' : kind === 'folder' ? 'a folder' : 'a link, pipe, socket or device'
  return `${found} where ${expected === 'leaf' ? 'a file' : 'a folder'} is expected`
}

const hintOf = ({ expected }: Odd): string =>
  `Move it away; ${expected === 'leaf' ? 'the file' : 'the folder'} is made again when it is needed.`

/** True for errors of an engine because this user may not read or write something. */
const isClosed = (error: unknown): error is SignalboxError =>
  error instanceof SignalboxError && ['PERMISSION_DENIED', 'READ_ONLY_DISK'].includes(error.code)

/** Runs a search for findings. What stops it, an entry of the wrong kind or a missing right, becomes a finding itself. */
export async function findingsOf(path: string, look: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await look()
  } catch (error) {
    if (!isOddEntry(error) && !isClosed(error)) throw error
    return [finding('error', error.code, path, error.message, error.hint ?? '')]
  }
}
