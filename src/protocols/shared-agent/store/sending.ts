/** Gives a task to an agent, in neutral words. Its agent finds it in the session's inbox too. */
import { digestOf } from '../../../formats/digest.ts'
import type { Draft } from '../../../kernel/envelope.ts'
import { keyUsed } from '../../../messaging/sending-once/sending-once.ts'
import { ring } from '../../../messaging/waiting/waiting.ts'
import { lower, messageIdOf } from '../envelope.ts'
import { agentName, bellFolder, type SessionId } from '../layout.ts'
import type { Session, Task } from '../record.ts'
import { newTask, withNewTask } from '../tasks.ts'
import { readableSessions } from './overview.ts'
import type { SessionParts } from './parts.ts'

interface SentTask {
  readonly outcome: 'sent' | 'unchanged'
  readonly session: string
  readonly task: Task
}

/** One change, which also records the key. A key counts within its session, and everywhere if the sender named no session. */
export async function send(parts: SessionParts, id: SessionId, draft: Draft, key?: string): Promise<SentTask> {
  const by = agentName(draft.from)
  const wanted = { ...draft, from: by, to: agentName(draft.to) }
  const named = key === undefined ? {} : { key, digest: digestOfDraft(wanted) }
  if (key !== undefined && draft.place === undefined) {
    const before = await sentAnywhere(parts, key, named.digest!)
    if (before) return before
  }
  const sent = await parts.documents.change(id, { by }, (session, at) => {
    const before = key === undefined ? undefined : sentBefore(session, key, named.digest!)
    if (before) return { answer: before }
    const task = { ...lower(wanted, newTask(session, at)), ...named }
    const line = { did: 'DELEGATE', about: task.id, text: draft.summary ?? draft.text.slice(0, 400), to: [task.agent] }
    const answer: SentTask = { outcome: 'sent', session: id, task }
    return { session: withNewTask(session, task), line, answer }
  })
  if (sent.outcome === 'sent') await ring(parts.tree, bellFolder(id))
  return sent
}

function sentBefore(session: Session, key: string, digest: string): SentTask | undefined {
  const task = session.tasks.find((one) => one.key === key)
  if (task && task.digest !== digest) throw keyUsed(key, { id: messageIdOf(session.id, task) })
  return task && { outcome: 'unchanged', session: session.id, task }
}

async function sentAnywhere(parts: SessionParts, key: string, digest: string): Promise<SentTask | undefined> {
  for await (const session of readableSessions(parts)) {
    const before = sentBefore(session, key, digest)
    if (before) return before
  }
  return undefined
}

/** The same for any order of the fields. */
const digestOfDraft = ({ place: _, ...draft }: Draft): string =>
  digestOf(JSON.stringify(Object.entries(draft).sort(([a], [b]) => (a < b ? -1 : 1))))
