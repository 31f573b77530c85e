/** Wakes waiting processes by a leaf in a folder where nothing else happens, so that nothing else wakes them. */
import { SignalboxError } from '../../kernel/errors.ts'
import { childOf, type TreePath } from '../../kernel/tree-path.ts'
import type { Tree } from '../../tree/tree.ts'

const name = 'bell'

export async function ring(tree: Tree, folder: TreePath): Promise<void> {
  const path = childOf(folder, name)
  try {
    if ((await tree.touch(path)).outcome === 'gone') await tree.create(path, '')
  } catch (error) {
    // Another process made it anew in this very instant, which rings as well.
    if (!(error instanceof SignalboxError && error.code === 'NAME_TAKEN')) throw error
  }
}

/**
 * How long a wake-up may be lost, in milliseconds: the system loses events when thousands come at once, and a folder may
 * be replaced. Neither happens to a folder that only bells ring in, so a process that waits for hours is rarely woken.
 */
const longestBlindness = 30_000

export interface Listening {
  /**
   * Resolves when the bell has rung, when it is time to `look` because a ring may have been lost, when `dueInMs` have passed, or
   * when `signal` ended it.
   */
  next(dueInMs: number): Promise<'rung' | 'look' | 'due'>
  close(): void
}

export interface ListenOptions {
  readonly signal?: AbortSignal | undefined
  /** The caller finds out by itself in good time whether the bell has rung, and need not be told to look. */
  readonly looksByItself?: boolean
}

/** Listens from now on. A ring between two calls of `next` ends the second one at once. */
export async function listen(
  tree: Tree,
  folder: TreePath,
  { signal, looksByItself = false }: ListenOptions = {},
): Promise<Listening> {
  // A folder that is not there yet cannot be watched, and its first ring would be heard late.
  await tree.makeFolder(folder)
  const blindness = looksByItself ? Number.POSITIVE_INFINITY : longestBlindness
  let rung = false
  let wake = () => {}
  let lookAt = performance.now() + blindness
  const watching = tree.watch(
    folder,
    () => {
      rung = true
      wake()
    },
    { quiet: true },
  )
  const stop = () => wake()
  signal?.addEventListener('abort', stop)
  return {
    async next(dueInMs) {
      // Rounded up: waking a fraction of a millisecond too early would need a second wake-up.
      const inMs = Math.ceil(Math.min(dueInMs, lookAt - performance.now(), 2 ** 31 - 1))
      if (!rung && !signal?.aborted && inMs > 0) {
        let timer: NodeJS.Timeout | undefined
        await new Promise<void>((resolve) => {
          wake = resolve
          timer = setTimeout(resolve, inMs)
        })
        clearTimeout(timer)
        wake = () => {}
      }
      const why = rung ? 'rung' : performance.now() >= lookAt ? 'look' : 'due'
      rung = false
      if (why !== 'due') lookAt = performance.now() + blindness
      return why
    },
    close() {
      signal?.removeEventListener('abort', stop)
      watching.close()
    },
  }
}
