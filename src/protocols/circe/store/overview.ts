/** What inboxes, tasks and the log hold. Claims nothing. */
import { isoTime } from '../../../kernel/clock.ts'
import { groupBy } from '../../../kernel/group-by.ts'
import { waitFor } from '../../../messaging/waiting/waiting.ts'
import { isRecord } from '../effects.ts'
import { eventsIn } from '../events.ts'
import { takesTask } from '../intents.ts'
import { inboxPath, newPath } from '../layout.ts'
import { type AgentId, agentId, isEverybody, isSameAgent, type TaskId, taskId } from '../names.ts'
import { isClosed } from '../task.ts'
import { folderOf } from './agents.ts'
import { type CaughtUp, catchUp, finishTask } from './catching-up.ts'
import { claimable, isOwnBroadcast } from './claiming.ts'
import { handedOf } from './handed.ts'
import { messagesOf, readLedger } from './ledgers.ts'
import { eventsOf, logBytes } from './log.ts'
import type { History, Inbox, InboxLine, TaskList, TaskView } from './outcomes.ts'
import type { CirceParts } from './parts.ts'
import { isInLog, type Listed, lookAround } from './places.ts'
import { readTaskFiles, type TaskOnTree, tasksOnTree } from './task-files.ts'
import { noTask } from './tasks.ts'
import { viewOfFound } from './view.ts'

export class Overview {
  readonly #parts: CirceParts

  constructor(parts: CirceParts) {
    this.#parts = parts
  }

