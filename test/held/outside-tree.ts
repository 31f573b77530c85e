/** A stranger where there are no files: uses the simplest verbs of the tree, each as one step. */
import { childOf, type TreePath, treePath, treeRoot } from '../../src/kernel/tree-path.ts'
import type { Tree } from '../../src/tree/tree.ts'
import type { FoundFile, Outside } from './outside.ts'

export class OutsideTree implements Outside {
  readonly #tree: Tree

  constructor(tree: Tree) {
    this.#tree = tree
  }

  async files(): Promise<FoundFile[]> {
    return this.#under(treeRoot)
  }

  async write(path: string, text: string): Promise<void> {
    const leaf = await this.#tree.read(treePath(path))
    if (leaf) await this.#tree.replace(treePath(path), Buffer.from(text), leaf.revision)
    else await this.#tree.create(treePath(path), text)
  }

  async move(from: string, to: string): Promise<boolean> {
    return (await this.#tree.move(treePath(from), treePath(to))).outcome === 'moved'
  }

  async remove(path: string): Promise<boolean> {
    return (await this.#tree.remove(treePath(path))).outcome === 'removed'
  }

  async #under(folder: TreePath): Promise<FoundFile[]> {
    const found: FoundFile[] = []
    for (const { name, kind } of await this.#tree.list(folder)) {
      const path = childOf(folder, name)
      if (path === '.signalbox/engine') continue
      const leaf = kind === 'leaf' ? await this.#tree.read(path) : undefined
      if (leaf) found.push({ path, text: Buffer.from(leaf.bytes).toString('utf8'), modifiedAt: leaf.modifiedAt })
      if (kind === 'folder') found.push(...(await this.#under(path)))
    }
    return found
  }
}
