/**
 * What `doctor` should know of the agents: files that are no messages, inboxes over their limit, counters without a number, and
 * lines that a crash kept out of a log. Only the lines are repaired here; the rest is left to the next reader or to a person.
 */
import { call } from '../../../kernel/call.ts'
import { SignalboxError } from '../../../kernel/errors.ts'
import { childOf, isSegment, nameOf, type TreePath } from '../../../kernel/tree-path.ts'
import { findingsOf, oddAmong, oddFinding } from '../../../messaging/inspection/expected.ts'
import {
  closedMessage,
  strangeFile,
  unfinishedSends,
  unreadableMessage,
  unseenRecipient,
} from '../../../messaging/inspection/findings.ts'
import { listIfFolder, unlessOdd } from '../../../messaging/leaves/tolerant.ts'
import { type Finding, finding } from '../../../tree/tree.ts'
import type { InspectionOptions } from '../../contract.ts'
import {
  type AgentId,
  ackedPath,
  agentEntries,
  agentPath,
  awaitingPath,
  errorLogPath,
  evictionLogPath,
  folderPath,
  folders,
  isAgentId,
  isMessageName,
  sequencesPath,
  stemOf,
} from '../layout.ts'
import { invalidAs } from './inbox.ts'
import { numberIn } from './issued-numbers.ts'
import { discarded, linesByFile, logError, logEviction } from './logs.ts'
import { isMessageEntry, messageNames, pathIn, type StoreParts } from './parts.ts'
import { isClosed, leafAt, openFile } from './reading.ts'

type Look = (parts: StoreParts, agent: AgentId) => Promise<Finding[]>
type IsSeen = NonNullable<InspectionOptions['isSeen']>

export async function inspect(parts: StoreParts, repair: boolean, isSeen?: IsSeen): Promise<Finding[]> {
  const { tree, root, agents, delivery } = parts
  const { names, notices } = await agents.known()
  const expectedAt = (name: string) => (isAgentId(name) ? 'folder' : undefined)
  const publish = repair ? (staged: TreePath) => delivery.publish(staged) : undefined
  const findings: Finding[] = [
    ...notices.map((message) =>
      finding('note', 'MANY_AGENTS', root, message, 'Remove the folders of agents that are gone.'),
    ),
    ...oddAmong(root, await tree.list(root), expectedAt).map(oddFinding),
    ...(await unfinishedSends(tree, delivery.once, publish)),
  ]
  const looks: Look[] = [
    overfull,
    strangeFiles,
    invalidFiles,
    closedFiles,
    badCounters,
    unlogged('evicted', repair),
    unlogged('rejected', repair),
    ...(isSeen ? [unseen(isSeen)] : []),
  ]
  for (const agent of names) {
    findings.push(...(await oddOf(parts, agent)))
    for (const look of looks) findings.push(...(await findingsOf(agentPath(root, agent), () => look(parts, agent))))
  }
  return findings
}

/** Messages for an agent that has never acted in any protocol. */
const unseen =
  (isSeen: IsSeen): Look =>
  async (parts, agent) => {
    const { length } = await messageNames(parts, agent, 'inbox')
    if (length === 0 || (await isSeen(agent))) return []
    const receive = call('mr receive', { as: agent })
    return [unseenRecipient(folderPath(parts.root, agent, 'inbox'), agent, length, receive)]
  }

const invalidFiles: Look = async (parts, agent) => {
  const { invalid } = await parts.inbox.look(agent)
  const next = `Correct the file, or let it be set aside: ${call('mr receive', { as: agent })}`
  return invalid.map(({ name, rejection }) =>
    unreadableMessage(pathIn(parts, agent, 'inbox', name), rejection.issues.join(' '), next),
  )
}

