/** A tree each of whose verbs is a transaction of its own, on engines that have some. */
import type { Tree } from '../../src/tree/tree.ts'

const verbs: ReadonlySet<string> = new Set([
  ...['now', 'read', 'list', 'look', 'create', 'replace', 'touch', 'append', 'move', 'remove', 'makeFolder'],
  ...['lease', 'release', 'leases'],
])

let turns = 0

export function transacted(tree: Tree): Tree {
  return new Proxy(tree, {
    get(target, key) {
      const found: unknown = Reflect.get(target, key)
      if (typeof found !== 'function') return found
      if (!verbs.has(String(key))) return found.bind(target)
      return (...words: unknown[]) =>
        target.exclusively(`verb ${++turns}`, () => Reflect.apply(found, target, words), { mayRepeat: true })
    },
  })
}
