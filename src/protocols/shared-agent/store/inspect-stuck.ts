/** Tasks of a session that wait for nobody: for an agent that was never seen, or whose runner is lost. For `doctor`. */
import { printableLine } from '../../../kernel/printable.ts'
import { stalledClaim, unseenRecipient } from '../../../messaging/inspection/findings.ts'
import type { Finding } from '../../../tree/tree.ts'
import type { InspectionOptions } from '../../contract.ts'
import { documentPath, sessionId } from '../layout.ts'
import type { Session, Task } from '../record.ts'
import type { SessionParts } from './parts.ts'
import { runnerLease } from './working.ts'

type IsSeen = InspectionOptions['isSeen']

export async function stuckTasks({ tree }: SessionParts, session: Session, isSeen: IsSeen): Promise<Finding[]> {
  if (session.status !== 'running') return []
  const findings = isSeen ? await forUnseen(session, isSeen) : []
  const started = session.tasks.filter(({ state, via }) => state === 'in_progress' && via === 'program')
  if (started.length === 0) return findings
  const held = new Set((await tree.leases()).map(({ resource }) => resource))
  const isLost = ({ id }: Task) => !held.has(runnerLease(sessionId(session.id), id))
  return [...findings, ...started.filter(isLost).map((task) => lostRunner(session, task))]
}

/** What no program and no other protocol does waits until its agent asks for it. */
async function forUnseen({ id, tasks }: Session, isSeen: NonNullable<IsSeen>): Promise<Finding[]> {
  const waiting = new Map<string, number>()
  for (const { agent, state, via } of tasks)
    if (state === 'pending' && via === undefined) waiting.set(agent, (waiting.get(agent) ?? 0) + 1)
  const findings: Finding[] = []
  for (const [agent, count] of waiting) {
    const take = `signalbox session say --session ${id} --as ${agent} '#NEXT'`
    if (!(await isSeen(agent))) findings.push(unseenRecipient(documentPath(sessionId(id)), agent, count, take))
  }
  return findings
}

const lostRunner = ({ id }: Session, task: Task): Finding =>
  stalledClaim(
    documentPath(sessionId(id)),
    `Task ${task.id} for ${printableLine(task.agent)} was begun, and the process that ran its program is gone.`,
    `Let it be settled: signalbox session work --session ${id} --once`,
  )
