/**
 * Where Message Routing keeps things. Pure; nothing here looks at a disk. Spec: Message Routing, "Routing Rules",
 * "Message Ordering Guarantees" and "File Naming Convention".
 *
 *   state/agents/{agent}/
 *     inbox/msg_{8 hex}.json      waiting, one file a message
 *     .sequences/{recipient}      the last number this agent gave out to that recipient
 *     error.log                   what was rejected here, and what this agent could not deliver
 *   and of our own:
 *     taken/ evicted/ rejected/   what left the inbox, kept for a while
 *     evictions.log               one line for each eviction
 *     .received.json              the numbers seen of each sender, to notice gaps
 *     .awaiting/{id}              sent by this agent and not acknowledged yet
 *     .acked/{id}                 acknowledged by this agent
 *     versions.json               the versions that this agent speaks
 */
import { childOf, type TreePath } from '../../kernel/tree-path.ts'
import type { AgentId, MessageId } from './names.ts'

export { type AgentId, agentId, isAgentId, isMessageId, type MessageId, messageId } from './names.ts'

/** The folders that a message can lie in, all of its recipient. */
export const folders = ['inbox', 'taken', 'evicted', 'rejected'] as const
export type Folder = (typeof folders)[number]

// All parts are checked already.
const below = (folder: string, rest: string): TreePath => `${folder}/${rest}` as TreePath

export const agentPath = (root: TreePath, agent: AgentId): TreePath =>
  (root === '' ? (agent as string) : `${root}/${agent}`) as TreePath

export const folderPath = (root: TreePath, agent: AgentId, folder: Folder): TreePath =>
  below(agentPath(root, agent), folder)

export const sequencesPath = (root: TreePath, sender: AgentId): TreePath => below(agentPath(root, sender), '.sequences')

export const sequencePath = (root: TreePath, sender: AgentId, recipient: AgentId): TreePath =>
  below(sequencesPath(root, sender), recipient)

/** By which other programs guard that counter, where they do. It stays there, empty. */
export const sequenceLockPath = (root: TreePath, sender: AgentId, recipient: AgentId): TreePath =>
  below(sequencesPath(root, sender), `${recipient}.lock`)

export const errorLogPath = (root: TreePath, agent: AgentId): TreePath => below(agentPath(root, agent), 'error.log')
export const evictionLogPath = (root: TreePath, agent: AgentId): TreePath =>
  below(agentPath(root, agent), 'evictions.log')
export const receivedPath = (root: TreePath, agent: AgentId): TreePath =>
  below(agentPath(root, agent), '.received.json')
export const awaitingPath = (root: TreePath, sender: AgentId): TreePath => below(agentPath(root, sender), '.awaiting')
/** Beside the inbox, so that whoever can write to an agent can also see what it understands. */
export const versionsPath = (root: TreePath, agent: AgentId): TreePath => below(agentPath(root, agent), 'versions.json')
export const ackedPath = (root: TreePath, agent: AgentId): TreePath => below(agentPath(root, agent), '.acked')

/** What stands in an agent's folder under which name. */
export const agentEntries: Readonly<Record<string, 'leaf' | 'folder'>> = {
  inbox: 'folder',
  taken: 'folder',
  evicted: 'folder',
  rejected: 'folder',
  '.sequences': 'folder',
  '.awaiting': 'folder',
  '.acked': 'folder',
  'error.log': 'leaf',
  'evictions.log': 'leaf',
  '.received.json': 'leaf',
  'versions.json': 'leaf',
}

const extension = '.json'

export const fileNameOf = (id: MessageId): string => `${id}${extension}`

/** What a file is called without its ending: the id, in a file that obeys the specification. */
export const stemOf = (fileName: string): string => fileName.slice(0, -extension.length)

/** True for what counts as a message in an inbox. Hidden files, `*.tmp` and `*.lock` are other programs' own business. */
export const isMessageName = (name: string): boolean => name.endsWith(extension) && !name.startsWith('.')

export const messagePath = (folder: TreePath, fileName: string): TreePath => childOf(folder, fileName)
