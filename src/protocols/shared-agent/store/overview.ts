/** Which sessions there are, and which is the current one. */
import { SignalboxError } from '../../../kernel/errors.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { listIfFolder, readIfLeaf } from '../../../messaging/leaves/tolerant.ts'
import { currentPath, isSessionId, type SessionId, sessionsFolder } from '../layout.ts'
import type { Session } from '../record.ts'
import type { SessionParts } from './parts.ts'

/** Sorted by name. */
export async function sessionNames({ tree }: Pick<SessionParts, 'tree'>): Promise<SessionId[]> {
  const entries = await listIfFolder(tree, sessionsFolder)
  return entries.flatMap(({ name, kind }) => (kind === 'folder' && isSessionId(name) ? [name] : []))
}

/** The sessions that can be read. `doctor` reports the others. */
export async function* readableSessions(
  parts: Pick<SessionParts, 'tree' | 'documents'>,
  place?: string,
): AsyncGenerator<Session> {
  for (const id of await sessionNames(parts)) {
    if ((place ?? id) !== id) continue
    const session = await parts.documents.read(id).catch((error: unknown) => {
      if (error instanceof SignalboxError) return undefined
      throw error
    })
    if (session) yield session
  }
}

export async function currentSession({ tree }: Pick<SessionParts, 'tree'>): Promise<SessionId | undefined> {
  const leaf = await readIfLeaf(tree, currentPath, { atMost: 256, fresh: true })
  const name = leaf && Buffer.from(leaf.bytes).toString('utf8').trim()
  return name !== undefined && isSessionId(name) ? name : undefined
}

export async function makeCurrent({ tree }: Pick<SessionParts, 'tree'>, id: SessionId): Promise<void> {
  await changeLeaf(tree, currentPath, () => Buffer.from(`${id}\n`))
}

/** A name that no session has yet: `ctx_001`, `ctx_002`, … */
export async function freeName(parts: Pick<SessionParts, 'tree'>): Promise<SessionId> {
  const numbers = (await sessionNames(parts)).map((name) => Number(/^ctx_(\d{1,9})$/.exec(name)?.[1] ?? 0))
  return `ctx_${String(Math.max(0, ...numbers) + 1).padStart(3, '0')}` as SessionId
}
