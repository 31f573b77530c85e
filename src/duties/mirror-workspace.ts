/** Keeps a copy of a workspace in a directory up to date until it is stopped. Woken by changes in the folders. */
import { type TreePath, treeRoot } from '../kernel/tree-path.ts'
import type { Context } from '../operations/define.ts'
import { Mirror, type Mirrored } from '../operations/transfer/mirror-pass.ts'
import { Rounds } from './rounds.ts'

/** How long to wait after the cluster did not answer. Changes may have been missed meanwhile. */
const restMs = 1000

export async function mirrorWorkspace(context: Context, input: unknown, stopped: AbortSignal): Promise<Mirrored> {
  const { directory } = input as { readonly directory: string }
  const mirror = await Mirror.open(context, directory)
  const tree = await context.tree()
  const rounds = new Rounds(context, stopped)
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
    await rounds.repeat(async () => {
      const folders = [...due]
      due.clear()
      const missed = []
      for (const folder of folders) {
        if (!(await rounds.attempt(() => mirror.pass(folder, follow)))) missed.push(folder)
      }
      for (const folder of missed) due.add(folder)
      return missed.length > 0 ? { least: restMs, most: restMs } : { least: 0 }
    })
  } finally {
    for (const one of watching.values()) one.close()
    await mirror.close()
  }
  return mirror.done()
}
