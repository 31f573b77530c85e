/** Trees as a process sees them that is killed, or held up, before one of its changes: within the process of the test. */
import type { Tree } from '../../src/tree/tree.ts'

const changing: ReadonlySet<string> = new Set([
  'create',
  'replace',
  'touch',
  'append',
  'move',
  'remove',
  'lease',
  'release',
])

export class KilledHere extends Error {}

/** Calls `before` with the number of each change, from 0, and waits for it. What it throws ends the call. */
export function stoppedAt(tree: Tree, before: (change: number) => unknown): Tree {
  let changes = 0
  return new Proxy(tree, {
    get(target, key) {
      const found: unknown = Reflect.get(target, key)
      if (typeof found !== 'function') return found
      if (!changing.has(String(key))) return found.bind(target)
      return async (...words: unknown[]) => {
        await before(changes++)
        return Reflect.apply(found, target, words)
      }
    },
  })
}

/** Dies before change `lives`. */
export const mortal = (tree: Tree, lives: number): Tree =>
  stoppedAt(tree, (change) => {
    if (change >= lives) throw new KilledHere()
  })

/** True when `work` was done, false when it was killed on the way. */
export const survives = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    (error: unknown) => {
      if (error instanceof KilledHere) return false
      throw error
    },
  )

/** Something to wait for. */
export function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}