  /** The messages for an agent, the oldest first. `waitMs`: waits so long for the first one. */
  async inbox(
    name: string,
    { waitMs = 0, signal }: { readonly waitMs?: number; readonly signal?: AbortSignal } = {},
  ): Promise<Inbox> {
    const agent = agentId(name)
    const look = async () => inboxOf(this.#parts, agent, await catchUp(this.#parts))
    if (waitMs <= 0) return look()
    const { tree, root } = this.#parts
    const folders = [newPath(root), inboxPath(root, await folderOf(this.#parts, agent))]
    const attempt = async () => {
      const inbox = await look()
      return inbox.outcome === 'listed' ? inbox : undefined
    }
    return (await waitFor(tree, folders, attempt, { waitMs, signal })) ?? look()
  }

  /** Every task that has files, or a message outside of the log; with `limit`, the first so many by name. */
  async taskList({ limit = Number.POSITIVE_INFINITY }: { readonly limit?: number } = {}): Promise<TaskList> {
    const { found, left } = await catchUp(this.#parts, { logs: true })
    const byTask = groupBy(found, ({ message }) => message.task)
    const known = new Set([...byTask.keys(), ...(await tasksOnTree(this.#parts))].filter((task) => task !== undefined))
    const shown = [...known].sort().slice(0, limit)
    const tasks: TaskView[] = []
    for (const task of shown) tasks.push(await viewOf(this.#parts, task, byTask.get(task) ?? []))
    const notice = `Messages about ${left.size} task${left.size === 1 ? '' : 's'} have not counted yet; the next command goes on with them.`
    return { tasks, leftOut: known.size - shown.length, notices: left.size === 0 ? [] : [notice] }
  }

  /** All of them, or one. */
  async tasks(id?: string): Promise<readonly TaskView[]> {
    if (id === undefined) return (await this.taskList()).tasks
    const task = taskId(id)
    const caughtUp = await catchUp(this.#parts, { logs: true })
    await finishTask(this.#parts, caughtUp, task)
    const view = await taskView(this.#parts, task, caughtUp.found)
    const hasFiles = view.updatedAt !== undefined || view.notices.length > 0 || view.owner !== undefined
    const isKnown = hasFiles || view.messages.length > 0 || (await readLedger(this.#parts, task)).counted.size > 0
    if (!isKnown) throw noTask(task)
    return [view]
  }

  /** What happened, in order; at most the last so many events. */
  async log({ task, limit }: { readonly task?: string; readonly limit?: number } = {}): Promise<History> {
    await catchUp(this.#parts, { logs: true })
    const all =
      task === undefined ? [...eventsIn(await logBytes(this.#parts))] : await eventsOf(this.#parts, taskId(task))
    const events = all.slice(Math.max(0, all.length - (limit ?? all.length)))
    const messages = await messagesOf(this.#parts, events)
    const entries = events.map(({ at, event, agent, task, file, detail }) => {
      const summary = file === undefined ? undefined : messages.get(file)?.summary
      return { at: isoTime(at), event, agent, task, file, detail, summary }
    })
    return { outcome: entries.length === 0 ? 'nothing' : 'told', entries, leftOut: all.length - events.length }
  }
}

async function inboxOf(parts: CirceParts, agent: AgentId, caughtUp: CaughtUp): Promise<Inbox> {
  const theirs = [...claimable(caughtUp, agent)].filter((one) => !isOwnBroadcast(one, agent))
  const working = caughtUp.found.filter((one) => one.place === 'workspace' && one.agent === agent)
  const messages = await linesOf(parts, [...theirs, ...working], agent)
  const closed = caughtUp.unusable
    .filter((one) => one.isClosed && (one.agent === undefined || one.agent === agent))
    .map(({ name, path, problem }) => ({ file: name, path, code: problem.code, reason: problem.message }))
  const rejected = [...closed, ...caughtUp.rejected]
  return { outcome: messages.length === 0 ? 'empty' : 'listed', agent, messages, rejected }
}

async function linesOf(parts: CirceParts, found: readonly Listed[], agent?: AgentId): Promise<InboxLine[]> {
  if (found.length === 0) return []
  const now = await parts.tree.now()
  const lines: InboxLine[] = []
  for (const one of found) {
    const { message, name } = one
    const handed = one.agent === undefined ? undefined : await handedOf(parts, one.agent, name)
    const isOneReaders = !isEverybody(message.to) || one.place === 'workspace'
    const isLogged = isOneReaders && (await isInLog(parts, name))
    const owner = takesTask(message.intent) ? await ownerNow(parts, message.task!) : undefined
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

/** The owner of an open task. `.owner` alone does not tell: it also names the owners of closed tasks, and former owners. */
export async function ownerNow(parts: CirceParts, id: TaskId): Promise<AgentId | undefined> {
  const { task } = await readTaskFiles(parts, id)
  if (task.owner === undefined || isClosed(task.status)) return undefined
  return isRecord(task, (await readLedger(parts, id)).facts) ? undefined : task.owner
}

export async function taskView(parts: CirceParts, id: TaskId, found?: readonly Listed[]): Promise<TaskView> {
  const lying = found ?? (await lookAround(parts)).found
  const theirs = lying.filter(({ message }) => message.task === id)
  return viewOf(parts, id, theirs)
}

async function viewOf(parts: CirceParts, id: TaskId, theirs: readonly Listed[]): Promise<TaskView> {
  const read = await readTaskFiles(parts, id)
  const { task, problems } = read
  const { facts } = await readLedger(parts, id)
  return {
    id,
    status: task.status,
    owner: isRecord(task, facts) && !isClosed(task.status) ? undefined : task.owner,
    checks: task.checks,
    stalledSeconds: await stalledSeconds(parts, read),
    startedAt: timeText(task.startedAt),
    updatedAt: timeText(task.updatedAt),
    request: facts.request && { from: facts.request.from, intent: facts.request.intent },
    messages: await linesOf(parts, theirs),
    notices: problems.map(({ file, message }) => `${id}.${file}: ${message}`),
  }
}

/** How long a claimed task has not changed, if that is too long. A blocked task is not stalled: its owner waits for an answer. */
export async function stalledSeconds(
  { tree, settings }: CirceParts,
  { task, writtenAt }: Pick<TaskOnTree, 'task' | 'writtenAt'>,
): Promise<number | undefined> {
  const heardAt = task.updatedAt ?? task.claimedAt ?? writtenAt
  const isBeingWorkedOn = task.owner !== undefined && (task.status === 'claimed' || task.status === 'in_progress')
  if (!isBeingWorkedOn || heardAt === undefined) return undefined
  const silent = (await tree.now()) - heardAt
  return silent >= settings.stallMs ? Math.floor(silent / 1000) : undefined
}

const timeText = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : isoTime(ms))
