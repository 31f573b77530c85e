/** A session, its messages and its tasks as others see them. */
import { isoTime } from '../../../kernel/clock.ts'
import { withoutUndefined } from '../../../kernel/field.ts'
import type { NamedLock } from '../../../messaging/locks/named-locks.ts'
import type { Lease } from '../../../tree/tree.ts'
import type { Change, Session } from '../record.ts'
import type { Unread } from './channels.ts'
import type { LockView, LogLine, Mail, Said, SessionView } from './outcomes.ts'
import type { Answer } from './speech.ts'

export function saidOf(session: string, { lines, exit, code, reason, at, lock }: Answer): Said {
  const outcome = exit === 0 ? 'answered' : exit === 1 ? 'nothing' : 'refused'
  const more = withoutUndefined({ code, reason, at, lock: lock && heldOf(lock) })
  return { outcome, session, answer: lines.join('\n'), lines, exit, ...more }
}

export const viewOf = (session: Session, current: string | undefined): SessionView => ({
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

export const lineOf = ({ at, ...line }: Change): LogLine => ({ ...line, at: isoTime(at) })
