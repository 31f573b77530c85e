/**
 * Where Message Routing keeps things, and the names that become parts of paths. Pure; nothing here looks at a disk. Spec:
 * Message Routing, "Routing Rules", "Message Ordering Guarantees" and "File Naming Convention".
 *
 *   state/agents/{agent}/
 *     inbox/msg_{8 hex}.json      waiting, one file a message
 *     .sequences/{recipient}      the last number this agent gave out to that recipient
 *     error.log                   what was rejected here, and what this agent could not deliver
 *   and of our own:
 *     taken/ evicted/ rejected/   messages that left the inbox, kept for a while
 *     evictions.log               one line for each eviction
 *     .received.json              the numbers seen of each sender, to notice gaps
 *     .awaiting/{id}              sent by this agent and not acknowledged yet
 *     .acked/{id}                 acknowledged by this agent
 *     versions.json               the versions that this agent speaks, for its senders
 */
import { sha256 } from '../../formats/digest.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { printableLine } from '../../kernel/printable.ts'
import type { TreePath } from '../../kernel/tree-path.ts'

declare const brand: unique symbol
export type AgentId = string & { readonly [brand]: 'AgentId' }
export type MessageId = string & { readonly [brand]: 'MessageId' }

/** The letters are those of the schema; the length is ours, since a name becomes a folder. */
export const isAgentId = (text: string): text is AgentId => /^[a-z0-9_-]{1,64}$/.test(text)
export const isMessageId = (text: string): text is MessageId => /^msg_[a-f0-9]{8}$/.test(text)

export function agentId(text: string): AgentId {
  if (isAgentId(text)) return text
  throw invalidInput('INVALID_AGENT_ID', `Not an agent: ${shown(text)}: ${reasonAgainst(text)}.`, {
    hint: 'Use a name such as coder-1 or coordinator-main.',
    details: { agent: text.slice(0, 400) },
  })
}

export function messageId(text: string): MessageId {
  if (isMessageId(text)) return text
  throw invalidInput('INVALID_MESSAGE_ID', `Not a message: ${shown(text)}.`, {
    hint: 'Give the whole id: `msg_` and eight of 0-9 and a-f, such as msg_a3f5d8b2.',
    details: { id: text.slice(0, 400) },
  })
}

function reasonAgainst(text: string): string {
  if (text === '') return 'the name is empty'
  if (text.length > 64) return `it has ${text.length} characters; 64 is the most`
  return 'a name has only lower-case letters, digits, `_` and `-`'
}

const shown = (text: string): string => printableLine(JSON.stringify(text.slice(0, 80)))

/** The folders of the recipient that a message can lie in. */
export const folders = ['inbox', 'taken', 'evicted', 'rejected'] as const
export type Folder = (typeof folders)[number]
export type KeptFolder = Exclude<Folder, 'inbox'>

const below = (folder: string, rest: string): TreePath => `${folder}/${rest}` as TreePath

export const agentPath = (root: TreePath, agent: AgentId): TreePath =>
  (root === '' ? (agent as string) : `${root}/${agent}`) as TreePath

export const folderPath = (root: TreePath, agent: AgentId, folder: Folder): TreePath =>
  below(agentPath(root, agent), folder)

const ofAgent =
  (name: string) =>
  (root: TreePath, agent: AgentId): TreePath =>
    below(agentPath(root, agent), name)

export const sequencesPath = ofAgent('.sequences')
export const errorLogPath = ofAgent('error.log')
export const evictionLogPath = ofAgent('evictions.log')
export const receivedPath = ofAgent('.received.json')
export const awaitingPath = ofAgent('.awaiting')
export const ackedPath = ofAgent('.acked')
export const versionsPath = ofAgent('versions.json')

export const sequencePath = (root: TreePath, sender: AgentId, recipient: AgentId): TreePath =>
  below(sequencesPath(root, sender), recipient)

/** The lock file by which other programs guard that counter. It stays there, empty. */
export const sequenceLockPath = (root: TreePath, sender: AgentId, recipient: AgentId): TreePath =>
  below(sequencesPath(root, sender), `${recipient}.lock`)

/** The kind of each entry in an agent's folder. */
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

export const fileNameOf = (id: string): string => `${id}${extension}`

/** The name of a file without its ending: the id, in a file that obeys the specification. */
export const stemOf = (fileName: string): string => fileName.slice(0, -extension.length)

/** True for what counts as a message in an inbox. Hidden files, `*.tmp` and `*.lock` belong to other programs. */
export const isMessageName = (name: string): boolean => name.endsWith(extension) && !name.startsWith('.')

/** The folder of a sender, whose name may be of any length. A long name is cut and gets a digest, longer than any agent's name. */
export const senderFolder = (from: string): string =>
  from.length <= 64 ? from : `${from.slice(0, 32)}-${sha256(from)}`
