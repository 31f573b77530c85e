/** A session, its messages and its locks as callers see them. */
import { isoTime } from '../../../kernel/clock.ts'
import { withoutUndefined } from '../../../kernel/field.ts'
import type { NamedLock } from '../../../messaging/locks/named-locks.ts'
import type { Lease } from '../../../tree/tree.ts'
import type { Session, SessionChange } from '../record.ts'
import type { Unread } from './channels.ts'
import type { LockView, LogLine, Mail, SayOutcome, SessionView } from './outcomes.ts'
import type { CommandAnswer } from './speech.ts'

export function sayOutcomeOf(session: string, { lines, exit, code, reason, at, lock }: CommandAnswer): SayOutcome {
  const outcome = exit === 0 ? 'answered' : exit === 1 ? 'nothing' : 'refused'
  const more = withoutUndefined({ code, reason, at, lock: lock && heldOf(lock) })
  return { outcome, session, answer: lines.join('\n'), lines, exit, ...more }
}

export const sessionViewOf = (session: Session, current: string | undefined): SessionView => ({
  session: session.id,
  status: session.status,
  isCurrent: session.id === current,
  startedAt: isoTime(session.startedAt),
  keys: session.state.length,
  tasks: session.tasks.length,
  changes: session.changes,
})

export const mailOf = ({ n, by, at, did, about, text = '', again }: Unread, to: string): Mail => ({
  n,
  from: by,
  to,
  kind: did,
  ...(did === 'BROADCAST' ? { channel: about ?? '' } : about === undefined ? {} : { about }),
  text,
  sentAt: isoTime(at),
  ...(again ? { redelivered: true } : {}),
})

const heldOf = ({ resource, owner, until, fence }: Lease) => ({ resource, owner, until: isoTime(until), fence })

export const lockOf = ({ waiting, ...lease }: NamedLock): LockView => ({
  ...heldOf(lease),
  waiting: waiting.map((one) => ({ owner: one.owner, priority: `P${one.priority}` })),
})

export const logLineOf = ({ at, more: _, ...line }: SessionChange): LogLine => ({ ...line, at: isoTime(at) })
