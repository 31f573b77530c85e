/**
 * What should stand where. Whoever takes a message looks first whether everything that is written afterwards can be: a
 * folder, a link or a pipe in place of a file would otherwise be met when the message is already gone from its reader.
 */
import { corrupt, SignalboxError } from '../kernel/errors.ts'
import { childOf, type TreePath } from '../kernel/tree-path.ts'
import type { Entry, Finding, Tree } from './tree.ts'

export type ExpectedKind = 'leaf' | 'folder'

/** Something that stands in the place of something else. */
export interface Odd {
  readonly path: TreePath
  readonly kind: Entry['kind']
  readonly expected: ExpectedKind
}

/** The entries of a folder that are not what the table says of their names. What is missing is in order. */
export const oddAmong = (
  folder: TreePath,
  entries: readonly Entry[],
  expectedOf: (name: string) => ExpectedKind | undefined,
): Odd[] =>
  entries.flatMap(({ name, kind }) => {
    const expected = expectedOf(name)
    return expected === undefined || kind === expected ? [] : [{ path: childOf(folder, name), kind, expected }]
  })

/** Throws when one of these paths is taken by something else. */
export async function expectKind(tree: Tree, expected: ExpectedKind, paths: Iterable<TreePath>): Promise<void> {
  // In a cluster there are no links and pipes, and every look is a request.
  if (tree.first) return
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

/** The same for `doctor`. */
export const oddFinding = (odd: Odd): Finding => ({
  code: codeOf(odd),
  severity: 'error',
  path: odd.path,
  message: `This is ${nounOf(odd)}.`,
  hint: hintOf(odd),
  repaired: false,
})

const codeOf = ({ expected }: Odd): string => (expected === 'leaf' ? 'NOT_A_LEAF' : 'NOT_A_FOLDER')

const nounOf = ({ kind, expected }: Odd): string => {
  const found = kind === 'leaf' ? 'a file' : kind === 'folder' ? 'a folder' : 'a link, pipe, socket or device'
  return `${found} where ${expected === 'leaf' ? 'a file' : 'a folder'} is expected`
}

const hintOf = ({ expected }: Odd): string =>
  `Move it away; ${expected === 'leaf' ? 'the file' : 'the folder'} is made again when it is needed.`

/** True for the errors of the engine that mean the same: something stands where something else should be. */
export const isOddEntry = (error: unknown): error is SignalboxError =>
  error instanceof SignalboxError && ['NOT_A_LEAF', 'NOT_A_FOLDER', 'LINK_REFUSED'].includes(error.code)

/** Looks for findings, and takes what is in the way of looking for one. */
export async function findingsOf(path: string, look: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await look()
  } catch (error) {
    if (!isOddEntry(error)) throw error
    return [
      { code: error.code, severity: 'error', path, message: error.message, hint: error.hint ?? '', repaired: false },
    ]
  }
}
