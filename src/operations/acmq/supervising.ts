/**
 * Supervises a mission until it is stopped: settles stalls, sets malformed files aside, archives what is old, digests what
 * belongs together. Woken by changes in the queues and when the next claim runs out; at most once a second, and so rarely that
 * the passes take only a small part of the time. Documents cost the most, so they have a rest of their own: a stall is not left
 * alone because a large document was written before.
 */
import type { TreePath } from '../../kernel/tree-path.ts'
import type { Context, Reporter } from '../define.ts'
import { lastOf, processorTime, Rounds, restFor, Watches } from '../rounds.ts'
import { openMissions } from './mission.ts'
import type { Supervised } from './supervise.ts'

const second = 1000
/** Pass at least this often: changes can be missed, and nothing tells that a file is not being written any more. */
const longestRest = 60 * second
const longestRestWhileWaiting = 5 * second
/** Messages are archived after days, so this need not be often. */
const archiveEvery = 10 * 60 * second
/** Documents need not follow every message; what changed meanwhile is in the next one. */
const memoryEvery = 10 * second
const noticeEvery = 60 * second

interface Asked {
  readonly mission: string
  readonly archive?: boolean
  readonly bus?: boolean
  readonly snapshots?: boolean
  readonly organize?: boolean
}

/** Gives each pass that has done something; what stays as it was found is in the first one alone. */
export async function* superviseOn(
  given: Context,
  { mission, archive, bus, snapshots: mayTake, organize }: Asked,
  passOver: (context: Context, asked: Required<Asked>) => Promise<Supervised>,
): AsyncGenerator<Supervised, Supervised> {
  const context = { ...given, report: withRareNotices(given.report) }
  const rounds = new Rounds(context)
  const tree = await context.tree()
  const watches = new Watches(tree, () => rounds.ring())
  const strange = new Set<string>()
  let all: Done = {
    stalled: [],
    freed: [],
    carried: [],
    settled: [],
    repairs: [],
    archived: 0,
    documents: [],
    snapshots: [],
    reports: [],
    moves: [],
  }
  let memoryDueAt = Number.NEGATIVE_INFINITY
  /** How long the last pass without documents worked, in milliseconds. */
  let worked = 0
  let passes = 0
  let last: Supervised | undefined
  let archivedAt = Number.NEGATIVE_INFINITY
  context.report.tell({ as: 'text', text: `Looking after ${mission}. Stop with Ctrl-C.` })
  try {
    yield* rounds.repeat(async () => {
      const [startedAt, workedBefore] = [performance.now(), processorTime()]
      await rounds.attempt(async () => watches.keep(foldersOf(await (await openMissions(context)).within(mission))))
      const isArchiveDue = archive !== false && startedAt - archivedAt >= archiveEvery
      const isMemoryDue = startedAt >= memoryDueAt
      const memory = {
        bus: isMemoryDue && bus !== false,
        snapshots: isMemoryDue && mayTake !== false,
        organize: isMemoryDue && organize !== false,
      }
      const happened: Supervised[] = []
      const pass = await rounds.attempt(() => passOver(context, { mission, archive: isArchiveDue, ...memory }))
      if (pass) {
        last = pass
        passes++
        if (isArchiveDue && !pass.archiveBusy) archivedAt = startedAt
        const done = { ...pass, repairs: newsIn(pass, strange) }
        if (hasDone(done)) happened.push(done)
        all = joined(all, done)
      }
      const workedNow = processorTime() - workedBefore
      // Vectors of many messages take minutes, once: no rest but for stalls until all are there.
      const rest = pass?.missing ? second : Math.max(memoryEvery, restFor(workedNow, longestRest))
      if (isMemoryDue) memoryDueAt = performance.now() + rest
      else worked = workedNow
      const most = restAfter(pass, await tree.now())
      return { least: restFor(worked, longestRest), most: pass?.missing ? Math.min(most, second) : most, happened }
    })
  } finally {
    watches.keep([])
  }
  return {
    outcome: hasDone(all) ? 'swept' : 'nothing',
    mission,
    ...all,
    nextStallAt: last?.nextStallAt ?? null,
    passes,
  }
}

export const hasDone = ({ archived, ...lists }: Done): boolean =>
  archived > 0 || Object.values(lists).some((list) => Array.isArray(list) && list.length > 0)

type Done = Pick<
  Supervised,
  'stalled' | 'freed' | 'carried' | 'settled' | 'repairs' | 'archived' | 'documents' | 'snapshots' | 'reports' | 'moves'
>

const joined = (all: Done, pass: Done): Done => ({
  stalled: lastOf(all.stalled, pass.stalled),
  freed: lastOf(all.freed, pass.freed),
  carried: lastOf(all.carried, pass.carried),
  settled: lastOf(all.settled, pass.settled),
  repairs: lastOf(all.repairs, pass.repairs),
  archived: all.archived + pass.archived,
  documents: lastOf(all.documents, pass.documents),
  snapshots: lastOf(all.snapshots, pass.snapshots),
  reports: lastOf(all.reports, pass.reports),
  moves: lastOf(all.moves, pass.moves),
})

/** Tells remarks that differ only by numbers, such as the progress of long work, once a minute. */
function withRareNotices(report: Reporter): Reporter {
  const toldAt = new Map<string, number>()
  const notice = (text: string) => {
    const kind = text.replace(/\d+/g, '0')
    const now = performance.now()
    if (now - (toldAt.get(kind) ?? Number.NEGATIVE_INFINITY) < noticeEvery) return
    toldAt.set(kind, now)
    report.notice(text)
  }
  return {
    notice,
    tell: (passage) => report.tell(passage),
    progress: (...far) => report.progress(...far),
    finished: (run) => report.finished(run),
  }
}

/** Where something may happen: in the queues of a mission and of those inside it, and where another one may be made. */
const foldersOf = (missions: readonly { readonly supervised: readonly TreePath[]; readonly inside: TreePath }[]) =>
  missions.flatMap(({ supervised, inside }) => [...supervised, inside])

/** What is new in a pass. Files that it can only report are told once, not in every pass. */
function newsIn({ repairs }: Supervised, strange: Set<string>): Supervised['repairs'] {
  return repairs.filter(({ what, path }) => {
    if (what === 'waiting' || strange.has(path)) return false
    if (what === 'strange' || what === 'closed') strange.add(path)
    return true
  })
}

/** How long to rest if nothing changes. `now` is the tree's time, by which claims end. */
function restAfter(pass: Supervised | undefined, now: number): number {
  const isWaiting = pass?.repairs.some(({ what }) => what === 'waiting')
  const longest = isWaiting ? longestRestWhileWaiting : longestRest
  return pass?.nextStallAt ? Math.min(longest, Date.parse(pass.nextStallAt) - now) : longest
}
