/** The names that become parts of paths: agents and messages. Checked before anything is written, trusted afterwards. */
import { invalidInput } from '../../kernel/errors.ts'
import { printableLine } from '../../kernel/printable.ts'

declare const brand: unique symbol
export type AgentId = string & { readonly [brand]: 'AgentId' }
export type MessageId = string & { readonly [brand]: 'MessageId' }

// The schema's own letters; the length is ours, since a name becomes a folder.
const agent = /^[a-z0-9_-]{1,64}$/
const message = /^msg_[a-f0-9]{8}$/

export const isAgentId = (text: string): text is AgentId => agent.test(text)
export const isMessageId = (text: string): text is MessageId => message.test(text)

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
