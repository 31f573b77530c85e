/** A session, its messages and its tasks as others see them. */
import { isoTime } from '../../../kernel/clock.ts'
import type { Envelope } from '../../../kernel/envelope.ts'
import { printableLine } from '../../../kernel/printable.ts'
import type { NamedLock } from '../../../messaging/locks/named-locks.ts'
import type { Lease } from '../../../tree/tree.ts'
import { documentPath, sessionId } from '../layout.ts'
import type { Change, Session, Task } from '../record.ts'
import type { Unread } from './channels.ts'
import type { LockView, LogLine, Mail, Said, SessionView } from './outcomes.ts'
import type { Answer } from './speech.ts'

export const saidOf = (session: string, { lines, exit, code, reason, at, lock }: Answer): Said => ({
  outcome: exit === 0 ? 'answered' : exit === 1 ? 'nothing' : 'refused',
  session,
  answer: lines.join('\n'),
  lines,
  exit,
  ...(code === undefined ? {} : { code }),
  ...(reason === undefined ? {} : { reason }),
  ...(at === undefined ? {} : { at }),
  ...(lock === undefined ? {} : { lock: heldOf(lock) }),
})

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

/** A task is the message of this protocol that others know. */
export const envelopeOf = (session: string, task: Task): Envelope => ({
  protocol: 'session',
  id: messageIdOf(session, task),
  from: task.by,
  to: task.agent,
  state: task.state,
  path: documentPath(sessionId(session)),
  summary: summaryOf(task),
  createdAt: isoTime(task.at),
  place: session,
})

export const messageIdOf = (session: string, { id }: Pick<Task, 'id'>): string => `${session}:${id}`

const longestSummary = 120

function summaryOf({ summary, task }: Task): string {
  const line = printableLine((summary ?? task).trim().split(/\r?\n/, 1)[0]!)
  return line.length > longestSummary ? `${line.slice(0, longestSummary - 1)}…` : line
}
