/** Gives a task to an agent or tells it something, in neutral words. The agent finds either in the session's inbox too. */
import { digestOf } from '../../../formats/digest.ts'
import type { Draft } from '../../../kernel/envelope.ts'
import { keyUsed } from '../../../messaging/sending-once/sending-once.ts'
import { ring } from '../../../messaging/waiting/waiting.ts'
import { isAsk, lower, lowerTold, messageIdOf, messageOf, type SessionMessage, toldId } from '../envelope.ts'
import { agentName, bellFolder, type SessionId, sessionId } from '../layout.ts'
import type { Session, Task } from '../record.ts'
import { newTask, withNewTask } from '../tasks.ts'
import { readableSessions } from './overview.ts'
import type { SessionParts } from './parts.ts'
import { toldAt } from './told.ts'

/** As many keys of messages are remembered as there may be tasks. */
const mostKeys = 1000

interface Sent {
  readonly outcome: 'sent' | 'unchanged'
  readonly session: string
  /** The task, or the number of the line that tells it. */
  readonly made: Task | number
}

/** Of a text, in UTF-16 units, so much stands in an inbox: as much as a line can have. */
const mostShown = 16_384

const shownOf = (text: string): string =>
  text.length <= mostShown ? text : `${text.slice(0, mostShown - 1).toWellFormed()}…`

/** One change, which also records the key. A key counts within its session, and everywhere if the sender named no session. */
export async function send(
  parts: SessionParts,
  id: SessionId,
  draft: Draft,
  key?: string,
): Promise<{ readonly outcome: Sent['outcome']; readonly message: SessionMessage }> {
  const by = agentName(draft.from)
  const wanted = { ...draft, from: by, to: agentName(draft.to) }
  const named = key === undefined ? undefined : { key, digest: digestOfDraft(wanted) }
  const before = named && draft.place === undefined ? await sentAnywhere(parts, named) : undefined
  const sent =
    before ??
    (await parts.documents.change<Sent>(id, { by }, (session, at) => {
      const known = named && sentBefore(session, named)
      if (known) return { answer: known }
      if (isAsk(wanted)) {
        const task = { ...lower(wanted, newTask(session, at)), ...named }
        // The whole of it, since an agent that has only a shell reads it here.
        const line = {
          did: 'DELEGATE',
          about: task.id,
          text: `P${task.priority} ${shownOf(draft.text)}`,
          to: [task.agent],
        }
        return { session: withNewTask(session, task), line, answer: { outcome: 'sent', session: id, made: task } }
      }
      const n = session.changes + 1
      const keys = named ? { keys: [...(session.keys ?? []), { ...named, n }].slice(-mostKeys) } : {}
      const answer: Sent = { outcome: 'sent', session: id, made: n }
      return { session: { ...session, ...keys }, line: lowerTold(wanted), answer }
    }))
  if (sent.outcome === 'sent') await ring(parts.tree, bellFolder(id))
  return { outcome: sent.outcome, message: await messageOfSent(parts, sent) }
}

async function messageOfSent(parts: SessionParts, { session, made }: Sent): Promise<SessionMessage> {
  if (typeof made !== 'number') return messageOf(session, made)
  const now = (await parts.documents.read(sessionId(session)))!
  return messageOf(session, (await toldAt(parts, now, made))[0]!)
}

type Named = Required<Pick<Task, 'key' | 'digest'>>

function sentBefore(session: Session, { key, digest }: Named): Sent | undefined {
  const task = session.tasks.find((one) => one.key === key)
  const told = session.keys?.find((one) => one.key === key)
  const made = task ?? told?.n
  if (made === undefined) return undefined
  const id = messageIdOf(session.id, typeof made === 'number' ? { id: toldId(made) } : made)
  if ((task ?? told)!.digest !== digest) throw keyUsed(key, { id })
  return { outcome: 'unchanged', session: session.id, made }
}

async function sentAnywhere(parts: SessionParts, named: Named): Promise<Sent | undefined> {
  for await (const session of readableSessions(parts)) {
    const before = sentBefore(session, named)
    if (before) return before
  }
  return undefined
}

/** The same for any order of the fields. */
const digestOfDraft = ({ place: _, ...draft }: Draft): string =>
  digestOf(JSON.stringify(Object.entries(draft).sort(([a], [b]) => (a < b ? -1 : 1))))
