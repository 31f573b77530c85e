/**
 * Waiting for a change: in folders and with a bound (`waitFor`), for a bell that rings only for waiters (`listen`), or in
 * a line, where a process counts as long as it lives (`Waiters`). An `AbortSignal` ends each of them: a caller that went away
 * has claimed nothing.
 */
import type { TreePath } from '../../kernel/tree-path.ts'
import type { Tree } from '../../tree/tree.ts'

export { type Listening, type ListenOptions, listen, ring } from './bell.ts'
export { type Waiter, type WaiterPlace, Waiters, waiterBeat, waiterLease } from './waiters.ts'

interface WaitOptions<T> {
  readonly waitMs: number
  /** Ends the wait early, as if the time were up. Once it has ended, `attempt` is not called any more. */
  readonly signal?: AbortSignal | undefined
  /** For an attempt that claims: if the caller has gone meanwhile, gives back what was claimed, and `undefined` is the answer. */
  readonly giveBack?: (found: T) => Promise<unknown>
}

/** The one leaf that has changed since the last call of `attempt`. */
export interface News {
  readonly folder: TreePath
  readonly name: string
}

/**
 * Calls `attempt`, and again whenever something may have changed in one of the folders, until it finds something or the time
 * is up. The watch begins before the first call, so no change is missed in between. If only one leaf is known to have
 * changed, `attempt` is told which.
 */
export async function waitFor<T>(
  tree: Tree,
  folders: readonly TreePath[],
  attempt: (news: News | undefined) => Promise<T | undefined>,
  { waitMs, signal, giveBack }: WaitOptions<T>,
): Promise<T | undefined> {
  if (signal?.aborted) return undefined
  let wake: () => void = () => {}
  let news: News | 'much' | undefined = 'much'
  const deadline = performance.now() + waitMs
  const watching = folders.map((folder) =>
    tree.watch(folder, (name) => {
      const isFirst = news === undefined && name !== undefined
      news = isFirst ? { folder, name } : 'much'
      wake()
    }),
  )
  const stop = () => wake()
  signal?.addEventListener('abort', stop)
  try {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      const known = news === 'much' ? undefined : news
      news = undefined
      const found = await attempt(known)
      if (found !== undefined && signal?.aborted && giveBack) {
        await giveBack(found)
        return undefined
      }
      const left = deadline - performance.now()
      if (found !== undefined || left <= 0 || signal?.aborted) return found
      // The longest time that a timer takes; the loop starts another one.
      const timer = setTimeout(() => wake(), Math.min(left, longestTimer))
      await woken
      clearTimeout(timer)
      if (signal?.aborted) return undefined
    }
  } finally {
    signal?.removeEventListener('abort', stop)
    // Close the watches later, so that the caller gets the message first.
    setImmediate(() => {
      for (const one of watching) one.close()
    })
  }
}

const longestTimer = 2 ** 31 - 1
