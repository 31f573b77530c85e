/** Trees as a process sees them that is killed, or held up, before one of its changes: within the process of the test. */
import { afterEach } from 'vitest'
import { systemClock } from '../../src/kernel/clock.ts'
import { childOf, type TreePath } from '../../src/kernel/tree-path.ts'
import type { Tree } from '../../src/tree/tree.ts'
import type { EnginePlace } from '../conformance/every-engine.ts'

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

/** Opens the tree of one place as another process would; closed after each test. */
export type Opener = () => Promise<Tree>

/** For suites on every engine: each call gives an opener for a new and empty place. */
export function openers(prepare: () => Promise<EnginePlace>): () => Promise<Opener> {
  const opened: Tree[] = []
  afterEach(async () => {
    for (const tree of opened.splice(0)) await tree.close()
  })
  return async () => {
    const place = await prepare()
    return async () => {
      const tree = await place.open(systemClock)
      opened.push(tree)
      return tree
    }
  }
}

/** What one process does, and what must hold afterwards, whatever becomes of it. */
export interface Trial<T> {
  /** Prepares a new and empty place. */
  before?(tree: Tree): Promise<unknown>
  work(tree: Tree): Promise<T>
}

/** The process is killed before its first change, then before its second, and so on, each time in a new place. */
export async function killedBeforeEach<T>(
  place: () => Promise<Opener>,
  trial: Trial<T> & {
    /** As another process sees it. `when`: for messages of failed expectations. */
    after(tree: Tree, when: string, isWhole: boolean): Promise<unknown>
  },
): Promise<void> {
  for (let lives = 0, isWhole = false; !isWhole; lives++) {
    const open = await place()
    await trial.before?.(await open())
    isWhole = await survives(trial.work(mortal(await open(), lives)))
    await trial.after(await open(), `killed before change ${lives}`, isWhole)
  }
}

/** The process is held before its first change while another acts, then before its second, and so on. */
export async function heldBeforeEach<T, U>(
  place: () => Promise<Opener>,
  trial: Trial<T> & {
    meanwhile(tree: Tree): Promise<U>
    after(tree: Tree, when: string, done: { readonly held: T; readonly other: U }): Promise<unknown>
  },
): Promise<void> {
  for (let at = 0, isOver = false; !isOver; at++) {
    const open = await place()
    await trial.before?.(await open())
    const [reached, goOn] = [gate(), gate()]
    const slow = stoppedAt(await open(), async (change) => {
      if (change !== at) return
      reached.open()
      await goOn.opened
    })
    const working = trial.work(slow)
    isOver = await Promise.race([reached.opened.then(() => false), working.then(() => true)])
    const other = await trial.meanwhile(await open())
    goOn.open()
    await trial.after(await open(), `held before change ${at}`, { held: await working, other })
  }
}

export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

/** The names in a folder, as of now. */
export const namesIn = async (tree: Tree, folder: TreePath): Promise<string[]> =>
  (await tree.list(folder, { fresh: true })).map(({ name }) => name)

/** What the leaves of a folder say, as of now. */
export async function textsIn(tree: Tree, folder: TreePath): Promise<string[]> {
  const texts: string[] = []
  for (const name of await namesIn(tree, folder))
    texts.push(textOf((await tree.read(childOf(folder, name), { fresh: true }))!.bytes))
  return texts
}
