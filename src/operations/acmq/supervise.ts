import { isoTime } from '../../kernel/clock.ts'
import { SignalboxError } from '../../kernel/errors.ts'
import { flag, withoutUndefined } from '../../kernel/field.ts'
import { anyOf } from '../../kernel/shape.ts'
import type { BusDocument, Kept, Merged, Mission, Repair, Swept } from '../../protocols/ac-mq/index.ts'
import { actorOf, type Context, defineOperation } from '../define.ts'
import type { Freed, Pass } from '../duties.ts'
import { carried, freed, settled } from '../shapes.ts'
import { mission, openTimedMissions } from './mission.ts'
import { busDocuments, message, moves, repairs, reportMode, snapshot } from './shapes.ts'
import { hasDone, superviseOn } from './supervising.ts'

const supervised = {
  mission: 'text',
  stalled: [{ message, 'investigation?': 'text' }],
  freed,
  carried,
  settled,
  repairs,
  archived: 'integer',
  documents: busDocuments,
  snapshots: [{ ...snapshot, reason: 'text' }],
  reports: [{ path: 'text', mode: reportMode, writtenBy: 'text' }],
  moves,
  'missing?': 'integer',
  'archiveBusy?': 'flag',
  nextStallAt: anyOf('time', 'nothing'),
  'passes?': 'integer',
} as const

export interface Supervised {
  readonly outcome: 'swept' | 'nothing'
  readonly mission: string
  readonly stalled: Swept['stalled']
  /** What dead agents held, in all protocols. */
  readonly freed: readonly Freed[]
  /** Messages that the bridge took to other protocols, and those that it ended. */
  readonly carried: Pass['carried']
  readonly settled: Pass['settled']
  readonly repairs: readonly Repair[]
  readonly archived: number
  /** Bus documents that were made or renewed, each with what brought its messages together. */
  readonly documents: readonly BusDocument[]
  /** Snapshots that were taken, each with the reason. */
  readonly snapshots: Merged['snapshots']
  /** Kept reports that got what an agent wrote for them. */
  readonly reports: Kept['reports']
  /** Files of `context/` that were brought together. */
  readonly moves: Kept['moves']
  /** How many messages have no vector yet: there is more to do. */
  readonly missing?: number
  /** Another process archives right now, or was killed while it did: this pass left the archive to it. */
  readonly archiveBusy?: true
  /** When the first of the claims in force runs out. */
  readonly nextStallAt: string | null
  /** How often it looked, if it stayed. */
  readonly passes?: number
}

export const supervise = defineOperation({
  name: 'supervise',
  summary:
    'Look after a mission: settle stalls, set malformed files aside, archive what is old, digest what belongs together.',
  more:
    'A stalled message moves to `failed/` with a report, and its sender is asked once to look into it. Without --once ' +
    'it stays, woken by what happens in the mission, until it is stopped. The missions inside it are looked after too. What agents ' +
    'hold whose end is known (messages of all protocols, locks, mailboxes) is freed.',
  input: {
    mission,
    once: flag('One pass, then end.'),
    archive: flag('Leave the archive alone.', { default: true }),
    bus: flag('Make no bus documents.', { default: true }),
    snapshots: flag('Take no snapshots.', { default: true }),
    organize: flag('Leave `context/` as it is.', { default: true }),
  },
  lists: {
    stalled: 'last',
    freed: 'last',
    carried: 'last',
    settled: 'last',
    repairs: 'last',
    documents: 'last',
    snapshots: 'last',
    reports: 'last',
    moves: 'last',
  },
  outcomes: { swept: 'done', nothing: 'done' },
  output: { swept: supervised, nothing: supervised },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    { command: 'acmq supervise alpha', does: 'stay and look after it' },
    { command: 'acmq supervise alpha --once', does: 'one pass, for cron or an agent' },
  ],

  run: passOver,
  stream: (context, { once, ...asked }) => (once ? undefined : superviseOn(context, asked, passOver)),
})

interface Wanted {
  readonly mission: string
  readonly archive: boolean
  readonly bus: boolean
  readonly snapshots: boolean
  readonly organize: boolean
}

async function passOver(
  context: Context,
  { mission, archive, bus, snapshots: mayTake, organize }: Wanted,
): Promise<Supervised> {
  const missions = await openTimedMissions(context, mission)
  const { carriedIn, freedIn } = await import('../duties.ts')
  const released = await freedIn(context)
  const bridged = await carriedIn(context)
  for (const notice of bridged.notices) context.report.notice(notice)
  const agent = await actorOf(context)
  const { section } = await context.configuration()
  const set = await section('acmq')
  const wanted = { bus: bus && set.busDocuments, snapshots: mayTake && set.snapshots }
  const organizeFrom = organize ? set.organizeFrom : 0
  const moves: Kept['moves'][number][] = []
  const documents: BusDocument[] = []
  const reports: Kept['reports'][number][] = []
  const snapshots: Merged['snapshots'][number][] = []
  const stalled: Swept['stalled'][number][] = []
  const repairs: Repair[] = []
  const nextAt: number[] = []
  let archived = 0
  let missing = 0
  let busy = {}
  for (const one of missions) {
    const swept = await (await one.upkeep()).supervise(agent)
    stalled.push(...swept.stalled)
    repairs.push(...swept.repairs)
    if (archive) {
      const { archived: packed, ...other } = await archiveUnlessBusy(one, agent)
      archived += packed
      busy = { ...busy, ...other }
    }
    const inner = missions.filter(({ address }) => address.startsWith(`${one.address}/`))
    const kept = await (await one.memory()).keep(withoutUndefined({ ...wanted, organizeFrom, by: agent }), inner)
    documents.push(...kept.documents)
    snapshots.push(...kept.snapshots)
    reports.push(...kept.reports)
    moves.push(...kept.moves)
    archived += kept.archived
    missing += kept.missing ?? 0
    if (kept.instead !== undefined) context.report.notice(kept.instead)
    const next = await (await one.supervision()).nextStallAt()
    if (next !== undefined) nextAt.push(next)
  }
  const done = {
    stalled,
    freed: released,
    carried: bridged.carried,
    settled: bridged.settled,
    repairs,
    archived,
    documents,
    snapshots,
    reports,
    moves,
  }
  const repaired = repairs.filter(({ what }) => !onlyTold.includes(what))
  return {
    outcome: hasDone({ ...done, repairs: repaired }) ? 'swept' : 'nothing',
    mission: missions[0].address,
    ...done,
    ...busy,
    ...(missing > 0 ? { missing } : {}),
    nextStallAt: nextAt.length === 0 ? null : isoTime(Math.min(...nextAt)),
  }
}

async function archiveUnlessBusy(opened: Mission, by: string | undefined) {
  try {
    const { archived } = await (await opened.upkeep()).archive(withoutUndefined({ by }))
    return { archived }
  } catch (error) {
    if (error instanceof SignalboxError && error.code === 'ARCHIVE_BUSY')
      return { archived: 0, archiveBusy: true } as const
    throw error
  }
}

/** Repairs that report something and leave it as it is. */
const onlyTold: readonly string[] = ['waiting', 'strange', 'closed']
