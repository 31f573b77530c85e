/** Keeps a copy of a workspace in a directory up to date until it is stopped. Woken by changes in the folders. */
import { SignalboxError } from '../kernel/errors.ts'
import type { TreePath } from '../kernel/tree-path.ts'
import type { Context } from '../operations/define.ts'
import type { Mirrored } from '../operations/transfer/mirror.ts'
import { Mirror, mirrorRoot } from '../operations/transfer/mirror-pass.ts'

/** How long to wait after the cluster did not answer. Changes may have been missed meanwhile. */
const restMs = 1000

export async function mirrorWorkspace(context: Context, input: unknown, stopped: AbortSignal): Promise<Mirrored> {
  const { directory } = input as { readonly directory: string }
  const mirror = await Mirror.open(context, directory)
  const tree = await context.tree()
  const watching = new Map<TreePath, { close(): void }>()
  const due = new Set<TreePath>([mirrorRoot])
  const counts = { written: 0, removed: 0 }
  let wake: () => void = () => {}
  const look = (folder: TreePath) => {
    due.add(folder)
    wake()
  }
  const follow = (folder: TreePath) => {
    if (!watching.has(folder))
      watching.set(
        folder,
        tree.watch(folder, () => look(folder)),
      )
  }
  stopped.addEventListener('abort', () => wake())
  context.report.tell({ as: 'text', text: `Following ${tree.place} into ${directory}. Stop with Ctrl-C.` })
  try {
    while (!stopped.aborted) {
      for (const folder of [...due]) {
        due.delete(folder)
        const isDone = await attempt(context, () => mirror.pass(folder, counts, follow))
        if (!isDone) due.add(folder)
      }
      if (stopped.aborted) break
      await new Promise<void>((resolve) => {
        wake = resolve
        if (due.size > 0) setTimeout(resolve, restMs)
      })
    }
  } finally {
    for (const one of watching.values()) one.close()
    await mirror.close()
  }
  return { outcome: counts.written + counts.removed > 0 ? 'mirrored' : 'unchanged', directory, ...counts }
}

/** Goes on if the cluster does not answer for a while. Any other error ends it. */
async function attempt(context: Context, work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (!(error instanceof SignalboxError) || error.kind !== 'Unavailable') throw error
    context.report.tell({ as: 'step', text: `${error.message} Trying again.` })
    return false
  }
}
