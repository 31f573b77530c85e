/**
 * Automatic snapshots of the queues, and the archiving of completed messages that a snapshot covers. AC-MQ §14. The state is in
 * `.signalbox/state/merging/`; if it is deleted, one more snapshot is taken.
 */
import { SignalboxError } from '../../../../kernel/errors.ts'
import { childOf, nameOf, type TreePath } from '../../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../../messaging/leaves/change.ts'
import { unlessUnreadable } from '../../../../messaging/leaves/tolerant.ts'
import { stateOf } from '../../../../tree/home.ts'
import type { Leaf } from '../../../../tree/tree.ts'
import { parseFileName, parseTime } from '../../layout.ts'
import { linksOf } from '../../memory/chains.ts'
import { snapshotFolder } from '../../memory/generated.ts'
import {
  type Decision,
  type Detail,
  decide,
  detailFor,
  type MergingState,
  nothingYet,
  readState,
  withDecisions,
  withRate,
} from '../../memory/merging.ts'
import { idsInSnapshot, printSnapshot } from '../../memory/snapshot.ts'
import { type QueueName, queueNames } from '../../schema.ts'
import { compactTime, fromCompact, isoTime } from '../../times.ts'
import { archiveOld } from '../archiving.ts'
import type { MissionFiles } from '../parts.ts'
import { missionStateName } from './moved-files.ts'
import { byTime, eachText, listQueues, type MessageText, type QueueListing } from './texts.ts'

export interface TakenSnapshot {
  readonly path: TreePath
  readonly queue: QueueName
  readonly messages: number
  readonly detail: Detail
}

export interface Merged {
  readonly snapshots: readonly (TakenSnapshot & { readonly reason: string })[]
  /** How many completed messages that a snapshot covers went to the archive. */
  readonly archived: number
}

/** Snapshots that a caller asked for. Nothing is archived. */
export async function takeSnapshots(
  files: MissionFiles,
  queues: readonly QueueName[] = queueNames,
): Promise<TakenSnapshot[]> {
  const state = await withCurrentRate(files, await readMerging(files), await listQueues(files))
  const taken: TakenSnapshot[] = []
  for (const queue of queues) taken.push((await takeSnapshot(files, queue, state.rate)).snapshot)
  return taken
}

export async function mergeQueues(
  files: MissionFiles,
  { by, listing }: { readonly by?: string; readonly listing?: QueueListing } = {},
): Promise<Merged> {
  const name = `ac-mq merging ${files.path}`
  const listed = listing ?? (await listQueues(files))
  const { snapshots, covered, coveredBy } = await files.tree.exclusively(name, () => takeWhatIsDue(files, listed))
  if (coveredBy === undefined) return { snapshots, archived: 0 }
  const only = await archivable(files, covered)
  try {
    const options = { olderThanMs: 0, ...(by === undefined ? {} : { by }) }
    const { archived } = await archiveOld(files, async () => only, options)
    await changeMerging(files, (state) => {
      const { coveredBy: name, ...rest } = state
      return name === coveredBy ? rest : state
    })
    return { snapshots, archived }
  } catch (error) {
    // Another process archives; the next pass does the rest.
    if (error instanceof SignalboxError && error.code === 'ARCHIVE_BUSY') return { snapshots, archived: 0 }
    throw error
  }
}

/** Under the lock. Another process may have taken a snapshot since `listing`: its time is noted, so no message is counted twice. */
async function takeWhatIsDue(files: MissionFiles, listing: QueueListing) {
  const now = await files.tree.now()
  let state = await withCurrentRate(files, await readMerging(files), listing)
  const decisions: Decision[] = []
  const snapshots: (TakenSnapshot & { reason: string })[] = []
  // A process took a snapshot and was killed before it had archived all that the snapshot covers.
  const covered = new Set(state.coveredBy === undefined ? [] : await idsIn(files, state.coveredBy))
  for (const queue of queueNames) {
    const arrivedAt = listing[queue].map(({ changedAt }) => changedAt)
    const decision = decide(state, queue, arrivedAt, now)
    decisions.push(decision)
    if (decision.did === 'waited') continue
    const { snapshot, texts } = await takeSnapshot(files, queue, state.rate)
    snapshots.push({ ...snapshot, reason: decision.reason })
    const count = queue === 'completed' ? 0 : texts.length
    state = { ...state, last: { ...state.last, [queue]: { at: now, count } } }
    if (queue !== 'completed') continue
    for (const { message } of texts) covered.add(message.id)
    state = { ...state, coveredBy: nameOf(snapshot.path) }
  }
  const { coveredBy } = state
  await changeMerging(files, () => withDecisions(state, decisions))
  return { snapshots, covered, coveredBy }
}

