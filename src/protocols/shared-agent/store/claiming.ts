/** What an agent may take. Beginning a task, as taking what was told, is one change of the document, so that one process gets it. */
import { compareTexts } from '../../../kernel/order.ts'
import { waitFor } from '../../../messaging/waiting/waiting.ts'
import type { Receipt, TakeOptions } from '../../contract.ts'
import { messageOf, priorityOf, type SessionMessage, type Told } from '../envelope.ts'
import { agentName, type SessionId, sessionPath } from '../layout.ts'
import type { Session, Task } from '../record.ts'
import { begun, runnable, withTask } from '../tasks.ts'
import { readableSessions } from './overview.ts'
import type { SessionParts } from './parts.ts'
import { takeTold, waitingTold } from './told.ts'

interface BegunTask {
  readonly session: Session
  readonly task: Task
}

/** `undefined`: another process was first, or the session is over. */
export const beginTask = ({ documents }: SessionParts, id: SessionId, task: string, by: string) =>
  documents.change<BegunTask | undefined>(id, { by, startsIt: false }, (session, at) => {
    const found = session.tasks.find((one) => one.id === task)
    if (session.status === 'ended' || found?.state !== 'pending') return { answer: undefined }
    const next = begun(found, at)
    const line = { did: 'start task', about: task }
    return { session: withTask(session, next), line, answer: { session, task: next } }
  })

interface Waiting {
  readonly id: SessionId
  readonly record: Task | Told
  readonly message: SessionMessage
}

/** The tasks that an agent may begin and what it was told, in all sessions or in one, the most urgent first. */
export async function waitingIn(parts: SessionParts, agent: string, place?: string): Promise<Waiting[]> {
  const found: Waiting[] = []
  for await (const session of readableSessions(parts, place)) {
    // The tasks of a session that has ended wait until it goes on.
    const tasks = session.status === 'running' ? runnable(session, agent) : []
    for (const record of [...tasks, ...(await waitingTold(parts, session, agent))])
      found.push({ id: session.id as SessionId, record, message: messageOf(session.id, record) })
  }
  return found.sort(
    (a, b) => priorityOf(a.record) - priorityOf(b.record) || compareTexts(a.message.createdAt, b.message.createdAt),
  )
}

interface Taken {
  readonly message: SessionMessage
  readonly receipt: Receipt
  readonly durability: 'process'
}

/** `session`: the session in which to wait for a task. */
export async function take(
  parts: SessionParts,
  agent: string,
  { place, id, waitMs = 0, signal }: TakeOptions,
  session: () => Promise<SessionId>,
): Promise<Taken | undefined> {
  const reader = agentName(agent)
  const attempt = async (): Promise<Taken | undefined> => {
    for (const { id: session, record, message } of await waitingIn(parts, reader, place)) {
      if (id !== undefined && message.id !== id) continue
      const isTold = 'line' in record
      const told = isTold ? await takeTold(parts, session, record) : undefined
      const begun = isTold ? undefined : (await beginTask(parts, session, record.id, reader))?.task
      const taken = told ?? begun
      if (!taken) continue
      const receipt = { id: message.id, agent: reader, place: session, attempt: told?.attempt ?? begun!.attempts }
      return { message: messageOf(session, taken), receipt, durability: 'process' }
    }
    return undefined
  }
  if (signal?.aborted) return undefined
  if (waitMs <= 0) return attempt()
  return waitFor(parts.tree, [sessionPath(await session())], attempt, { waitMs, ...(signal ? { signal } : {}) })
}
