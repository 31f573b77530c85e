/** What is wrong in a mission, for `doctor`. Reads the header of every message and changes nothing, unless asked to repair. */

import { call } from '../../../kernel/call.ts'
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { unfinishedChanges } from '../../../messaging/inspection/changes.ts'
import { type ExpectedKind, findingsOf, oddAmong, oddFinding } from '../../../messaging/inspection/expected.ts'
import { closedMessage, strangeFile, unreadableMessage } from '../../../messaging/inspection/findings.ts'
import { listIfFolder } from '../../../messaging/leaves/tolerant.ts'
import { type Entry, type Finding, finding } from '../../../tree/tree.ts'
import { inspectArchive } from '../archive/inspect.ts'
import { parsePackName } from '../archive/pack.ts'
import { isMonth } from '../archive/shelves.ts'
import { archivePath, isMessageName, missionFolders } from '../layout.ts'
import { snapshotFolder } from '../memory/generated.ts'
import { type QueueName, queueNames } from '../schema.ts'
import { stalledClaims, stuckDependencies, unseenRecipients } from './inspect-stuck.ts'
import type { MissionFiles, ReadHeader } from './parts.ts'
import { hasReason } from './quarantine.ts'
import type { Supervision } from './supervising.ts'
import type { WaitingMessages } from './waiting/waiting.ts'

export interface InspectionOptions {
  readonly isSeen?: (agent: string) => Promise<boolean>
  /** Finishes what killed processes began. */
  readonly repair?: boolean
}

export async function inspectMission(
  files: MissionFiles,
  waiting: WaitingMessages,
  supervision: Supervision,
  { isSeen, repair = false }: InspectionOptions = {},
): Promise<Finding[]> {
  const findings = await misplaced(files)
  const looks = [
    () => unfinishedChanges(files.tree, supervision.journal, repair),
    () => stalledClaims(files, supervision),
    () => stuckDependencies(files, waiting),
    async () => (await import('./memory/organize.ts')).memoryFindings(files, repair),
    async () => (isSeen ? unseenRecipients(files, waiting, isSeen) : []),
  ]
  // An error that stops one check is reported, and the next check runs.
  for (const look of looks) findings.push(...(await findingsOf(files.path, look)))
  return findings
}

async function misplaced(files: MissionFiles): Promise<Finding[]> {
  const findings: Finding[] = await oddInMission(files)
  const tell = (code: string, path: string, message: string, remedy: string) =>
    findings.push(finding('warning', code, path, message, `${remedy}: ${reconcileOf(files)}`))
  const places = new Map<string, string>()
  for (const queue of queueNames) {
    for (const entry of await listIfFolder(files.tree, files.queues[queue])) {
      const read = isMessageName(entry.name) ? await readEntry(files, queue, entry, findings) : undefined
      if (!read) continue
      const path = files.at(queue, entry.name)
      const { id, status } = read.message.record
      if (status !== queue && (await standsStill(files, read))) {
        const message = `Its status says ${JSON.stringify(status)}, but it is in ${queue}.`
        tell('STATUS_FOLDER_MISMATCH', path, message, 'Bring them into agreement')
      }
      const other = places.get(id)
      if (other !== undefined) {
        const message = `Message ${id} is also in ${other}.`
        tell('MESSAGE_IN_TWO_PLACES', path, message, 'Set aside the copy that is less far')
      }
      places.set(id, path)
    }
  }
  return [...findings, ...(await inspectArchive(files.tree, archivePath(files.place), files.settings))]
}

const reconcileOf = ({ place }: MissionFiles): string => call('acmq reconcile', { mission: place.address })

async function readEntry(files: MissionFiles, queue: QueueName, { name, kind }: Entry, findings: Finding[]) {
  const path = files.at(queue, name)
  if (kind !== 'leaf') {
    findings.push(strangeFile(path, name, kind))
    return undefined
  }
  const read = await files.readHeader(queue, name)
  if (!read || read.outcome === 'message') return read
  const [{ message, hint }] = read.problems
  if (read.outcome === 'closed') findings.push(closedMessage(path, message, hint))
  else if (queue !== 'failed' || !(await hasReason(files, name))) {
    findings.push(unreadableMessage(path, message, `Correct the file, or set it aside: ${reconcileOf(files)}`))
  }
  return undefined
}

/** During a claim, folder and status differ for an instant. */
const standsStill = async ({ tree, settings }: MissionFiles, { changedAt }: ReadHeader): Promise<boolean> =>
  (await tree.now()) - changedAt >= settings.quarantineAfterMs

type Table = (name: string) => ExpectedKind | undefined

const topFolders = new Set([...missionFolders.map((path) => path.split('/')[0]!), 'sub-missions'])

const inMission: Table = (name) => (topFolders.has(name) ? 'folder' : name === 'manifest.md' ? 'leaf' : undefined)
const inQueue: Table = (name) => (missionFolders.includes(`queue/${name}`) ? 'folder' : undefined)
const inMeta: Table = (name) => (name === 'manifest.md' ? 'leaf' : undefined)
/** Large bodies and the list of pinned files. Agents may put anything else there. */
const inContext: Table = (name) => (/^message-.*\.md$/.test(name) || name === '.pinned' ? 'leaf' : undefined)
const inArtifacts: Table = (name) => (`artifacts/${name}` === snapshotFolder ? 'folder' : undefined)
const inArchive: Table = (name) => (isMonth(name) || name === 'duplicates' ? 'folder' : undefined)
const inMonth: Table = (name) =>
  name === 'completed' || name === 'failed' ? 'folder' : parsePackName(name) ? 'leaf' : undefined

/** Files, links and pipes in place of the folders of a mission, and folders in place of its files. */
async function oddInMission({ tree, path, place }: MissionFiles): Promise<Finding[]> {
  const findings: Finding[] = []
  const look = async (folder: TreePath, expectedOf: Table): Promise<readonly Entry[]> => {
    const entries = await listIfFolder(tree, folder)
    findings.push(...oddAmong(folder, entries, expectedOf).map(oddFinding))
    return entries
  }
  await look(path, inMission)
  await look(childOf(path, 'queue'), inQueue)
  await look(childOf(path, '_meta'), inMeta)
  await look(childOf(path, 'context'), inContext)
  await look(childOf(path, 'artifacts'), inArtifacts)
  const archive = archivePath(place)
  for (const { name, kind } of await look(archive, inArchive)) {
    if (kind === 'folder' && isMonth(name)) await look(childOf(archive, name), inMonth)
  }
  return findings
}
