/** From a file of an inbox or outbox to what callers see of it. */
import type { Headline } from '../../../kernel/envelope.ts'
import { printableLine } from '../../../kernel/printable.ts'
import { nameOf, type TreePath } from '../../../kernel/tree-path.ts'
import { type PlainMessage, statedFieldsOf } from '../format.ts'
import { type Folder, senderFrom, stemOf } from '../layout.ts'
import type { MailboxMessage } from '../schema.ts'
import { isoOf, momentOf } from '../times.ts'
import type { DreamView } from './outcomes.ts'

interface Where {
  /** Whose folder it lies in. */
  readonly agent: string
  readonly state: Folder
  readonly path: TreePath
  /** Used where the message states no time. */
  readonly modifiedAt: number
}

/** The owner of the folder counts more than the sender or target in the file. */
export function viewOf(message: PlainMessage, { agent, state, path, modifiedAt }: Where): DreamView {
  const stated = statedFieldsOf(message)
  const file = nameOf(path)
  const isOut = state === 'outbox' || state === 'archive/outbox' || state === 'archive/rejected'
  return {
    protocol: 'dream',
    id: stated.id ?? idFrom(file),
    from: isOut ? agent : (senderFrom(file) ?? stated.from ?? 'unknown'),
    to: isOut ? (stated.to ?? 'unknown') : agent,
    state,
    path,
    summary: summaryOf(message, file),
    createdAt: isoOf(stated.sentAt ?? modifiedAt),
    file,
    message,
  }
}

/** One line of what a message says. */
export const summaryOf = (message: PlainMessage, otherwise = ''): string =>
  shortened(statedFieldsOf(message).summary ?? otherwise)

/** The name of a file without the prefix and the sender that Signalbox adds. */
export const idFrom = (file: string): string =>
  stemOf(file)
    .replace(/@[^@]*$/, '')
    .replace(/^(?:task|msg)_(?=.)/, '')

/** A message of a mailbox. It is for the agent that has claimed the mailbox. */
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
