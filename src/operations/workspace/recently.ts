/**
 * What a command found out and the next one should know for a while: that something happened, and when. Disposable, and of
 * this machine alone, since what does not answer one may answer another.
 */
import { hash } from 'node:crypto'
import { hostname } from 'node:os'
import { SignalboxError } from '../../kernel/errors.ts'
import { childOf, type TreePath } from '../../kernel/tree-path.ts'
import { cacheOf } from '../../tree/home.ts'
import type { Tree } from '../../tree/tree.ts'

export interface Recently {
  /** How long ago it happened, in milliseconds; `undefined` when nobody noted it. */
  age(what: string): Promise<number | undefined>
  /** It happened just now. */
  note(what: string): Promise<void>
}

export function recently(tree: () => Promise<Tree>): Recently {
  return {
    age: (what) =>
      quietly(async () => {
        const opened = await tree()
        const found = await opened.look(pathOf(what))
        const age = found?.kind === 'leaf' ? (await opened.now()) - found.modifiedAt : undefined
        // A time in the future is nobody's.
        return age !== undefined && age >= -tolerated ? Math.max(0, age) : undefined
      }),
    note: async (what) => {
      await quietly(async () => {
        const opened = await tree()
        const path = pathOf(what)
        if ((await opened.create(path, '')).outcome !== 'created') await opened.touch(path)
      })
    },
  }
}

/** In milliseconds. */
const tolerated = 2000

const pathOf = (what: string): TreePath =>
  childOf(cacheOf('recently'), hash('sha256', `${hostname()}\n${what}`, 'hex').slice(0, 32))

/** A note that cannot be read or written is none. */
async function quietly<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SignalboxError) return undefined
    throw error
  }
}
