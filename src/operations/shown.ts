/**
 * What `human list` showed last, so that an answer that names no digest is for that text and no other. Kept in the workspace,
 * one small file a question; without it an answer is for what is there.
 */
import { digestOf } from '../formats/digest.ts'
import { childOf, type TreePath } from '../kernel/tree-path.ts'
import { changeLeaf } from '../messaging/leaves/change.ts'
import { unlessFailed } from '../messaging/leaves/tolerant.ts'
import type { Question } from '../protocols/contract.ts'
import { stateOf } from '../tree/home.ts'
import { forgetOthers } from './human-quarantine.ts'
import type { StoresPlace } from './stores.ts'

type Asked = Pick<Question, 'id' | 'place'> & { readonly protocol: string }

const folder = childOf(stateOf('approvals'), 'shown')

/** Ids of some protocols are no names for files. */
const pathOf = ({ protocol, place = '', id }: Asked): TreePath => childOf(folder, digestOf(protocol, place, id))

/** Remembers what was shown now. If it was all that waits, everything remembered earlier is forgotten. */
export async function rememberShown(
  place: StoresPlace,
  waiting: readonly (Asked & Pick<Question, 'digest'>)[],
  { areAll }: { readonly areAll: boolean },
): Promise<void> {
  const tree = await place.tree()
  const kept = new Map(waiting.map((one) => [pathOf(one), one.digest]))
  const remember = async () => {
    for (const [path, digest] of kept) await changeLeaf(tree, path, () => Buffer.from(digest))
    if (areAll) await forgetOthers(tree, folder, kept)
  }
  // A user who may read and not write, or a folder where the file should be: then nothing is remembered.
  await unlessFailed(remember())
}

/** The digest of what was shown last of this question; `undefined` when nothing was. */
export async function lastShown(place: StoresPlace, asked: Asked): Promise<string | undefined> {
  const tree = await place.tree()
  const leaf = await unlessFailed(tree.read(pathOf(asked), { atMost: 64 }))
  return leaf && Buffer.from(leaf.bytes).toString('utf8').trim()
}
