/**
 * Does what was delegated. A runner is one process for one task and holds a lease while it works: a task that is in progress
 * and whose lease has ended has lost its runner. Tasks that another protocol carries are over when their message is.
 */
import { notFound, SignalboxError, unavailable } from '../../../kernel/errors.ts'
import { listen, ring } from '../../../messaging/waiting/bell.ts'
import type { Tree } from '../../../tree/tree.ts'
import { briefOf } from '../brief.ts'
import { bellFolder, type SessionId, type Sitting } from '../layout.ts'
import { mayHaveNews, type Session, type Task } from '../record.ts'
import { type Role, type Roles, roleOf } from '../roles.ts'
import { freedBy, runnable, stepped, withTask } from '../tasks.ts'
import type { SessionParts } from './parts.ts'
import { asResult } from './tasks.ts'

const leaseMs = 30_000
const renewMs = 10_000
const mostPrinted = 64 * 1024

export interface Worked {
  readonly task: string
  readonly agent: string
  readonly state: Task['state']
  readonly result: string
}

export const runnerLease = (id: SessionId, task: string): string => `runner ${id} ${task}`

/** The next tasks that a program does, one after the other; `only` names one. */
export async function work(
  parts: SessionParts,
  id: SessionId,
  { only, signal }: { readonly only?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<Worked[]> {
  const done: Worked[] = await settle(parts, id)
  // Another runner has these: it looks itself what has become of its task when it is through with it.
  const busy = new Set<string>()
  for (;;) {
    const session = await runningSession(parts, id)
    if (session && only === undefined) await handOverAll(parts, id, runnable(session).filter(isCarried))
    const isNext = (task: Task) => task.via === 'program' && (only ?? task.id) === task.id && !busy.has(task.id)
    const next = session && runnable(session).find(isNext)
    if (!next || signal?.aborted) return done
    // Whoever was started for this one task does it also when the runner before was killed and its lease has not ended.
    const worked = await runOne(parts, id, next, { outlast: only !== undefined, signal })
    if (worked === 'busy') busy.add(next.id)
    else if (worked) done.push(worked)
  }
}

/**
 * For as long as it takes, and no longer than a process lives that does it. `outlast`: waits until the lease of another ends, and
 * is busy only if that one has renewed it, so that it lives.
 */
async function underLease<T>(
  tree: Tree,
  resource: string,
  work: () => Promise<T>,
  { outlast = false, signal }: { readonly outlast?: boolean; readonly signal?: AbortSignal | undefined } = {},
): Promise<T | 'busy'> {
  const owner = `runner-${process.pid}-${process.getBuiltinModule('node:crypto').randomBytes(4).toString('hex')}`
  let got = await tree.lease(resource, owner, leaseMs)
  if (got.outcome === 'busy' && outlast) {
    const { until } = got.lease
    while (got.outcome === 'busy' && got.lease.until === until && !signal?.aborted) {
      await rest(Math.max(1, until - (await tree.now())), signal)
      got = await tree.lease(resource, owner, leaseMs)
    }
  }
  if (got.outcome === 'busy') return 'busy'
  const renewing = setInterval(() => void tree.lease(resource, owner, leaseMs).catch(() => undefined), renewMs)
  try {
    return await work()
  } finally {
    clearInterval(renewing)
    await tree.release(resource, owner)
  }
}

const rest = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
  })

const isCarried = ({ via }: Task): boolean => via !== undefined && via !== 'program'

