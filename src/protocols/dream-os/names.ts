/** The names that become parts of paths. Checked before anything is written, trusted afterwards. */
import { sha256 } from '../../formats/digest.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { printableLine } from '../../kernel/printable.ts'

declare const brand: unique symbol
export type AgentId = string & { readonly [brand]: 'AgentId' }
export type TaskId = string & { readonly [brand]: 'TaskId' }

/** The address of all agents; no agent can have it as its name. */
export const broadcast = 'broadcast'

/** Senders that are no agents: they have no folder of their own. Spec: Dream.OS, Individual Message Object. */
const otherSenders: readonly string[] = ['System', 'User']

const agent = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const task = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/
const ownFolders: readonly string[] = ['shared_mailboxes', 'archive', 'reflection', broadcast]
/** `runtime/` holds files beside the folders of agents. */
const fileEnding = /\.(json|jsonl|md|txt|j2|lock|tmp)$/i

export const isAgentId = (text: string): text is AgentId => reasonAgainst(text) === undefined

export function agentId(text: string): AgentId {
  if (isAgentId(text)) return text
  throw invalidInput('INVALID_AGENT_ID', `Not an agent: ${shown(text)}: ${reasonAgainst(text)}.`, {
    hint: 'Use a name such as Agent_0 or RefactorAgent.',
    details: { agent: text.slice(0, 400) },
  })
}

function reasonAgainst(text: string): string | undefined {
  if (text === '') return 'the name is empty'
  if (text.length > 64) return `it has ${text.length} characters; 64 is the most`
  if (!agent.test(text)) return 'a name has only letters, digits, `.`, `_` and `-`, and begins with a letter or digit'
  if (text.toLowerCase() === broadcast) return '`broadcast` means everybody'
  if (ownFolders.includes(text.toLowerCase())) return 'it is the name of a folder of the protocol'
  if (fileEnding.test(text)) return 'it looks like the name of a file'
  return undefined
}

/** Who sends to a mailbox: an agent, `System` or `User`. */
export const senderId = (text: string): string => (otherSenders.includes(text) ? text : agentId(text))

export const isTaskId = (text: string): text is TaskId => task.test(text)

export function taskId(text: string): TaskId {
  if (isTaskId(text)) return text
  throw invalidInput('INVALID_TASK_ID', `Not the id of a task: ${shown(text)}.`, {
    hint: 'Use letters, digits, `.`, `_` and `-`, at most 128, such as task-001.',
    details: { task: text.slice(0, 400) },
  })
}

/** A file name for any texts: 24 hexadecimal digits of their digest. */
export const hashedName = (...about: readonly string[]): string => sha256(JSON.stringify(about)).slice(0, 24)

/** The name of a report, a state or a template, without folders. */
export function documentName(text: string, ending: string): string {
  const stem = text.endsWith(ending) ? text.slice(0, -ending.length) : text
  if (/^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/.test(stem)) return `${stem}${ending}`
  throw invalidInput('INVALID_NAME', `Not a name for a file: ${shown(text)}.`, {
    hint: `Use letters, digits, \`.\`, \`_\` and \`-\`, such as weekly${ending}.`,
    details: { name: text.slice(0, 400) },
  })
}

export function mailboxNumber(value: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= mostMailboxes) return value
  throw invalidInput('INVALID_MAILBOX', `Not the number of a mailbox: ${value}.`, {
    hint: `Use a number from 1 to ${mostMailboxes}.`,
    details: { mailbox: value },
  })
}

export const mostMailboxes = 999

const shown = (text: string): string => printableLine(JSON.stringify(text.slice(0, 80)))
