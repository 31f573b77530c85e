import { childOf, type TreePath } from '../../kernel/tree-path.ts'
import { isReserved } from '../../tree/home.ts'
import type { Tree } from '../../tree/tree.ts'

/** Every leaf at or below a folder, by path. */
export async function filesBelow(tree: Tree, folder: TreePath): Promise<TreePath[]> {
  const found: TreePath[] = []
  for (const entry of await tree.list(folder)) {
    const path = childOf(folder, entry.name)
    if (isReserved(path)) continue
    if (entry.kind === 'folder') found.push(...(await filesBelow(tree, path)))
    else if (entry.kind === 'leaf') found.push(path)
  }
  return found
}
