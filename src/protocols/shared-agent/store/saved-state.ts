/** The state of a session as bytes, for checkpoints. A rollback leaves messages, the log and the numbers of tasks alone. */
import { corrupt } from '../../../kernel/errors.ts'
import { ring } from '../../../messaging/waiting/waiting.ts'
import { bellFolder, sessionId } from '../layout.ts'
import { newSession, parseSession, printSession, type Session } from '../record.ts'
import { locksOf } from './locks.ts'
import type { SessionParts } from './parts.ts'

type Kept = Pick<Session, 'state' | 'variables' | 'definitions' | 'tasks' | 'lastTask' | 'depends'>

const keptOf = ({ state, variables, definitions, tasks, lastTask, depends }: Session): Kept => {
  return { state, variables, definitions, tasks, lastTask, depends }
}

const bytesOf = (session: Session): Uint8Array =>
  Buffer.from(printSession({ ...newSession(session.id, session.startedAt), ...keptOf(session) }))

export const savedStates = (parts: SessionParts) => ({
  async save(name: string): Promise<Uint8Array> {
    const id = sessionId(name)
    return bytesOf((await parts.documents.read(id)) ?? newSession(id, await parts.tree.now()))
  },

  async check(name: string, bytes: Uint8Array): Promise<void> {
    readKept(name, bytes)
  },

  /** Changes the document in one step, then releases the session's locks; the line of the log tells their owners. Twice is fine. */
  async restore(
    name: string,
    bytes: Uint8Array,
    known?: readonly Uint8Array[],
  ): Promise<{ readonly keys: number; readonly released: readonly string[] } | undefined> {
    const id = sessionId(name)
    const kept = readKept(name, bytes)
    const { status, generation = 0 } = (await parts.documents.read(id)) ?? {}
    if (status !== 'running') return { keys: 0, released: [] }
    const locks = locksOf(parts, { id, generation })
    const held = await locks.list()
    const released = held.map(({ resource, owner }) => `${resource} (${owner})`)
    const by = parts.settings.orchestrator
    const isRestored = await parts.documents.change(id, { by, startsIt: false }, (session) => {
      const now = bytesOf(session)
      if (known && !known.some((one) => Buffer.compare(one, now) === 0)) return { answer: false }
      if (session.status === 'ended') return { answer: true }
      const lastTask = Math.max(session.lastTask, kept.lastTask)
      const next = { ...session, ...kept, lastTask }
      const isSame = JSON.stringify(keptOf(session)) === JSON.stringify(keptOf(next))
      const text = [`${kept.state.length} keys`, ...(held.length > 0 ? [`locks released: ${released.join(', ')}`] : [])]
      const to = held.length > 0 ? { to: [...new Set(held.map(({ owner }) => owner))] } : {}
      const line = { did: 'restore', text: text.join('; '), ...to }
      return isSame && held.length === 0 ? { answer: true } : { session: next, line, answer: true }
    })
    if (!isRestored) return undefined
    for (const { resource, owner } of held) await locks.release(resource, owner)
    if (held.length > 0) await ring(parts.tree, bellFolder(id))
    return { keys: kept.state.length, released }
  },
})

function readKept(name: string, bytes: Uint8Array): Kept {
  const session = parseSession(bytes, sessionId(name))
  if (!('wrong' in session)) return keptOf(session)
  throw corrupt('BAD_SAVED_STATE', `The saved state of session ${name} cannot be read: ${session.wrong}.`, {
    hint: 'Roll back to another checkpoint.',
    details: { session: name },
  })
}
