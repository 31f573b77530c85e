/**
 * Does something again and again until the signal of the call: what all operations that go on have in common. A round is
 * followed by a rest, which `ring` ends early.
 */
import { SignalboxError } from '../kernel/errors.ts'
import type { TreePath } from '../kernel/tree-path.ts'
import type { Context } from './define.ts'

/** In milliseconds. `most` may be left out: then only a ring ends the rest. */
interface Rest {
  readonly least: number
  readonly most?: number
}

/** In milliseconds. */
const shortestRest = 1000
/** After a round, rest this many times as long as it worked: rounds take only a small part of the time. */
const restFactor = 20

/** The shortest rest after a round that took `workedMs` of processor time. */
export const restFor = (workedMs: number, longestMs: number): number =>
  Math.min(Math.max(shortestRest, workedMs * restFactor), longestMs)

/**
 * For how long this process has worked, in milliseconds. Waiting is not work: a round that waited for a model, a slow disk or
 * the turn of another process must not keep the next one from being in time.
 */
export function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** What happened in a round, and how long to rest after it. */
interface Round<Happening> extends Rest {
  readonly happened?: readonly Happening[]
}

export class Rounds {
  readonly #context: Pick<Context, 'report' | 'signal'>
  #isRung = false
  #wake: () => void = () => {}

  constructor(context: Pick<Context, 'report' | 'signal'>) {
    this.#context = context
    context.signal?.addEventListener('abort', () => this.#wake())
  }

  get #isStopped(): boolean {
    return this.#context.signal?.aborted === true
  }

  /** Ends the rest early, but not before its shortest time. */
  ring(): void {
    this.#isRung = true
    this.#wake()
  }

  /** Gives what happened in each round. */
  async *repeat<Happening>(round: () => Promise<Round<Happening>>): AsyncGenerator<Happening, void> {
    while (!this.#isStopped) {
      const { least, most = Number.POSITIVE_INFINITY, happened = [] } = await round()
      yield* happened
      await this.#sleep(least, () => false)
      await this.#sleep(most - least, () => this.#isRung)
      this.#isRung = false
    }
  }

  /** What `work` answers, or `undefined` if a disk is full or a cluster silent for a while. Any other error is thrown. */
  async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof SignalboxError) || error.kind !== 'Unavailable') throw error
      this.#context.report.tell({ as: 'step', text: `${error.message} Trying again.` })
      return undefined
    }
  }

  async #sleep(milliseconds: number, isOver: () => boolean): Promise<void> {
    const until = performance.now() + milliseconds
    for (let left = milliseconds; left > 0 && !this.#isStopped && !isOver(); left = until - performance.now()) {
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        timer = setTimeout(resolve, Math.min(left, longestTimer))
      })
      clearTimeout(timer)
    }
  }
}

/** Timers of more milliseconds than this end at once. */
const longestTimer = 2 ** 31 - 1

/** It may go on for months. In the end it lists at most so much of what it did. */
const mostRemembered = 1000

export const lastOf = <T>(before: readonly T[], now: readonly T[]): T[] => [...before, ...now].slice(-mostRemembered)

type Watched = Awaited<ReturnType<Context['tree']>>

/** The folders that are watched, which may be others after each round. */
export class Watches {
  readonly #tree: Watched
  readonly #onChange: () => void
  readonly #open = new Map<TreePath, ReturnType<Watched['watch']>>()

  constructor(tree: Watched, onChange: () => void) {
    this.#tree = tree
    this.#onChange = onChange
  }

  /** Watches these and no others. */
  keep(folders: readonly TreePath[]): void {
    for (const folder of folders) {
      if (!this.#open.has(folder)) this.#open.set(folder, this.#tree.watch(folder, this.#onChange))
    }
    for (const [folder, watching] of this.#open) {
      if (folders.includes(folder)) continue
      watching.close()
      this.#open.delete(folder)
    }
  }
}
