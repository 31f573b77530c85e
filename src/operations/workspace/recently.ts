/**
 * What a command found out and the next one should know for a while: that something happened, and when. Disposable, and for
 * this machine alone: an endpoint that does not answer here may answer another machine.
 */
import { hash } from 'node:crypto'
import { hostname } from 'node:os'
import { childOf, type TreePath } from '../../kernel/tree-path.ts'
import { unlessFailed } from '../../messaging/leaves/tolerant.ts'
import { cacheOf } from '../../tree/home.ts'
import type { Tree } from '../../tree/tree.ts'

export interface Recently {
  /** How long ago it happened, in milliseconds; `undefined` when it was not noted. */
  age(what: string): Promise<number | undefined>
  /** Notes that it happened just now. */
  note(what: string): Promise<void>
}

/** A note that cannot be read or written is none. */
export const recently = (tree: () => Promise<Tree>): Recently => ({
  age: (what) => unlessFailed(ageOf(tree, what)),
  note: async (what) => {
    await unlessFailed(noteNow(tree, what))
  },
})

/** How far a note may lie in the future, in milliseconds; beyond that its time is wrong. */
const tolerated = 2000

async function ageOf(open: () => Promise<Tree>, what: string): Promise<number | undefined> {
  const tree = await open()
  const found = await tree.look(pathOf(what))
  const age = found?.kind === 'leaf' ? (await tree.now()) - found.modifiedAt : undefined
  return age !== undefined && age >= -tolerated ? Math.max(0, age) : undefined
}

async function noteNow(open: () => Promise<Tree>, what: string): Promise<void> {
  const tree = await open()
  if ((await tree.create(pathOf(what), '')).outcome !== 'created') await tree.touch(pathOf(what))
}

const pathOf = (what: string): TreePath =>
  childOf(cacheOf('recently'), hash('sha256', `${hostname()}\n${what}`, 'hex').slice(0, 32))
