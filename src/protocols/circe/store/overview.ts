/** How inboxes and tasks stand. Looks only. */
import { isoTime } from '../../../kernel/clock.ts'
import { childOf } from '../../../kernel/tree-path.ts'
import { isRecord } from '../effects.ts'
import { takesTask } from '../intents.ts'
import { logsPath } from '../layout.ts'
import { type AgentId, isEverybody, isSameAgent, isTaskId, type TaskId } from '../names.ts'
import { isClosed, type Task } from '../task.ts'
import { readLedger } from './book.ts'
import type { CaughtUp } from './catching-up.ts'
import { claimable, isOwnBroadcast } from './claiming.ts'
import { handedOf } from './handed.ts'
import type { Inbox, InboxLine, TaskView } from './outcomes.ts'
import { ownerOf } from './ownership.ts'
import type { CirceParts } from './parts.ts'
import { type Found, lookAround } from './places.ts'
import { readTaskFiles, type TaskOnTree, tasksOnTree } from './task-files.ts'
import { viewOfFound } from './view.ts'

export async function inboxOf(parts: CirceParts, agent: AgentId, caughtUp: CaughtUp): Promise<Inbox> {
  const theirs = claimable(caughtUp, agent).filter((one) => !isOwnBroadcast(one, agent))
  const working = caughtUp.found.filter((one) => one.place === 'workspace' && one.agent === agent)
  const messages = await linesOf(parts, [...theirs, ...working], agent)
  const closed = caughtUp.unusable
    .filter((one) => one.isClosed && (one.agent === undefined || one.agent === agent))
    .map(({ name, path, problem }) => ({ file: name, path, code: problem.code, reason: problem.message }))
  const rejected = [...closed, ...caughtUp.rejected]
  return { outcome: messages.length === 0 ? 'empty' : 'listed', agent, messages, rejected }
}

async function linesOf(parts: CirceParts, found: readonly Found[], agent?: AgentId): Promise<InboxLine[]> {
  const { tree, root } = parts
  const now = await tree.now()
  const lines: InboxLine[] = []
  for (const one of found) {
    const { message, name } = one
    const handed = one.agent === undefined ? undefined : await handedOf(parts, one.agent, name)
    const isOneReaders = !isEverybody(message.to) || one.place === 'workspace'
    const isLogged = isOneReaders && (await tree.look(childOf(logsPath(root), name))) !== undefined
    const owner = takesTask(message.intent) ? await ownerOf(parts, message.task as TaskId) : undefined
    const isOthers = owner !== undefined && agent !== undefined && !isSameAgent(owner, agent)
    lines.push({
      ...viewOfFound(one),
      ageSeconds: Math.max(0, Math.floor((now - message.time) / 1000)),
      isClaimed: handed !== undefined,
      isAcknowledged: handed === 'acknowledged' || isLogged,
      ...(isOthers ? { ownedBy: owner } : {}),
    })
  }
  return lines
}

/** Every task that has files, or that a message speaks of which is not logged. */
export async function taskViews(parts: CirceParts, { found }: Pick<CaughtUp, 'found'>): Promise<TaskView[]> {
  const tasks = new Set<TaskId>(await tasksOnTree(parts))
  for (const { message } of found) if (message.task !== undefined && isTaskId(message.task)) tasks.add(message.task)
  const views: TaskView[] = []
  for (const task of [...tasks].sort()) views.push(await taskView(parts, task, found))
  return views
}

export async function taskView(parts: CirceParts, id: TaskId, found?: readonly Found[]): Promise<TaskView> {
  const read = await readTaskFiles(parts, id)
  const { task, problems } = read
  const { book } = await readLedger(parts, id)
  const lying = found ?? (await lookAround(parts)).found
  return {
    id,
    status: task.status,
    owner: isRecord(task, book) && !isClosed(task.status) ? undefined : task.owner,
    checks: task.checks,
    stalledSeconds: await stalledSeconds(parts, read),
    startedAt: timeText(task.startedAt),
    updatedAt: timeText(task.updatedAt),
    request: book.request && { from: book.request.from, intent: book.request.intent },
    messages: await linesOf(
      parts,
      lying.filter(({ message }) => message.task === id),
    ),
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
