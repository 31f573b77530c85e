/** How inboxes and tasks stand. Looks only. */
import { isoTime } from '../../../kernel/clock.ts'
import { isRecord } from '../effects.ts'
import { takesTask } from '../intents.ts'
import { type AgentId, isEverybody, isSameAgent, isTaskId, type TaskId } from '../names.ts'
import { isClosed, type Task } from '../task.ts'
import type { CaughtUp } from './catching-up.ts'
import { claimable, isOwnBroadcast } from './claiming.ts'
import { handedOf } from './handed.ts'
import type { Inbox, InboxLine, TaskList, TaskView } from './outcomes.ts'
import { ownerOf } from './ownership.ts'
import type { CirceParts } from './parts.ts'
import { type Listed, lookAround } from './places.ts'
import { oneByOne, type Sources, sourcesFor } from './sources.ts'
import { type TaskOnTree, tasksOnTree } from './task-files.ts'
import { viewOfFound } from './view.ts'

export async function inboxOf(parts: CirceParts, agent: AgentId, caughtUp: CaughtUp): Promise<Inbox> {
  const theirs = [...claimable(caughtUp, agent)].filter((one) => !isOwnBroadcast(one, agent))
  const working = caughtUp.found.filter((one) => one.place === 'workspace' && one.agent === agent)
  const all = [...theirs, ...working]
  const messages = await linesOf(parts, all, await sourcesFor(parts, all), agent)
  const closed = caughtUp.unusable
    .filter((one) => one.isClosed && (one.agent === undefined || one.agent === agent))
    .map(({ name, path, problem }) => ({ file: name, path, code: problem.code, reason: problem.message }))
  const rejected = [...closed, ...caughtUp.rejected]
  return { outcome: messages.length === 0 ? 'empty' : 'listed', agent, messages, rejected }
}

async function linesOf(
  parts: CirceParts,
  found: readonly Listed[],
  sources: Sources,
  agent?: AgentId,
): Promise<InboxLine[]> {
  if (found.length === 0) return []
  const now = await sources.now()
  const lines: InboxLine[] = []
  for (const one of found) {
    const { message, name } = one
    const handed = one.agent === undefined ? undefined : await handedOf(parts, one.agent, name)
    const isOneReaders = !isEverybody(message.to) || one.place === 'workspace'
    const isLogged = isOneReaders && (await sources.isLogged(name))
    const owner = takesTask(message.intent) ? await ownerOf(sources, message.task as TaskId) : undefined
    const isOthers = owner !== undefined && agent !== undefined && !isSameAgent(owner, agent)
    lines.push({
      ...viewOfFound(one),
      ...(one.agent === undefined ? {} : { agent: one.agent }),
      ageSeconds: Math.max(0, Math.floor((now - message.time) / 1000)),
      isClaimed: handed !== undefined,
      isAcknowledged: handed === 'acknowledged' || isLogged,
      ...(isOthers ? { ownedBy: owner } : {}),
    })
  }
  return lines
}

/** Every task that has files, or that a message speaks of which is not logged. */
export async function taskViews(
  parts: CirceParts,
  { found, left }: Pick<CaughtUp, 'found' | 'left'>,
  limit: number,
): Promise<TaskList> {
  const byTask = new Map<TaskId, Listed[]>()
  for (const task of await tasksOnTree(parts)) byTask.set(task, [])
  for (const one of found) {
    const { task } = one.message
    if (task === undefined || !isTaskId(task)) continue
    const known = byTask.get(task)
    if (known) known.push(one)
    else byTask.set(task, [one])
  }
  const shown = [...byTask.keys()].sort().slice(0, limit)
  const sources = await sourcesFor(
    parts,
    shown.flatMap((task) => byTask.get(task)!),
  )
  const tasks: TaskView[] = []
  for (const task of shown) tasks.push(await viewOf(parts, task, byTask.get(task)!, sources))
  const notices =
    left.size === 0
      ? []
      : [
          `Messages about ${left.size} task${left.size === 1 ? '' : 's'} have not counted yet; the next command goes on with them.`,
        ]
  return { tasks, leftOut: byTask.size - shown.length, notices }
}

export async function taskView(parts: CirceParts, id: TaskId, found?: readonly Listed[]): Promise<TaskView> {
  const lying = found ?? (await lookAround(parts)).found
  const theirs = lying.filter(({ message }) => message.task === id)
  return viewOf(parts, id, theirs, oneByOne(parts))
}

async function viewOf(parts: CirceParts, id: TaskId, theirs: readonly Listed[], sources: Sources): Promise<TaskView> {
  const read = await sources.filesOf(id)
  const { task, problems } = read
  const { book } = await sources.ledgerOf(id)
  return {
    id,
    status: task.status,
    owner: isRecord(task, book) && !isClosed(task.status) ? undefined : task.owner,
    checks: task.checks,
    stalledSeconds: isBeingWorkedOn(task) ? await stalledSeconds(parts, read) : undefined,
    startedAt: timeText(task.startedAt),
    updatedAt: timeText(task.updatedAt),
    request: book.request && { from: book.request.from, intent: book.request.intent },
    messages: await linesOf(parts, theirs, sources),
    notices: problems.map(({ file, message }) => `${id}.${file}: ${message}`),
  }
}

const isBeingWorkedOn = ({ status, owner }: Task): boolean =>
  owner !== undefined && (status === 'claimed' || status === 'in_progress')

/** How long a claimed task has been silent, once that is too long. Whoever is blocked waits for others. */
export async function stalledSeconds(
  { tree, settings }: CirceParts,
  { task, writtenAt }: Pick<TaskOnTree, 'task' | 'writtenAt'>,
): Promise<number | undefined> {
  const heardAt = task.updatedAt ?? task.claimedAt ?? writtenAt
  if (!isBeingWorkedOn(task) || heardAt === undefined) return undefined
  const silent = (await tree.now()) - heardAt
  return silent >= settings.stallMs ? Math.floor(silent / 1000) : undefined
}

const timeText = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : isoTime(ms))
