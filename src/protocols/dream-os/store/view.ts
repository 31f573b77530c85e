/** From a file of an inbox or outbox to what callers see of it. */
import type { Headline } from '../../../kernel/envelope.ts'
import { printableLine } from '../../../kernel/printable.ts'
import { nameOf, type TreePath } from '../../../kernel/tree-path.ts'
import { type PlainMessage, statedFieldsOf } from '../format.ts'
import { type Folder, senderFrom, stemOf } from '../layout.ts'
import type { MailboxMessage } from '../schema.ts'
import { isoOf, momentOf } from '../times.ts'
import type { DreamView } from './outcomes.ts'

export interface Where {
  /** Whose folder it lies in. */
  readonly agent: string
  readonly state: Folder
  readonly path: TreePath
  /** When the file was written, for those that do not say. */
  readonly modifiedAt: number
}

/** Whose folder it is counts more than what the file says. */
export function viewOf(message: PlainMessage, { agent, state, path, modifiedAt }: Where): DreamView {
  const said = statedFieldsOf(message)
  const file = nameOf(path)
  const isOut = state === 'outbox' || state === 'archive/outbox' || state === 'archive/rejected'
  return {
    protocol: 'dream',
    id: said.id ?? idFrom(file),
    from: isOut ? agent : (senderFrom(file) ?? said.from ?? 'unknown'),
    to: isOut ? (said.to ?? 'unknown') : agent,
    state,
    path,
    summary: summaryOf(message, file),
    createdAt: isoOf(said.sentAt ?? modifiedAt),
    file,
    message,
  }
}

/** One line of what a message says. */
export const summaryOf = (message: PlainMessage, otherwise = ''): string =>
  shortened(statedFieldsOf(message).summary ?? otherwise)

/** What a file is called, without what we put around it. */
export const idFrom = (file: string): string =>
  stemOf(file)
    .replace(/@[^@]*$/, '')
    .replace(/^(?:task|msg)_(?=.)/, '')

/** A message of a mailbox. It is for the agent that has claimed the mailbox, by whatever name. */
export const envelopeIn = (message: MailboxMessage, mailbox: number, state: string, path: string): Headline => ({
  protocol: 'dream',
  id: message.message_id,
  from: message.sender_agent_id,
  to: `mailbox ${mailbox}`,
  state,
  path,
  summary: shortened(message.command),
  createdAt: isoOf(momentOf(message.timestamp_dispatched) ?? 0),
})

const longest = 120

function shortened(text: string): string {
  const line = printableLine(text.trim().split(/\r?\n/, 1)[0]!)
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line
}
