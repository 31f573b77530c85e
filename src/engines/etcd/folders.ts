/** Folders: etcd has none, so each is a key in its parent and a stamp of its own. They are made and never removed. */
import { corrupt } from '../../kernel/errors.ts'
import { parentOf, type TreePath, treeRoot } from '../../kernel/tree-path.ts'
import type { Write } from './commit.ts'
import { weightOfARead } from './folder-indexes.ts'
import type { Parts } from './parts.ts'
import { foundBy, isAbsent, put, revisionOf } from './transaction.ts'
import { printValue } from './value.ts'

/** Makes a folder and those above it. May be repeated, so an answer that never comes does no harm. */
export async function makeFolder({ requests, keys, indexes, turn }: Parts, path: TreePath, now: number): Promise<void> {
  const value = printValue({ modifiedAt: now, changedAt: now, by: 'folder' })
  const stampOf = (folder: TreePath): Write => ({ key: keys.stamp(folder), value, folder })
  const chain = chainTo(path)
  for (;;) {
    const isThere = await requests.areThere([
      ...chain.map((folder) => keys.stamp(folder)),
      ...chain.map((folder) => keys.leaf(folder)),
    ])
    const missing = chain.filter((_, i) => !isThere[i])
    if (missing.length === 0) return
    const leaf = chain.find((folder, i) => folder !== treeRoot && isThere[chain.length + i])
    if (leaf !== undefined) throw notAFolder(leaf)
    const below = missing.filter((folder) => folder !== treeRoot)
    const writes = [
      ...missing.map(stampOf),
      ...below.map((folder) => ({ key: keys.folder(folder), value, folder: parentOf(folder) })),
      // The folder above got a new name in it, so its stamp must change.
      ...(missing[0] === treeRoot ? [] : [stampOf(parentOf(missing[0]!))]),
    ]
    const fence = turn.fence
    const made = await requests.write({
      compare: [
        ...fence.compare,
        ...missing.map((folder) => isAbsent(keys.stamp(folder))),
        ...below.map((folder) => isAbsent(keys.leaf(folder))),
      ],
      success: writes.map(({ key }) => put(key, value)),
      failure: fence.otherwise,
    })
    if (made && !made.succeeded) turn.expectHeld(foundBy(made)[0])
    if (!made?.succeeded) continue
    for (const write of writes) indexes.take(write, revisionOf(made.header))
    return
  }
}

/** Throws if the path is a leaf. A folder that is missing is an empty one. */
export async function expectNoLeaf(
  { requests, keys, indexes }: Parts,
  path: TreePath,
  isFresh: boolean,
): Promise<void> {
  if (path === treeRoot) return
  const key = keys.leaf(path)
  const around = isFresh ? undefined : await indexes.current(parentOf(path), weightOfARead)
  if (around ? around.at(key) : (await requests.get([key]))[0]) throw notAFolder(path)
}

/** The root, and every folder from there down to the path. */
function chainTo(path: TreePath): TreePath[] {
  const chain: TreePath[] = [path]
  for (let folder = path; folder !== treeRoot; ) chain.unshift((folder = parentOf(folder)))
  return chain
}

const notAFolder = (path: TreePath) =>
  corrupt('NOT_A_FOLDER', `A part of the path is a leaf where a folder should be: ${path}.`, {
    hint: 'Move that leaf away, then repeat the command.',
  })
