/**
 * Carries messages of Dream.OS until it is stopped: one pass whenever something happens in an outbox or a mailbox, and now and
 * then besides. At most once a second, and so rarely that the passes take only a small part of the time.
 */
import type { TreePath } from '../kernel/tree-path.ts'
import type { Context } from '../operations/define.ts'
import { openDream } from '../operations/dream/open.ts'
import { dreamRoute, type RoutedOften } from '../operations/dream/route.ts'
import { processorTime, Rounds, restFor } from './rounds.ts'

/** Leases end, agents die and other programs overwrite mailboxes without anybody being told. */
const longestRest = 30_000
const mostRemembered = 1000

type Tree = Awaited<ReturnType<Context['tree']>>

export async function routeMessages(context: Context, input: unknown, stopped: AbortSignal): Promise<RoutedOften> {
  const rounds = new Rounds(context, stopped)
  const tree: Tree = await context.tree()
  const watching = new Map<TreePath, ReturnType<Tree['watch']>>()
  let all: RoutedOften = {
    outcome: 'nothing',
    moved: [],
    copied: [],
    unroutable: [],
    resent: [],
    plans: [],
    rejected: [],
    notices: [],
  }
  let passes = 0
  let standing: ReadonlySet<string> = new Set()
  context.report.tell({ as: 'text', text: 'Carrying messages. Stop with Ctrl-C.' })
  try {
    await rounds.repeat(async () => {
      const startedAt = processorTime()
      for (const folder of await watchedBy(context)) {
        if (!watching.has(folder))
          watching.set(
            folder,
            tree.watch(folder, () => rounds.ring()),
          )
      }
      const pass = await rounds.attempt(() => dreamRoute.invoke(context, { ...(input as object), once: true }))
      if (pass) {
        passes++
        tell(context, pass)
        standing = tellStanding(context, pass, standing)
        all = joined(all, pass)
      }
      return { least: restFor(processorTime() - startedAt, longestRest), most: longestRest }
    })
  } finally {
    for (const one of watching.values()) one.close()
  }
  return { ...all, passes }
}

async function watchedBy(context: Context): Promise<readonly TreePath[]> {
  const folders: TreePath[] = []
  for await (const { watches } of (await (await openDream(context)).neutral()).duties()) folders.push(...watches)
  return folders
}

function joined(all: RoutedOften, pass: RoutedOften): RoutedOften {
  const last = <T>(a: readonly T[], b: readonly T[]): T[] => [...a, ...b].slice(-mostRemembered)
  return {
    outcome: pass.outcome === 'routed' ? 'routed' : all.outcome,
    moved: last(all.moved, pass.moved),
    copied: last(all.copied, pass.copied),
    resent: last(all.resent, pass.resent),
    plans: last(all.plans, pass.plans),
    // These stay as long as nobody puts them right: what the last pass found is what there is.
    unroutable: pass.unroutable,
    rejected: pass.rejected,
    notices: [...new Set(last(all.notices, pass.notices))],
  }
}

function tell({ report }: Context, { moved, copied, resent, plans }: RoutedOften): void {
  for (const { from, to, path } of moved) report.tell({ as: 'step', text: `${from} to ${to}: ${path}` })
  for (const { from, to, path } of copied) report.tell({ as: 'step', text: `${from} to ${to.join(', ')}: ${path}` })
  for (const { mailbox, id } of resent) report.tell({ as: 'step', text: `sent again to mailbox ${mailbox}: ${id}` })
  for (const { outcome, plan, planner } of plans) report.tell({ as: 'step', text: `${plan} of ${planner}: ${outcome}` })
}

/** What stays as it is until somebody puts it right is told once, not at every pass. Answers what was found now. */
function tellStanding({ report }: Context, pass: RoutedOften, told: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set([
    ...pass.notices,
    ...pass.unroutable.map(({ path, target, reason }) => `${path} stays, for ${target}: ${reason}`),
    ...pass.rejected.map(({ path, reason }) => `${path} is no message: ${reason}`),
  ])
  for (const text of found) if (!told.has(text)) report.tell({ as: 'step', text })
  return found
}
