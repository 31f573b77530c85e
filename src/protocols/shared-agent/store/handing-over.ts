/** Hands tasks over: a runner is started, or a message of another protocol is sent, whose end is the end of the task. */
import { sha256 } from '../../../formats/digest.ts'
import { notFound, SignalboxError, unavailable } from '../../../kernel/errors.ts'
import type { SessionId } from '../layout.ts'
import { mayHaveNews, type Session, type Task } from '../record.ts'
import { type Role, roleOf } from '../roles.ts'
import { begun, withTask } from '../tasks.ts'
import type { SessionParts } from './parts.ts'
import type { Ending } from './settling.ts'
import { leaseMs, underLease } from './under-lease.ts'

/** A task that cannot be handed over stays recorded; `#RETRY` and `session work` try again. */
export async function handOverAll(parts: SessionParts, id: SessionId, tasks: readonly Task[]): Promise<void> {
  for (const task of tasks) await unlessTroubled(() => handOver(parts, id, task))
}

/** Hands a task to its carrier. A program is started where that is wanted; otherwise it waits for `session work`. */
export async function handOver(parts: SessionParts, id: SessionId, { id: taskId, agent, via }: Task): Promise<void> {
  const { ports } = parts
  if (via === 'program') {
    if (parts.settings.startRunners) await ports.startRunner?.(id, taskId)
    return
  }
  const role = roleOf(await parts.roles(), agent)
  const unknown = 'Say which in .signalbox/session.yaml, then #RETRY.'
  if (!role?.via) throw notFound('NO_SUCH_ROLE', `No protocol carries tasks to ${agent}.`, { hint: unknown })
  const hint = 'Say it from the command line.'
  if (!ports.carry) throw unavailable('NO_CARRIER', `Nothing here carries tasks by ${role.via}.`, { hint })
  const carry = () => carryOne(parts, id, taskId, role, role.via!)
  const carried = await underLease(parts.tree, `hand over ${id} ${taskId}`, carry)
  if (carried === 'busy')
    throw unavailable('BEING_HANDED_OVER', `Somebody else hands ${taskId} over, or was killed while doing so.`, {
      hint: `Look again in ${leaseMs / 1000} s: #RETRY:${agent}:${taskId}`,
    })
}

/** Marks the task, sends the message, then records its id. After a kill the mark says that the message may have been sent. */
async function carryOne(parts: SessionParts, id: SessionId, taskId: string, role: Role, via: string): Promise<void> {
  const { documents } = parts
  const before = (await documents.read(id))?.tasks.find((one) => one.id === taskId)
  if (before?.state !== 'pending') return
  const isMarked = before.sending === true && before.sender !== undefined
  if (!isMarked) await documents.mark(id, (session) => marked(id, session, taskId, parts.clock.now()))
  const found = (await documents.read(id))?.tasks.find((one) => one.id === taskId)
  if (found?.state !== 'pending' || found.sender === undefined) return
  const draft = {
    from: found.sender,
    to: role.to ?? role.name,
    text: found.task,
    summary: found.task.split(/\r?\n/, 1)[0]!.slice(0, 100),
    urgency: found.priority < 2 ? 'high' : found.priority === 2 ? 'normal' : 'low',
    ...(role.place === undefined ? {} : { place: role.place }),
  } as const
  const message = await parts.ports.carry!(via, draft, { perhapsSince: isMarked ? (found.sentAt ?? 0) : undefined })
  await documents.change(id, { by: found.by, startsIt: false }, (session, at) => {
    const now = session.tasks.find((one) => one.id === taskId)
    if (now?.state !== 'pending') return { answer: undefined }
    const { sending: _, ...task } = { ...begun(now, at), via, message }
    const line = { did: 'hand over', about: taskId, text: `${via} ${message}` }
    return { session: withTask(session, task), line, answer: undefined }
  })
}

/** Gives a task the first sender of the session that no other task uses, and that the attempt before did not use. */
function marked(id: SessionId, session: Session, taskId: string, sentAt: number): Session | undefined {
  const task = session.tasks.find((one) => one.id === taskId)
  if (task?.state !== 'pending' || (task.sending && task.sender !== undefined)) return undefined
  const isUsed = (other: Task) => other.id === taskId || other.sending || mayHaveNews(other)
  const used = new Set(session.tasks.filter(isUsed).map(({ sender }) => sender))
  let n = 1
  while (used.has(senderOf(id, n))) n++
  return withTask(session, { ...task, sender: senderOf(id, n), sentAt, sending: true })
}

/** A name that every protocol takes, and that no agent would choose. */
function senderOf(id: SessionId, n: number): string {
  const plain = id.toLowerCase().replace(/[^a-z0-9_-]/g, '-')
  const hash = () => sha256(id).slice(0, 8)
  const own = plain === id && id.length <= 40 ? id : `${plain.slice(0, 31)}-${hash()}`
  return `session-${own}${n > 1 ? `-${n}` : ''}`
}

/** An error of another protocol holds up no other task: the protocol is asked again later, and `doctor` reports the error. */
async function unlessTroubled<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof SignalboxError) return undefined
    throw error
  }
}

/** How a carried task ended, according to its protocol; `undefined` while it has not. */
export async function carriedBack(parts: SessionParts, task: Task): Promise<Ending | undefined> {
  const { via = '', message, sender: from, sentAt } = task
  if (message === undefined || from === undefined) return undefined
  const ended = await unlessTroubled(async () => {
    const role = roleOf(await parts.roles(), task.agent)
    const sent = { from, to: role?.to ?? task.agent, ...(sentAt === undefined ? {} : { sentAt }) }
    return parts.ports.carried?.(via, message, sent)
  })
  if (!ended) return undefined
  const { state, text: result, answer } = ended
  return { step: state === 'completed' ? 'complete' : 'fail', result, ...(answer === undefined ? {} : { answer }) }
}

/** Takes an answer out of the inbox, after it has become the result. After a kill in between, the next process does it. */
export async function putAway(parts: SessionParts, id: SessionId, task: Task, answer: string): Promise<void> {
  const isGone = await unlessTroubled(async () => {
    try {
      await parts.ports.putAway?.(task.via ?? '', answer, task.sender ?? '')
    } catch (error) {
      if (!(error instanceof SignalboxError) || error.kind !== 'NotFound') throw error
    }
    return true
  })
  if (!isGone) return
  await parts.documents.mark(id, (session) => {
    const { answer: waiting, ...found } = session.tasks.find((one) => one.id === task.id) ?? task
    return waiting === answer ? withTask(session, found) : undefined
  })
}
