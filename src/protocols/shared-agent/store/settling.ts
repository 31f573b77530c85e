/** How a task ends: by its agent, the orchestrator, a runner or another protocol. */
import { expectHeld, lostClaim } from '../../../messaging/claims/claim.ts'
import { ring } from '../../../messaging/waiting/waiting.ts'
import type { Receipt } from '../../contract.ts'
import { messageIdOf } from '../envelope.ts'
import { agentName, bellFolder, type SessionId } from '../layout.ts'
import type { Session, Task } from '../record.ts'
import { claimOf, freedBy, stepped, withTask } from '../tasks.ts'
import type { SessionParts } from './parts.ts'

/** In UTF-16 units; the rest of a result is cut. */
const longestResult = 4000

const asResult = (text: string): string =>
  text.length <= longestResult ? text.toWellFormed() : `${text.slice(0, longestResult - 1).toWellFormed()}…`

export interface Ending {
  readonly step: 'complete' | 'fail'
  readonly result: string
}

export interface SettledTask {
  readonly outcome: 'settled' | 'unchanged'
  readonly task: Task
}

/** Records the outcome of the task that `find` answers, tells its sender, and hands over the tasks that waited for it. */
export async function settleTask(
  parts: SessionParts,
  id: SessionId,
  by: string,
  find: (session: Session) => Task | undefined,
  { step, result }: Ending,
  startsIt = true,
): Promise<Task | undefined> {
  const text = asResult(result)
  const did = step === 'complete' ? 'DONE' : 'FAIL'
  const settled = await parts.documents.change(id, { by, startsIt }, (session, at) => {
    const found = find(session)
    if (!found) return { answer: undefined }
    const task = stepped(found, step, at, { result: text })
    const line = { did, about: task.id, text: by === 'runner' ? text.slice(0, 400) : text, to: [task.by] }
    const next = withTask(session, task)
    return { session: next, line, answer: { task, freed: freedBy(session, next) } }
  })
  if (!settled) return undefined
  await ring(parts.tree, bellFolder(id))
  if (settled.freed.length > 0) {
    const { handOver, unlessTroubled } = await import('./handing-over.ts')
    await unlessTroubled(() => handOver(parts, id, settled.freed))
  }
  return settled.task
}

/** Settles a task that was taken. Throws `LOST_CLAIM` when it was handed out again. Twice is fine. */
export async function settle(
  parts: SessionParts,
  session: SessionId,
  receipt: Receipt,
  taskId: string,
  ending: Ending,
): Promise<SettledTask | undefined> {
  let before: Task | undefined
  const find = (now: Session) => {
    before = now.tasks.find((one) => one.id === taskId)
    if (!before) return undefined
    // An agent may also settle a task of its own that it has not taken.
    const isClaim = before.state !== 'pending' || receipt.attempt !== undefined
    if (isClaim) expectHeld(messageIdOf(session, before), claimOf(before), receipt)
    return before.state === 'completed' || before.state === 'failed' ? undefined : before
  }
  const settled = await settleTask(parts, session, agentName(receipt.agent), find, ending, false)
  if (settled) return { outcome: 'settled', task: settled }
  return before && { outcome: 'unchanged', task: before }
}

/** How far a task is that was taken. Twice is fine. */
export async function noteProgress(
  { documents }: SessionParts,
  session: SessionId,
  receipt: Receipt,
  taskId: string,
  progress: string,
): Promise<void> {
  await documents.change(session, { by: agentName(receipt.agent), startsIt: false }, (now, at) => {
    const found = now.tasks.find((one) => one.id === taskId)
    if (found?.state !== 'in_progress' || found.progress === progress) return { answer: undefined }
    expectHeld(messageIdOf(session, found), claimOf(found), receipt)
    const line = { did: 'PROGRESS', about: taskId, text: progress }
    return { session: withTask(now, { ...found, progress, changedAt: at }), line, answer: undefined }
  })
}

/** Gives a task back: it waits again, and its claim is over. */
export async function release(
  { documents, tree }: SessionParts,
  session: SessionId,
  receipt: Receipt,
  taskId: string,
): Promise<SettledTask | undefined> {
  const task = await documents.change(session, { by: agentName(receipt.agent), startsIt: false }, (now, at) => {
    const found = now.tasks.find((one) => one.id === taskId)
    if (!found) return { answer: undefined }
    expectHeld(messageIdOf(session, found), claimOf(found), receipt)
    if (found.state === 'completed' || found.state === 'failed')
      throw lostClaim(messageIdOf(session, found), `it is ${found.state}`)
    const next = stepped(found, 'retry', at)
    return { session: withTask(now, next), line: { did: 'release task', about: taskId }, answer: next }
  })
  if (task) await ring(tree, bellFolder(session))
  return task && { outcome: 'settled', task }
}
