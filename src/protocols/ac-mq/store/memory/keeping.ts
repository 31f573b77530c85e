/** One pass of supervision over the memory of a mission. Snapshots come first, so that documents see what they archived. */
import type { AcmqPorts } from '../../ports.ts'
import type { MissionFiles } from '../parts.ts'
import { type BusDocument, makeBusDocuments } from './bus.ts'
import { type Merged, mergeQueues } from './merging.ts'
import { organizeAbove, type PlannedMove } from './organize.ts'
import { type TakenUp, takeUpReports } from './report.ts'
import type { SummaryDesk } from './summary-task.ts'
import { listQueues } from './texts.ts'
import { isDoneFor, noteDone, signatureOf } from './unchanged.ts'

export interface KeepingOptions {
  readonly bus: boolean
  readonly snapshots: boolean
  /** From so many loose files on `context/` is organized; 0: never. */
  readonly organizeFrom: number
  readonly by?: string
}

export interface Kept extends Merged {
  readonly documents: readonly BusDocument[]
  readonly instead?: string
  readonly reports: readonly TakenUp[]
  readonly missing?: number
  readonly moves: readonly PlannedMove[]
}

/** Stalls are settled between two passes, so a slow model must not make a pass long. */
const patienceMs = 30_000

/** `missions`: the mission itself, and those inside it, which its reports tell of. */
export async function keepMemory(
  missions: readonly MissionFiles[],
  ports: AcmqPorts,
  desk: SummaryDesk,
  { bus, snapshots, organizeFrom, by }: KeepingOptions,
): Promise<Kept> {
  const [files] = missions as [MissionFiles]
  const nothing = { snapshots: [], archived: 0, documents: [], reports: [], moves: [] }
  if (!bus && !snapshots && organizeFrom === 0) return nothing
  const { text, newest } = await signatureOf(files)
  // A pass without `organize` must not count as done for a pass with it.
  const before = { text: `${text} ${organizeFrom}`, newest }
  if (await isDoneFor(files, before)) return nothing
  const listing = await listQueues(files)
  const merged = snapshots ? await mergeQueues(files, { listing, ...(by === undefined ? {} : { by }) }) : nothing
  const still = { patienceMs, ...(merged.archived > 0 ? {} : { listing }) }
  const made = bus ? await makeBusDocuments(files, ports, desk, still) : { documents: [] }
  const documents = made.documents.filter(({ outcome }) => outcome !== 'unchanged')
  const reports = bus ? await takeUpReports(missions, desk) : []
  const moves = (organizeFrom > 0 ? await organizeAbove(files, ports, organizeFrom) : undefined)?.moves ?? []
  const isQuiet =
    [moves, documents, reports, merged.snapshots].every(({ length }) => length === 0) && merged.archived === 0
  // What this pass wrote is a change, too: only a pass that wrote nothing is noted as done.
  const missing = ('missing' in made && made.missing) || 0
  if (isQuiet && bus && snapshots && missing === 0) await noteDone(files, before)
  return {
    ...merged,
    documents,
    reports,
    moves,
    ...('instead' in made && made.instead !== undefined ? { instead: made.instead } : {}),
    ...(missing > 0 ? { missing } : {}),
  }
}