/** A process was killed between the move and the line about it. */
const unlogged =
  (folder: 'evicted' | 'rejected', repair: boolean): Look =>
  async (parts, agent) => {
    const names = await messageNames(parts, agent, folder)
    if (names.length === 0) return []
    const log = (folder === 'evicted' ? evictionLogPath : errorLogPath)(parts.root, agent)
    const lines = await linesByFile(parts.tree, log)
    const missing = names.filter((name) => lines && !lines.has(`${folder}/${name}`))
    for (const name of repair ? missing : []) await logNow(parts, agent, folder, name)
    return missing.map((name) => {
      const message = `${folder}/${name} is not in ${nameOf(log)}: a process was killed before it could write the line.`
      const hint = repair ? 'Nothing more is to be done.' : `Let it be added: ${call('doctor', { fix: true })}`
      return finding('warning', 'MISSING_LOG_LINE', pathIn(parts, agent, folder, name), message, hint, repair)
    })
  }

async function logNow(parts: StoreParts, agent: AgentId, folder: 'evicted' | 'rejected', name: string): Promise<void> {
  const [msgId, file] = [stemOf(name), `${folder}/${name}`]
  if (folder === 'evicted') return logEviction(parts, agent, { msgId, count: parts.settings.inboxLimit, file })
  const leaf = await leafAt(parts, pathIn(parts, agent, folder, name))
  const judged = leaf && parts.inbox.judge(leaf.bytes, { agent, name, size: leaf.size, compat: false })
  const { code, issues } =
    judged?.outcome === 'malformed'
      ? invalidAs(name, judged).rejection
      : { code: 'REJECTED', issues: ['The reason was not written down'] }
  await logError(parts, agent, { code, msgId, issues, action: discarded, file })
}

/** Entries of the wrong kind where an agent's own files or folders should be, such as a link or a pipe. */
const oddOf: Look = async ({ tree, root }, agent) => {
  const own = agentPath(root, agent)
  const findings = oddAmong(own, await tree.list(own), (name) => agentEntries[name]).map(oddFinding)
  for (const folder of [sequencesPath, awaitingPath, ackedPath].map((pathOf) => pathOf(root, agent)))
    findings.push(...oddAmong(folder, await listIfFolder(tree, folder), leafIfUsable).map(oddFinding))
  return findings
}

const leafIfUsable = (name: string) => (isSegment(name) && !name.startsWith('.') ? 'leaf' : undefined)

const overfull: Look = async (parts, agent) => {
  const { inboxLimit: most } = parts.settings
  const { length } = await messageNames(parts, agent, 'inbox')
  if (length <= most) return []
  const message = `The inbox of ${agent} holds ${length} messages; ${most} is the most.`
  const receive = call('mr receive', { as: agent })
  const hint = `Another program wrote them. The oldest are evicted when ${agent} receives: ${receive}`
  return [finding('warning', 'INBOX_OVERFULL', folderPath(parts.root, agent, 'inbox'), message, hint)]
}

/** Entries that are named like messages, and cannot be read or moved. */
const strangeFiles: Look = async ({ tree, root }, agent) => {
  const findings: Finding[] = []
  for (const path of folders.map((folder) => folderPath(root, agent, folder)))
    for (const entry of await listIfFolder(tree, path)) {
      const { name, kind } = entry
      if (!isMessageName(name) || isMessageEntry(entry)) continue
      findings.push(strangeFile(isSegment(name) ? childOf(path, name) : path, name, kind))
    }
  return findings
}

/** Files of other users, which cannot be handed out, judged or set aside here. */
const closedFiles: Look = async (parts, agent) => {
  const findings: Finding[] = []
  for (const folder of folders)
    for (const name of (await unlessOdd(messageNames(parts, agent, folder))) ?? []) {
      const found = await openFile(parts, agent, folder, name)
      if (found && isClosed(found)) findings.push(closedMessage(found.path, found.reason, found.hint))
    }
  return findings
}

const badCounters: Look = async (parts, agent) => {
  const folder = sequencesPath(parts.root, agent)
  const findings: Finding[] = []
  for (const { name, kind } of await parts.tree.list(folder)) {
    // Other names are lock files of other programs, or of no recipient.
    if (kind !== 'leaf' || !isAgentId(name)) continue
    const path = childOf(folder, name)
    const leaf = await leafAt(parts, path)
    try {
      if (leaf) numberIn(leaf.bytes, path, agent)
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error
      findings.push(finding('error', error.code, path, error.message, error.hint ?? ''))
    }
  }
  return findings
}
