/** What `doctor` should know of sessions: documents that cannot be read, and what stands in their way. */
import { call } from '../../../kernel/call.ts'
import { SignalboxError } from '../../../kernel/errors.ts'
import { printableLine } from '../../../kernel/printable.ts'
import { childOf } from '../../../kernel/tree-path.ts'
import { unfinishedChanges } from '../../../messaging/inspection/changes.ts'
import { findingsOf, oddAmong, oddFinding } from '../../../messaging/inspection/expected.ts'
import { stalledClaim, unseenRecipient } from '../../../messaging/inspection/findings.ts'
import { type Finding, finding } from '../../../tree/tree.ts'
import type { InspectionOptions } from '../../contract.ts'
import {
  correctionsPath,
  currentPath,
  documentPath,
  isSessionId,
  logFolder,
  rolesPath,
  type SessionId,
  sessionEntry,
  sessionId,
  sessionPath,
  sessionsFolder,
  unfinishedFolder,
} from '../layout.ts'
import type { Session, Task } from '../record.ts'
import { sessionNames } from './overview.ts'
import type { SessionParts } from './parts.ts'
import { runnerLease } from './working.ts'

type IsSeen = InspectionOptions['isSeen']

export async function inspect(parts: SessionParts, { repair, isSeen }: InspectionOptions): Promise<readonly Finding[]> {
  const findings: Finding[] = [...(await findingsOf(sessionsFolder, () => inFolder(parts)))]
  const ids = await sessionNames(parts)
  for (const id of ids) {
    findings.push(...(await findingsOf(sessionPath(id), () => ofSession(parts, id, isSeen))))
  }
  if (ids.length > 0) findings.push(...(await findingsOf(sessionsFolder, () => ofCheckpoints(parts, repair))))
  findings.push(...(await findingsOf(rolesPath, () => ofRoles(parts))))
  return findings
}

async function inFolder({ tree }: SessionParts): Promise<Finding[]> {
  const kindOf = (name: string) => {
    const path = childOf(sessionsFolder, name)
    if (path === currentPath || path === correctionsPath) return 'leaf'
    return isSessionId(name) || path === unfinishedFolder ? 'folder' : undefined
  }
  return oddAmong(sessionsFolder, await tree.list(sessionsFolder), kindOf).map(oddFinding)
}

async function ofSession(parts: SessionParts, id: SessionId, isSeen: IsSeen): Promise<Finding[]> {
  const { tree, documents } = parts
  const entries = await tree.list(sessionPath(id))
  const findings = oddAmong(sessionPath(id), entries, sessionEntry).map(oddFinding)
  if (findings.length > 0) return findings
  try {
    const session = await documents.read(id)
    if (session) findings.push(...(await stuckTasks(parts, session, isSeen)))
  } catch (error) {
    if (!(error instanceof SignalboxError) || error.kind !== 'Corrupt') throw error
    findings.push(finding('error', error.code, documentPath(id), error.message, error.hint ?? ''))
  }
  for (const name of await documents.brokenPages(id)) {
    const message = `This page of the log of session ${id} cannot be read; its changes are missing from what is told.`
    const hint = 'Put a copy of the file back, or move it away.'
    findings.push(finding('warning', 'BAD_SESSION_LOG', childOf(logFolder(id), name), message, hint))
  }
  return findings
}

/** A checkpoint or a rollback that a killed process left half done. With `repair` it is finished or undone. */
async function ofCheckpoints(parts: SessionParts, repair: boolean): Promise<Finding[]> {
  if (!parts.ports.workTree) return []
  const { checkpointsOf, unlessNowhere } = await import('./kept.ts')
  const changes = await unlessNowhere(() => checkpointsOf(parts).changes())
  return changes ? unfinishedChanges(parts.tree, changes, repair) : []
}

/** A mistake in `session.yaml` shows only where its role or command is used, so all of them are reported here. */
async function ofRoles({ roles, ports }: SessionParts): Promise<Finding[]> {
  const { mistakes } = await roles()
  const ignored = await ports.rolesIgnored?.()
  const reason = ignored && `The roles and commands in this file do not count: ${ignored.reason}.`
  return [
    ...mistakes.map(({ error }) => finding('error', error.code, rolesPath, error.message, error.hint ?? '')),
    ...(ignored ? [finding('warning', 'ROLES_IGNORED', rolesPath, reason!, ignored.hint)] : []),
  ]
}

/** Tasks that wait in vain: for an agent that was never seen, or for a runner that is lost. */
async function stuckTasks({ tree }: SessionParts, session: Session, isSeen: IsSeen): Promise<Finding[]> {
  if (session.status !== 'running') return []
  const findings = isSeen ? await forUnseen(session, isSeen) : []
  const started = session.tasks.filter(({ state, via }) => state === 'in_progress' && via === 'program')
  if (started.length === 0) return findings
  const held = new Set((await tree.leases()).map(({ resource }) => resource))
  const isLost = ({ id }: Task) => !held.has(runnerLease(sessionId(session.id), id))
  return [...findings, ...started.filter(isLost).map((task) => lostRunner(session, task))]
}

/** A task that neither a program nor another protocol does waits until its agent asks for it. */
async function forUnseen({ id, tasks }: Session, isSeen: NonNullable<IsSeen>): Promise<Finding[]> {
  const waiting = new Map<string, number>()
  for (const { agent, state, via } of tasks)
    if (state === 'pending' && via === undefined) waiting.set(agent, (waiting.get(agent) ?? 0) + 1)
  const findings: Finding[] = []
  for (const [agent, count] of waiting) {
    const take = call('session say', { session: id, as: agent, line: '#NEXT' })
    if (!(await isSeen(agent))) findings.push(unseenRecipient(documentPath(sessionId(id)), agent, count, take))
  }
  return findings
}

function lostRunner({ id }: Session, task: Task): Finding {
  const message = `Task ${task.id} for ${printableLine(task.agent)} was begun, and the process that ran its program is gone.`
  const hint = `Let it be settled: ${call('session work', { session: id, once: true })}`
  return stalledClaim(documentPath(sessionId(id)), message, hint)
}
