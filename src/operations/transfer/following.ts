/** Keeps a copy of a workspace in a directory up to date until it is stopped. Woken by changes in the folders. */
import { type TreePath, treeRoot } from '../../kernel/tree-path.ts'
import type { Context } from '../define.ts'
import { Rounds } from '../rounds.ts'
import { Mirror, type Mirrored } from './mirror-pass.ts'

/** How long to wait after the cluster did not answer. Changes may have been missed meanwhile. */
const restMs = 1000

/** Gives what was copied so far, after each round that has changed something. */
export async function* followInto(context: Context, directory: string): AsyncGenerator<Mirrored, Mirrored> {
  const mirror = await Mirror.open(context, directory)
  const tree = await context.tree()
  const rounds = new Rounds(context)
  const watching = new Map<TreePath, { close(): void }>()
  const due = new Set<TreePath>([treeRoot])
  const follow = (folder: TreePath) => {
    if (watching.has(folder)) return
    const hint = () => {
      due.add(folder)
      rounds.ring()
    }
    watching.set(folder, tree.watch(folder, hint))
  }
  context.report.tell({ as: 'text', text: `Following ${tree.place} into ${directory}. Stop with Ctrl-C.` })
  try {
    yield* rounds.repeat(async () => {
      const folders = [...due]
      const before = mirror.done()
      due.clear()
      const missed = []
      for (const folder of folders) {
        if (!(await rounds.attempt(() => mirror.pass(folder, follow)))) missed.push(folder)
      }
      for (const folder of missed) due.add(folder)
      const after = mirror.done()
      const isChanged = after.written !== before.written || after.removed !== before.removed
      const rest = missed.length > 0 ? { least: restMs, most: restMs } : { least: 0 }
      return { ...rest, happened: isChanged ? [after] : [] }
    })
  } finally {
    for (const one of watching.values()) one.close()
    await mirror.close()
  }
  return mirror.done()
}