/** `undefined`: somebody else has said meanwhile what becomes of it, such as that it is to be tried again. */
async function runOne(
  parts: SessionParts,
  id: SessionId,
  { id: taskId, agent }: Task,
  options: { readonly outlast: boolean; readonly signal: AbortSignal | undefined },
): Promise<Worked | 'busy' | undefined> {
  const { tree, ports, documents, settings } = parts
  const { signal } = options
  const roles = await parts.roles()
  const run = async () => {
    const begun = await documents.change(id, { by: agent, startsIt: false }, (session, at) => {
      const found = session.tasks.find((one) => one.id === taskId)
      if (session.status === 'ended' || found?.state !== 'pending') return { did: undefined, answer: undefined }
      const task = stepped(found, 'start', at, { attempts: found.attempts + 1 })
      return {
        did: { session: withTask(session, task), line: { did: 'start task', about: taskId } },
        answer: { session, task },
      }
    })
    if (!begun) return undefined
    return record(parts, id, begun.task, await outcomeOf(begun.session, begun.task))
  }
  return underLease(tree, runnerLease(id, taskId), run, options)

  async function outcomeOf(session: Session, task: Task) {
    const known = roleOrMistake(roles, agent)
    if (known instanceof SignalboxError) return { step: 'fail' as const, result: known.message }
    if (!known?.program || !ports.runProgram) return { step: 'fail' as const, result: `no program for ${agent}` }
    const timeMs = known.seconds === undefined ? settings.taskMs : known.seconds * 1000
    const { program } = known
    const ended = await untilTheEnd(parts, { id, generation: session.generation }, signal, (over) =>
      ports.runProgram!({
        program,
        input: briefOf(session, task),
        folder: ports.folder ?? '.',
        timeMs,
        mostBytes: mostPrinted,
        signal: over,
      }),
    )
    if (ended.outcome === 'not-started') return { step: 'fail' as const, result: `not started: ${ended.reason}` }
    if (ended.outcome === 'timeout') return { step: 'fail' as const, result: `timeout after ${timeMs / 1000} s` }
    if (ended.outcome !== 'ended') return { step: 'fail' as const, result: 'stopped' }
    const text = ended.output.trim()
    if (ended.status === 0) return { step: 'complete' as const, result: text === '' ? 'done' : text }
    return { step: 'fail' as const, result: `exit ${ended.status}: ${(ended.errors.trim() || text).slice(0, 1000)}` }
  }
}

/** The signal that `work` gets ends it when the session ends, or when `signal` does. */
async function untilTheEnd<T>(
  { tree, documents }: SessionParts,
  { id, generation }: Sitting,
  signal: AbortSignal | undefined,
  work: (over: AbortSignal) => Promise<T>,
): Promise<T> {
  const [over, done] = [new AbortController(), new AbortController()]
  const listening = await listen(tree, bellFolder(id), { signal: done.signal })
  const watch = async () => {
    while (!done.signal.aborted) {
      const now = await documents.read(id)
      if (now?.status !== 'running' || now.generation !== generation) return over.abort()
      await listening.next(Number.POSITIVE_INFINITY)
    }
  }
  // A document that cannot be read ends no program: what it comes to is recorded later, and that will tell.
  const watching = watch().catch((error: unknown) => {
    if (!(error instanceof SignalboxError)) throw error
  })
  try {
    return await work(signal ? AbortSignal.any([signal, over.signal]) : over.signal)
  } finally {
    done.abort()
    await watching
    listening.close()
  }
}

/** What has ended waits for whoever starts it again. */
async function runningSession({ documents }: SessionParts, id: SessionId): Promise<Session | undefined> {
  const session = await documents.read(id)
  return session?.status === 'running' ? session : undefined
}

/** A mistake in one role stops no other task. */
function roleOrMistake(roles: Roles, agent: string): Role | SignalboxError | undefined {
  try {
    return roleOf(roles, agent)
  } catch (error) {
    if (error instanceof SignalboxError) return error
    throw error
  }
}

interface Result {
  readonly step: 'complete' | 'fail'
  readonly result: string
  readonly answer?: string
}

/** The result of one attempt; that of an attempt that somebody has taken back counts no more. */
async function record(parts: SessionParts, id: SessionId, { id: taskId, attempts }: Task, came: Result) {
  const { step, result, ...more } = came
  const text = asResult(result)
  const worked = await parts.documents.change(id, { by: 'runner', startsIt: false }, (session, at) => {
    const found = session.tasks.find((one) => one.id === taskId)
    if (found?.state !== 'in_progress' || found.attempts !== attempts) return { did: undefined, answer: undefined }
    const task = stepped(found, step, at, { result: text, ...more })
    const line = { did: step === 'complete' ? 'DONE' : 'FAIL', about: taskId, text: text.slice(0, 400), to: [task.by] }
    const told: Worked = { task: taskId, agent: task.agent, state: task.state, result: text }
    const next = withTask(session, task)
    return { did: { session: next, line }, answer: { told, freed: freedBy(session, next) } }
  })
  if (!worked) return undefined
  await ring(parts.tree, bellFolder(id))
  await handOverAll(parts, id, worked.freed)
  return worked.told
}

/** Each is recorded whether it can be handed over or not; `#RETRY` and `session work` try again. */
export async function handOverAll(parts: SessionParts, id: SessionId, tasks: readonly Task[]): Promise<void> {
  for (const task of tasks) await unlessTroubled(() => handOver(parts, id, task))
}

