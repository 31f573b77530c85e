/** Links, pipes, folders and files that stand where Dream.OS expects something else. */
import { childOf, isSegment, type TreePath } from '../../../kernel/tree-path.ts'
import { type ExpectedKind, oddAmong, oddFinding } from '../../../messaging/inspection/expected.ts'
import { listIfFolder, lookIfThere } from '../../../messaging/leaves/tolerant.ts'
import type { Entry, Finding } from '../../../tree/tree.ts'
import {
  agentPath,
  completedPath,
  coordinationPath,
  dispatchPath,
  finishingPath,
  folderPath,
  folders,
  governancePath,
  journalPath,
  mailboxFrom,
  outgoingPath,
  plansPath,
  presencePath,
  promptPath,
  reflectionsPath,
  reportFolders,
  reportsPath,
  responsePath,
  runtimePath,
  sentTasksPath,
  stagedTasksPath,
  statePath,
  supervisorPath,
  tellingPath,
  tempArchivePath,
  templatesPath,
  tempPath,
  unansweredPath,
} from '../layout.ts'
import { type AgentId, isAgentId } from '../names.ts'
import type { Agents } from './agents.ts'
import type { DreamParts } from './parts.ts'

export async function oddEntries(parts: DreamParts, agents: Agents): Promise<Finding[]> {
  const known = new Set<string>(await agents.known())
  const found: Finding[] = []
  const single = async (path: TreePath, expected: ExpectedKind) => {
    const kind = (await lookIfThere(parts.tree, path))?.kind
    if (kind !== undefined && kind !== expected) found.push(oddFinding({ path, kind, expected }))
  }
  const within = async (folder: TreePath, expectedOf: (entry: Entry) => ExpectedKind | undefined) => {
    const entries = (await listIfFolder(parts.tree, folder)).filter(({ name }) => isSegment(name))
    const kinds = new Map(entries.map((entry) => [entry.name, expectedOf(entry)]))
    found.push(...oddAmong(folder, entries, (name) => kinds.get(name)).map(oddFinding))
  }
  const { places } = parts
  for (const path of [...foldersOf(parts), ...[...known].flatMap((one) => foldersOfAgent(parts, one))])
    await single(path, 'folder')
  for (const path of [
    ...[completedPath(places), governancePath(places), places.taskList, supervisorPath(places)],
    ...[promptPath(places), responsePath(places)],
  ])
    await single(path, 'leaf')
  await within(places.mailboxes, ({ name }) =>
    mailboxFrom(name.replace(/\.lock$/, '')) === undefined ? undefined : 'leaf',
  )
  await within(templatesPath(places), ({ name }) => (name.endsWith('.j2') ? 'leaf' : undefined))
  await within(runtimePath(places), ({ name, kind }) =>
    known.has(name) || (kind === 'other' && isAgentId(name)) ? 'folder' : undefined,
  )
  await within(statePath, ({ name }) => (name.startsWith('mailbox_') || isUnanswered(name) ? 'leaf' : 'folder'))
  for (const folder of ownFolders) await within(folder, () => 'leaf')
  return found
}

const isUnanswered = (name: string): boolean => childOf(statePath, name) === unansweredPath

const ownFolders = [
  ...[journalPath, plansPath, dispatchPath, outgoingPath, sentTasksPath, stagedTasksPath, presencePath],
  ...[finishingPath, tellingPath],
  ...['inbox', 'answers'].map((name) => childOf(statePath, name)),
]

const foldersOf = ({ places }: DreamParts): TreePath[] => [
  ...[runtimePath(places), coordinationPath(places), places.mailboxes, tempPath(places), tempArchivePath(places)],
  ...[templatesPath(places), statePath, presencePath],
  ...reportFolders.map((one) => reportsPath(places, one)),
]

function foldersOfAgent({ places }: DreamParts, name: string): TreePath[] {
  const agent = name as AgentId
  const own = [agentPath(places, agent), ...folders.map((one) => folderPath(places, agent, one))]
  return [...own, reflectionsPath(places, agent)]
}
