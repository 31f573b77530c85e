/**
 * Every changing verb of the tree as a small story: what is there before, what is done, and what may be there
 * afterwards if the process was killed, or the disk failed, at any step of it.
 */
import { type TreePath, treePath } from '../../src/kernel/tree-path.ts'
import type { Tree } from '../../src/tree/tree.ts'

export interface Story {
  readonly name: string
  before(tree: Tree): Promise<unknown>
  /** The one operation under test. Its promise resolving means that it was acknowledged. */
  act(tree: Tree): Promise<unknown>
  /** Each is one allowed picture of the folders under test: path → bytes. */
  readonly allowed: readonly Picture[]
  /** The only picture allowed once the operation was acknowledged. */
  readonly acknowledged: Picture
  /** An append may leave a fragment, which stays on a line of its own. */
  /** Where a look tells that it cannot be done, nothing is changed. */
  readonly mayOnlyLook?: true
  readonly mayLeaveFragment?: boolean
}

export type Picture = Readonly<Record<string, string>>

const at = treePath
const bytes = (text: string) => Buffer.from(text)
const pending = '---\nid: 1\nstatus: pending   \n---\nbody\n'
const processing = pending.replace('pending   ', 'processing')
const finished = `${pending.replace('pending   ', 'completed ')}\nA result that makes the message longer.\n`

/** The folders a picture is taken of. */
export const folders: readonly TreePath[] = ['a', 'b', 'b/new'].map(at)

const withMessage = (tree: Tree) => tree.create(at('a/m.md'), bytes(pending))
const both = async (tree: Tree) => {
  await withMessage(tree)
  await tree.create(at('b/m.md'), bytes('in the way'))
}

export const stories: readonly Story[] = [
  {
    name: 'create',
    before: (tree) => tree.makeFolder(at('a')),
    act: (tree) => tree.create(at('a/m.md'), bytes(pending)),
    allowed: [{}, { 'a/m.md': pending }],
    acknowledged: { 'a/m.md': pending },
  },
  {
    name: 'create in new folders',
    before: async () => undefined,
    act: (tree) => tree.create(at('b/new/m.md'), bytes(pending)),
    allowed: [{}, { 'b/new/m.md': pending }],
    acknowledged: { 'b/new/m.md': pending },
  },
  {
    name: 'create where one is',
    before: withMessage,
    act: (tree) => tree.create(at('a/m.md'), bytes('other')),
    allowed: [{ 'a/m.md': pending }],
    acknowledged: { 'a/m.md': pending },
  },
  {
    name: 'move',
    before: withMessage,
    act: (tree) => tree.move(at('a/m.md'), at('b/m.md')),
    allowed: [{ 'a/m.md': pending }, { 'b/m.md': pending }],
    acknowledged: { 'b/m.md': pending },
  },
  {
    name: 'move to where one is',
    before: both,
    act: (tree) => tree.move(at('a/m.md'), at('b/m.md')),
    allowed: [{ 'a/m.md': pending, 'b/m.md': 'in the way' }],
    acknowledged: { 'a/m.md': pending, 'b/m.md': 'in the way' },
  },
  {
    name: 'claim: move and status in place',
    before: withMessage,
    act: (tree) =>
      tree.move(at('a/m.md'), at('b/m.md'), {
        change: () => ({ at: 18, bytes: bytes('processing'), restates: true }),
      }),
    // What only restates the place may be there before or after it is true: the port allows both.
    allowed: [{ 'a/m.md': pending }, { 'a/m.md': processing }, { 'b/m.md': pending }, { 'b/m.md': processing }],
    acknowledged: { 'b/m.md': processing },
  },
  {
    name: 'move and rewrite',
    before: withMessage,
    act: (tree) => tree.move(at('a/m.md'), at('b/m.md'), { change: () => bytes(finished) }),
    allowed: [{ 'a/m.md': pending }, { 'b/m.md': finished }],
    acknowledged: { 'b/m.md': finished },
  },
  {
    name: 'move and rewrite to where one is',
    before: both,
    mayOnlyLook: true,
    act: (tree) => tree.move(at('a/m.md'), at('b/m.md'), { change: () => bytes(finished) }),
    allowed: [{ 'a/m.md': pending, 'b/m.md': 'in the way' }],
    acknowledged: { 'a/m.md': pending, 'b/m.md': 'in the way' },
  },
  {
    name: 'edit: move onto itself',
    before: withMessage,
    act: (tree) => tree.move(at('a/m.md'), at('a/m.md'), { change: () => bytes(finished) }),
    allowed: [{ 'a/m.md': pending }, { 'a/m.md': finished }],
    acknowledged: { 'a/m.md': finished },
  },
  {
    name: 'replace',
    before: withMessage,
    act: async (tree) => tree.replace(at('a/m.md'), bytes(finished), (await tree.read(at('a/m.md')))!.revision),
    allowed: [{ 'a/m.md': pending }, { 'a/m.md': finished }],
    acknowledged: { 'a/m.md': finished },
  },
  {
    name: 'append',
    before: (tree) => tree.append(at('a/log'), 'first'),
    act: (tree) => tree.append(at('a/log'), 'second'),
    allowed: [{ 'a/log': 'first\n' }, { 'a/log': 'first\nsecond\n' }],
    acknowledged: { 'a/log': 'first\nsecond\n' },
    mayLeaveFragment: true,
  },
  {
    name: 'touch',
    before: withMessage,
    act: (tree) => tree.touch(at('a/m.md')),
    allowed: [{ 'a/m.md': pending }],
    acknowledged: { 'a/m.md': pending },
  },
  {
    name: 'remove',
    before: withMessage,
    act: (tree) => tree.remove(at('a/m.md')),
    allowed: [{ 'a/m.md': pending }, {}],
    acknowledged: {},
  },
  {
    name: 'lease',
    before: withMessage,
    act: (tree) => tree.lease('job', 'me', 60_000),
    allowed: [{ 'a/m.md': pending }],
    acknowledged: { 'a/m.md': pending },
  },
  {
    name: 'release',
    before: async (tree) => {
      await withMessage(tree)
      await tree.lease('job', 'me', 60_000)
    },
    act: (tree) => tree.release('job', 'me'),
    allowed: [{ 'a/m.md': pending }],
    acknowledged: { 'a/m.md': pending },
  },
  {
    name: 'rewrite under a lease',
    before: async (tree) => {
      await withMessage(tree)
      await tree.lease('job', 'me', 60_000)
    },
    act: async (tree) => {
      const under = (await tree.leases())[0]!
      return tree.move(at('a/m.md'), at('b/m.md'), { under, change: () => bytes(finished) })
    },
    allowed: [{ 'a/m.md': pending }, { 'b/m.md': finished }],
    acknowledged: { 'b/m.md': finished },
  },
]

/** What the folders hold, as every reader sees it. */
export async function pictureOf(tree: Tree): Promise<Picture> {
  const picture: Record<string, string> = {}
  for (const folder of folders) {
    for (const { name, kind } of await tree.list(folder)) {
      if (kind !== 'leaf') continue
      const path = treePath(`${folder}/${name}`)
      picture[path] = Buffer.from((await tree.read(path))?.bytes ?? []).toString()
    }
  }
  return picture
}
