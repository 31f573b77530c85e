/** Gives a task to an agent, or tells it something, in neutral words. The agent finds either in the session's inbox too. */

import { digestOf } from '../../../formats/digest.ts'
import type { Draft } from '../../../kernel/envelope.ts'
import { keyUsed } from '../../../messaging/sending-once/sending-once.ts'
import { ring } from '../../../messaging/waiting/waiting.ts'
import { isTold, lower, messageIdOf } from '../envelope.ts'
import { agentName, bellFolder, type SessionId } from '../layout.ts'
import type { Session, Task } from '../record.ts'
import { messagesIn, newTask, newTell, withNewTask, withRoomForTells } from '../tasks.ts'
import { readableSessions } from './overview.ts'
import type { SessionParts } from './parts.ts'

/** Of a text, in UTF-16 units, so much stands in an inbox: as much as a line can have. */
const mostShown = 16_384

const shownOf = (text: string): string =>
  text.length <= mostShown ? text : `${text.slice(0, mostShown - 1).toWellFormed()}…`

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
    const isTell = isTold(wanted)
    const task = { ...lower(wanted, isTell ? newTell(session, at) : newTask(session, at)), ...named }
    const text = shownOf(draft.text)
    const line = isTell
      ? { did: 'DIRECT', about: task.id, text, to: [task.agent] }
      : { did: 'DELEGATE', about: task.id, text: `P${task.priority} ${text}`, to: [task.agent] }
    const answer: SentTask = { outcome: 'sent', session: id, task }
    if (!isTell) return { session: withNewTask(session, task), line, answer }
    return { session: withRoomForTells({ ...session, tells: [...(session.tells ?? []), task] }), line, answer }
  })
  if (sent.outcome === 'sent') await ring(parts.tree, bellFolder(id))
  return sent
}

function sentBefore(session: Session, key: string, digest: string): SentTask | undefined {
  const task = messagesIn(session).find((one) => one.key === key)
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

/** Whichever order its fields are in. */
const digestOfDraft = ({ place: _, ...draft }: Draft): string =>
  digestOf(JSON.stringify(Object.entries(draft).sort(([a], [b]) => (a < b ? -1 : 1))))
