/**
 * Carries messages of Dream.OS until it is stopped: one pass whenever something happens in an outbox or a mailbox, and now and
 * then besides. At most once a second, and so rarely that the passes take only a small part of the time.
 */
import type { TreePath } from '../kernel/tree-path.ts'
import type { Context } from '../operations/define.ts'
import { openDream } from '../operations/dream/fields.ts'
import { dreamRoute, type RoutedOften } from '../operations/dream/route.ts'
import { freedLine } from '../operations/freed-line.ts'
import { lastOf, processorTime, Rounds, restFor, Watches } from './rounds.ts'

/** No event tells that a lease has ended, an agent has died or another program has overwritten a mailbox, so look now and then. */
const longestRest = 30_000

export async function routeMessages(context: Context, input: unknown, stopped: AbortSignal): Promise<RoutedOften> {
  const rounds = new Rounds(context, stopped)
  const watches = new Watches(await context.tree(), () => rounds.ring())
  const none = { moved: [], copied: [], unroutable: [], resent: [], plans: [], rejected: [], freed: [], notices: [] }
  let all: RoutedOften = { outcome: 'nothing', ...none }
  let passes = 0
  let standing: ReadonlySet<string> = new Set()
  context.report.tell({ as: 'text', text: 'Carrying messages. Stop with Ctrl-C.' })
  try {
    await rounds.repeat(async () => {
      const startedAt = processorTime()
      watches.keep(await watchedBy(context))
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
    watches.keep([])
  }
  return { ...all, passes }
}

async function watchedBy(context: Context): Promise<readonly TreePath[]> {
  const folders: TreePath[] = []
  for await (const { watches } of (await (await openDream(context)).neutral()).duties()) folders.push(...watches)
  return folders
}

const joined = (all: RoutedOften, pass: RoutedOften): RoutedOften => ({
  outcome: pass.outcome === 'routed' ? 'routed' : all.outcome,
  moved: lastOf(all.moved, pass.moved),
  copied: lastOf(all.copied, pass.copied),
  resent: lastOf(all.resent, pass.resent),
  plans: lastOf(all.plans, pass.plans),
  freed: lastOf(all.freed, pass.freed),
  // These stay until a person puts them right, so the last pass has found all of them.
  unroutable: pass.unroutable,
  rejected: pass.rejected,
  notices: [...new Set(lastOf(all.notices, pass.notices))],
})

function tell({ report }: Context, { moved, copied, resent, plans, freed }: RoutedOften): void {
  for (const { from, to, path } of moved) report.tell({ as: 'step', text: `${from} to ${to}: ${path}` })
  for (const { from, to, path } of copied) report.tell({ as: 'step', text: `${from} to ${to.join(', ')}: ${path}` })
  for (const { mailbox, id } of resent) report.tell({ as: 'step', text: `sent again to mailbox ${mailbox}: ${id}` })
  for (const one of freed) report.tell({ as: 'step', text: `freed ${freedLine(one)}` })
  for (const { outcome, plan, planner } of plans) report.tell({ as: 'step', text: `${plan} of ${planner}: ${outcome}` })
}

/** What stays as it is until a person puts it right is told once, not at every pass. Answers what was found now. */
function tellStanding({ report }: Context, pass: RoutedOften, told: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set([
    ...pass.notices,
    ...pass.unroutable.map(({ path, target, reason }) => `${path} stays, for ${target}: ${reason}`),
    ...pass.rejected.map(({ path, reason }) => `${path} is no message: ${reason}`),
  ])
  for (const text of found) if (!told.has(text)) report.tell({ as: 'step', text })
  return found
}
