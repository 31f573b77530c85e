/** Beginning a task, and giving one back. Each is one change of the document, so that of many who want a task one has it. */
import { waitFor } from '../../../messaging/waiting/waiting.ts'
import type { Receipt, TakeOptions } from '../../contract.ts'
import { messageIdOf, messageOf, type SessionMessage } from '../envelope.ts'
import { agentName, type SessionId, sessionPath } from '../layout.ts'
import type { Session, Task } from '../record.ts'
import { begun, messageFor, runnable, waitingTells, withTask } from '../tasks.ts'
import { readableSessions } from './overview.ts'
import type { SessionParts } from './parts.ts'

interface BegunTask {
  readonly session: Session
  readonly task: Task
}

/** `undefined`: another process was first, or the session is over. */
export const beginTask = ({ documents }: SessionParts, id: SessionId, task: string, by: string) =>
  documents.change<BegunTask | undefined>(id, { by, startsIt: false }, (session, at) => {
    const found = messageFor(session, task, by)
    if (session.status === 'ended' || found?.state !== 'pending') return { answer: undefined }
    const next = begun(found, at)
    const line = { did: 'start task', about: task }
    return { session: withTask(session, next), line, answer: { session, task: next } }
  })

/** What an agent could begin, in all sessions or in one, the most urgent first. */
export async function waitingTasks(parts: SessionParts, agent: string, place?: string): Promise<BegunTask[]> {
  const found: BegunTask[] = []
  for await (const session of readableSessions(parts, place))
    for (const task of [...runnable(session, agent), ...waitingTells(session, agent)]) found.push({ session, task })
  return found.sort((a, b) => a.task.priority - b.task.priority || a.task.at - b.task.at)
}

interface TakenTask {
  readonly message: SessionMessage
  readonly receipt: Receipt
  readonly durability: 'process'
}

/** `session`: where it waits for one to come. */
export async function take(
  parts: SessionParts,
  agent: string,
  { place, id, waitMs = 0, signal }: TakeOptions,
  session: () => Promise<SessionId>,
): Promise<TakenTask | undefined> {
  const reader = agentName(agent)
  const attempt = async (): Promise<TakenTask | undefined> => {
    for (const { session, task } of await waitingTasks(parts, reader, place)) {
      if (id !== undefined && messageIdOf(session.id, task) !== id) continue
      const taken = await beginTask(parts, session.id as SessionId, task.id, reader)
      if (!taken) continue
      const message = messageOf(session.id, taken.task)
      const receipt = { id: message.id, agent: reader, place: session.id, attempt: taken.task.attempts }
      return { message, receipt, durability: 'process' }
    }
    return undefined
  }
  if (signal?.aborted) return undefined
  if (waitMs <= 0) return attempt()
  return waitFor(parts.tree, [sessionPath(await session())], attempt, { waitMs, ...(signal ? { signal } : {}) })
}