const mostOfSnapshot = 64 * 1024 * 1024

async function idsIn(files: MissionFiles, name: string): Promise<string[]> {
  const read = files.tree.read(files.inside(`${snapshotFolder}/${name}`), { atMost: mostOfSnapshot })
  const leaf = await unlessUnreadable(read)
  // Without it, those messages are archived by age.
  return leaf ? idsInSnapshot(Buffer.from(leaf.bytes).toString('utf8')) : []
}

/** The messages that a snapshot covers, except those that an unfinished message depends on: these stay in the queue. */
async function archivable(files: MissionFiles, covered: ReadonlySet<string>) {
  const texts: MessageText[] = []
  for await (const text of eachText(files, { archived: false })) texts.push(text)
  const links = linksOf(texts.map(({ message: { id, dependencies }, status }) => ({ id, dependencies, status })))
  const needed = new Set(
    texts.filter(({ status }) => status !== 'completed').flatMap(({ message }) => links.get(message.id) ?? []),
  )
  return texts
    .filter(({ message, status }) => status === 'completed' && covered.has(message.id) && !needed.has(message.id))
    .map(({ message }) => message)
}

async function takeSnapshot(files: MissionFiles, queue: QueueName, rate: number) {
  const texts: MessageText[] = []
  for await (const text of eachText(files, { queues: [queue], archived: false })) texts.push(text)
  texts.sort((a, b) => byTime(a.message, b.message))
  const detail = detailFor(rate)
  const takenAt = await files.tree.now()
  const messages = texts.map(({ message, body }) => ({ ...message, body }))
  const { address } = files.place
  const snapshot = { mission: address, queue, takenAt: isoTime(takenAt), detail, rate, messages }
  const printed = printSnapshot(snapshot, files.settings.busDocumentBytes)
  const path = await createFree(files, `${queue}-${compactTime(takenAt)}`, printed)
  return { texts, snapshot: { path, queue, messages: texts.length, detail } }
}

/** A second one within a second gets a number. */
async function createFree(files: MissionFiles, name: string, text: string): Promise<TreePath> {
  const folder = files.inside(snapshotFolder)
  for (let n = 1; ; n++) {
    const path = childOf(folder, `${name}${n === 1 ? '' : `-${n}`}.md`)
    if ((await files.tree.create(path, text)).outcome === 'created') return path
  }
}

/** By the time in the name of each file, so that no message is opened; a file without one counts by when it came. */
async function withCurrentRate(files: MissionFiles, state: MergingState, listing: QueueListing): Promise<MergingState> {
  // The time at the beginning of a name tells which messages were counted already.
  const counted = compactTime(state.countedUntil)
  const isNews = (name: string) => !/^\d{14}-/.test(name) || name >= counted
  const createdAt = queueNames.flatMap((queue) =>
    listing[queue].filter(({ name }) => isNews(name)).map(({ name, changedAt }) => timeOf(name) ?? changedAt),
  )
  return withRate(state, createdAt, await files.tree.now())
}

function timeOf(name: string): number | undefined {
  const stated = parseFileName(name)?.timestamp
  return stated === undefined ? undefined : parseTime(fromCompact(stated) ?? stated)
}

const statePath = ({ place: { address } }: MissionFiles): TreePath =>
  childOf(stateOf('merging'), `${missionStateName(address)}.json`)

const longestState = 256 * 1024

export async function readMerging(files: MissionFiles): Promise<MergingState> {
  const leaf = await unlessUnreadable(files.tree.read(statePath(files), { atMost: longestState }))
  return stateIn(leaf, await files.tree.now())
}

const stateIn = (leaf: Leaf | undefined, now: number): MergingState =>
  leaf && leaf.size <= longestState ? readState(Buffer.from(leaf.bytes).toString('utf8'), now) : nothingYet(now)

async function changeMerging(files: MissionFiles, change: (state: MergingState) => MergingState): Promise<void> {
  const now = await files.tree.now()
  const print = (state: MergingState) => Buffer.from(`${JSON.stringify(state, undefined, 2)}\n`)
  await unlessUnreadable(changeLeaf(files.tree, statePath(files), (before) => print(change(stateIn(before, now)))))
}