/** Hands a task to whoever carries it. What starts a process is asked to; otherwise it waits for `session work`. */
export async function handOver(parts: SessionParts, id: SessionId, { id: taskId, agent, via }: Task): Promise<void> {
  const { ports } = parts
  if (via === 'program') {
    if (parts.settings.startRunners) await ports.startRunner?.(id, taskId)
    return
  }
  const role = roleOf(await parts.roles(), agent)
  if (!role?.via)
    throw notFound('NO_SUCH_ROLE', `No protocol carries tasks to ${agent}.`, {
      hint: 'Say which in .signalbox/session.yaml, then #RETRY.',
    })
  if (!ports.carry)
    throw unavailable('NO_CARRIER', `Nothing here carries tasks by ${role.via}.`, {
      hint: 'Say it from the command line.',
    })
  const carried = await underLease(parts.tree, `hand over ${id} ${taskId}`, () =>
    carryOne(parts, id, taskId, role, role.via!),
  )
  if (carried === 'busy')
    throw unavailable('BEING_HANDED_OVER', `Somebody else hands ${taskId} over, or was killed while doing so.`, {
      hint: `Look again in ${leaseMs / 1000} s: #RETRY:${agent}:${taskId}`,
    })
}

/** A mark, the message, and then what it is called. After a kill the mark says that it may be sent. */
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
    if (now?.state !== 'pending') return { did: undefined, answer: undefined }
    const { sending: _, ...task } = stepped(now, 'start', at, { attempts: now.attempts + 1, via, message })
    const line = { did: 'hand over', about: taskId, text: `${via} ${message}` }
    return { did: { session: withTask(session, task), line }, answer: undefined }
  })
}

/** Who is to send a task: the first of the session's senders whom no other task uses, nor the attempt before. */
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
export function senderOf(id: SessionId, n: number): string {
  const plain = id.toLowerCase().replace(/[^a-z0-9_-]/g, '-')
  const hash = () => process.getBuiltinModule('node:crypto').hash('sha256', id, 'hex').slice(0, 8)
  const own = plain === id && id.length <= 40 ? id : `${plain.slice(0, 31)}-${hash()}`
  return `session-${own}${n > 1 ? `-${n}` : ''}`
}

/** Finds runners that were lost, and what other protocols have answered. */
export async function settle(parts: SessionParts, id: SessionId): Promise<Worked[]> {
  const open = (await runningSession(parts, id))?.tasks.filter(mayHaveNews) ?? []
  if (open.length === 0) return []
  const held = new Set((await parts.tree.leases()).map(({ resource }) => resource))
  const settled: Worked[] = []
  for (const task of open) {
    if (task.answer !== undefined) await putAway(parts, id, task, task.answer)
    else if (task.via !== 'program') {
      const worked = await carriedBack(parts, id, task)
      if (worked) settled.push(worked)
    } else if (!held.has(runnerLease(id, task.id))) {
      const lost = await record(parts, id, task, { step: 'fail', result: 'runner lost' })
      if (lost) settled.push(lost)
    }
  }
  return settled
}

/** What a protocol cannot tell now holds up nobody: it is asked again, and `doctor` knows what is wrong with it. */
async function unlessTroubled<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof SignalboxError) return undefined
    throw error
  }
}

/** The answer first becomes the result, and is put away then: a kill in between leaves it to the next one. */
async function carriedBack(parts: SessionParts, id: SessionId, task: Task): Promise<Worked | undefined> {
  const { via = '', message, sender: from, sentAt } = task
  if (message === undefined || from === undefined) return undefined
  const ended = await unlessTroubled(async () => {
    const role = roleOf(await parts.roles(), task.agent)
    const sent = { from, to: role?.to ?? task.agent, ...(sentAt === undefined ? {} : { sentAt }) }
    return parts.ports.carried?.(via, message, sent)
  })
  if (!ended) return undefined
  const { state, text: result, answer } = ended
  const step = state === 'completed' ? 'complete' : 'fail'
  const worked = await record(parts, id, task, { step, result, ...(answer === undefined ? {} : { answer }) })
  if (worked && answer !== undefined) await putAway(parts, id, task, answer)
  return worked
}

async function putAway(parts: SessionParts, id: SessionId, task: Task, answer: string): Promise<void> {
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
