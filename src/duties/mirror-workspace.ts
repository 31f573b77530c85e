/** Follows a workspace into a directory for as long as it is let, woken by what happens in its folders. */
import { SignalboxError } from '../kernel/errors.ts'
import type { TreePath } from '../kernel/tree-path.ts'
import type { Context } from '../operations/define.ts'
import type { Mirrored } from '../operations/transfer/mirror.ts'
import { Mirror, mirrorRoot } from '../operations/transfer/mirror-pass.ts'

/** After a cluster that did not answer; hints may have been missed meanwhile. */
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

/** A cluster that is away for a moment must not end it; everything else does. */
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
