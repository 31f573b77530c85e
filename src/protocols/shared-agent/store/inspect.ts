/** What `doctor` should know of sessions: documents that cannot be read, and what stands in their way. */
import { SignalboxError } from '../../../kernel/errors.ts'
import { childOf } from '../../../kernel/tree-path.ts'
import { unfinishedChanges } from '../../../messaging/inspection/changes.ts'
import { findingsOf, oddAmong, oddFinding } from '../../../messaging/inspection/expected.ts'
import { finding } from '../../../messaging/inspection/finding.ts'
import type { Finding } from '../../../tree/tree.ts'
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
  sessionPath,
  sessionsFolder,
  unfinishedFolder,
} from '../layout.ts'
import { stuckTasks } from './inspect-stuck.ts'
import { sessionNames } from './overview.ts'
import type { SessionParts } from './parts.ts'

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
  const kindOf = (name: string) =>
    [currentPath, correctionsPath].includes(childOf(sessionsFolder, name))
      ? 'leaf'
      : isSessionId(name) || childOf(sessionsFolder, name) === unfinishedFolder
        ? 'folder'
        : undefined
  return oddAmong(sessionsFolder, await tree.list(sessionsFolder), kindOf).map(oddFinding)
}

async function ofSession(parts: SessionParts, id: SessionId, isSeen: InspectionOptions['isSeen']): Promise<Finding[]> {
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
    findings.push(
      finding(
        'warning',
        'BAD_SESSION_LOG',
        childOf(logFolder(id), name),
        `This page of the log of session ${id} cannot be read; its changes are missing from what is told.`,
        'Put a copy of the file back, or move it away.',
      ),
    )
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

/** Mistakes in `session.yaml` stop only what needs the role or command that they are in, so all are told here. */
async function ofRoles({ roles, ports }: SessionParts): Promise<Finding[]> {
  const { mistakes } = await roles()
  const ignored = await ports.rolesIgnored?.()
  const reason = ignored && `The roles and commands in this file do not count: ${ignored.reason}.`
  return [
    ...mistakes.map(({ error }) => finding('error', error.code, rolesPath, error.message, error.hint ?? '')),
    ...(ignored ? [finding('warning', 'ROLES_IGNORED', rolesPath, reason!, ignored.hint)] : []),
  ]
}
