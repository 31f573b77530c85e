/**
 * Carries messages of Dream.OS until it is stopped: one pass whenever something happens in an outbox or a mailbox, and now and
 * then besides. At most once a second, and so rarely that the passes take only a small part of the time.
 */
import type { TreePath } from '../../kernel/tree-path.ts'
import type { Context } from '../define.ts'
import { lastOf, processorTime, Rounds, restFor, Watches } from '../rounds.ts'
import { openDream } from './fields.ts'
import type { RoutedOften } from './route.ts'

/** No event tells that a lease has ended, an agent has died or another program has overwritten a mailbox, so look now and then. */
const longestRest = 30_000

/** Gives each pass that has done something; what stays until a person puts it right is in the first one alone. */
export async function* routeOn(
  context: Context,
  passOver: () => Promise<RoutedOften>,
): AsyncGenerator<RoutedOften, RoutedOften> {
  const rounds = new Rounds(context)
  const watches = new Watches(await context.tree(), () => rounds.ring())
  const none = {
    moved: [],
    copied: [],
    unroutable: [],
    resent: [],
    plans: [],
    rejected: [],
    freed: [],
    carried: [],
    settled: [],
    notices: [],
  }
  let all: RoutedOften = { outcome: 'nothing', ...none }
  let passes = 0
  let standing: ReadonlySet<string> = new Set()
  context.report.tell({ as: 'text', text: 'Carrying messages. Stop with Ctrl-C.' })
  try {
    yield* rounds.repeat(async () => {
      const startedAt = processorTime()
      watches.keep(await watchedBy(context))
      const pass = await rounds.attempt(passOver)
      const happened: RoutedOften[] = []
      if (pass) {
        passes++
        const news = { ...pass, ...withoutKnown(pass, standing) }
        if (hasNews(news)) happened.push(news)
        standing = new Set([...pass.notices, ...pass.unroutable.map(pathOf), ...pass.rejected.map(pathOf)])
        all = joined(all, pass)
      }
      return { least: restFor(processorTime() - startedAt, longestRest), most: longestRest, happened }
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
  carried: lastOf(all.carried, pass.carried),
  settled: lastOf(all.settled, pass.settled),
  // These stay until a person puts them right, so the last pass has found all of them.
  unroutable: pass.unroutable,
  rejected: pass.rejected,
  notices: [...new Set(lastOf(all.notices, pass.notices))],
})

const pathOf = ({ path, reason }: { readonly path: string; readonly reason: string }): string => `${path}: ${reason}`

/** What stays as it is until a person puts it right is told once, not in every pass. */
const withoutKnown = ({ notices, unroutable, rejected }: RoutedOften, known: ReadonlySet<string>) => ({
  notices: notices.filter((one) => !known.has(one)),
  unroutable: unroutable.filter((one) => !known.has(pathOf(one))),
  rejected: rejected.filter((one) => !known.has(pathOf(one))),
})

const hasNews = (pass: RoutedOften): boolean =>
  Object.values(pass).some((list) => Array.isArray(list) && list.length > 0)
