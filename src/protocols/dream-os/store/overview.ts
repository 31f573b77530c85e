/** One line about each mailbox. Changes nothing. */
import { SignalboxError } from '../../../kernel/errors.ts'
import { mailboxPath } from '../layout.ts'
import type { ReadMailbox } from '../mailbox-format.ts'
import type { MailboxStatus } from '../schema.ts'
import { isoOf } from '../times.ts'
import type { Dream } from './dream.ts'
import { problemsOf } from './mailbox-messages.ts'
import type { MailboxLine } from './outcomes.ts'

/** For a mailbox that cannot be read, the line says why. */
export async function mailboxLine({ parts, files }: Dream, number: number): Promise<MailboxLine> {
  const path = mailboxPath(parts.places, number)
  try {
    const { mailbox, processed, now } = await files.open(number)
    const given = await files.memory.given(number)
    const open = mailbox.messages.flatMap(({ message }) =>
      message && !processed.has(message.message_id) ? [message.message_id] : [],
    )
    const inHand = open.filter((id) => (given.get(id)?.until ?? 0) > now).length
    return {
      mailbox: number,
      path,
      status: standingStatus(mailbox, now, parts.settings.takeOverMs),
      agent: mailbox.agent,
      lastSeenAt: mailbox.lastSeenAt === undefined ? undefined : isoOf(mailbox.lastSeenAt),
      waiting: open.length - inHand,
      inHand,
      processed: mailbox.messages.filter(({ message }) => message && processed.has(message.message_id)).length,
      problems: [...mailbox.problems.map(({ message }) => message), ...problemsOf(mailbox.messages)],
      notes: [...mailbox.notes, ...mailbox.messages.flatMap(({ notes }) => notes)],
    }
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    const nothing = { status: undefined, agent: undefined, lastSeenAt: undefined, waiting: 0, inHand: 0, processed: 0 }
    return {
      mailbox: number,
      path,
      ...nothing,
      problems: [[error.message, error.hint].filter(Boolean).join(' ')],
      notes: [],
      unreadable: true,
    }
  }
}

/** An agent that was not seen for too long counts as offline, whatever the file says. */
const standingStatus = (
  { status, agent, lastSeenAt = 0 }: ReadMailbox,
  now: number,
  takeOverMs: number,
): MailboxStatus | undefined => (agent !== undefined && lastSeenAt <= now - takeOverMs ? 'offline' : status)
