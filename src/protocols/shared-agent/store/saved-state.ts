/**
 * The state of a session as bytes, for checkpoints: what a rollback brings back with the files. Messages, the log and what
 * somebody has read stay as they are, and the numbers of tasks go on.
 */
import { corrupt } from '../../../kernel/errors.ts'
import { sessionId } from '../layout.ts'
import { newSession, parseSession, printSession, type Session } from '../record.ts'
import { locksOf } from './locks.ts'
import type { SessionParts } from './parts.ts'

type Kept = Pick<Session, 'state' | 'variables' | 'definitions' | 'tasks' | 'lastTask' | 'depends'>

const keptOf = ({ state, variables, definitions, tasks, lastTask, depends }: Session): Kept => ({
  state,
  variables,
  definitions,
  tasks,
  lastTask,
  depends,
})

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

  /**
   * One step of the document, unless it is none of `known`; then the session's locks are released. Twice is fine. A session that
   * has ended has no state to bring back.
   */
  async restore(
    name: string,
    bytes: Uint8Array,
    known?: readonly Uint8Array[],
  ): Promise<{ readonly keys: number } | undefined> {
    const id = sessionId(name)
    const kept = readKept(name, bytes)
    const by = parts.settings.orchestrator
    type Restored = Session['generation'] | 'ended' | undefined
    const generation = await parts.documents.change<Restored>(id, { by, startsIt: false }, (session) => {
      if (session.status === 'ended') return { did: undefined, answer: 'ended' }
      const now = bytesOf(session)
      if (known && !known.some((one) => Buffer.compare(one, now) === 0)) return { did: undefined, answer: undefined }
      const lastTask = Math.max(session.lastTask, kept.lastTask)
      const next = { ...session, ...kept, lastTask }
      const isSame = JSON.stringify(keptOf(session)) === JSON.stringify(keptOf(next))
      const line = { did: 'restore', text: `${kept.state.length} keys` }
      return { did: isSame ? undefined : { session: next, line }, answer: session.generation }
    })
    if (generation === undefined) return undefined
    if (generation === 'ended') return { keys: 0 }
    await locksOf(parts, { id, generation }).releaseAll()
    return { keys: kept.state.length }
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
