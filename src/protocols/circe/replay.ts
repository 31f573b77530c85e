/** How a task came to stand as it does, from its lines of the log and its messages. Pure; for when its files are lost. */
import { claimed, effectOf, isRecord, opened, type TaskBook, withCheck } from './effects.ts'
import type { CirceEvent } from './events.ts'
import { agentId, isAgentId, type TaskId } from './names.ts'
import type { CirceMessage } from './schema.ts'
import type { CirceSettings } from './settings.ts'
import { isClosed, newTask, settableChecks, type Task, taskStatuses } from './task.ts'

export const emptyBook: TaskBook = { reviewers: [] }

/** The detail of a `claimed` line that made somebody the owner. */
export const ownerDetail = (owner: string): string => `owner ${owner}`

/** The detail of a `checks` line. */
export const checksDetail = (set: Readonly<Record<string, boolean>>): string =>
  Object.entries(set)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')

export interface Replayed {
  readonly task: Task
  readonly book: TaskBook
  /** The messages that have been taken into account. */
  readonly applied: readonly string[]
}

export function replay(
  id: TaskId,
  events: Iterable<CirceEvent>,
  messages: ReadonlyMap<string, Pick<CirceMessage, 'from' | 'to' | 'intent' | 'status' | 'time'>>,
  settings: CirceSettings,
): Replayed {
  let task = newTask(id)
  let book = emptyBook
  const applied = new Set<string>()
  for (const { at, event, agent, file, detail } of events) {
    const message = file === undefined ? undefined : messages.get(file)
    switch (event) {
      case 'message':
      case 'asked':
      case 'refused': {
        // The first line counts: two processes may have told of the same message at once.
        if (file !== undefined && applied.has(file)) break
        if (file !== undefined) applied.add(file)
        if (!message) break
        const effect = effectOf(task, book, message, at, settings)
        ;({ task, book } = effect)
        if (effect.next === 'release') task = { ...task, owner: undefined, claimedAt: undefined }
        break
      }
      case 'claimed':
        if (!isAgentId(agent) || detail !== ownerDetail(agent)) break
        if (message && isClosed(task.status)) ({ task, book } = opened(task, book, message))
        if (task.owner === undefined || isRecord(task, book)) ({ task, book } = claimed(task, book, agentId(agent), at))
        break
      case 'started':
        if (task.owner !== undefined && agent === task.owner) task = { ...task, status: 'in_progress', updatedAt: at }
        break
      case 'released':
        task = { ...task, status: 'new', owner: undefined, claimedAt: undefined, updatedAt: at }
        break
      case 'completed':
        task = { ...task, status: 'completed', updatedAt: at }
        break
      case 'status': {
        const status = taskStatuses.find((one) => one === detail)
        if (status) task = { ...task, status, updatedAt: at }
        break
      }
      case 'checks':
        for (const part of detail.split(' ')) {
          const [name, value] = part.split('=')
          const check = settableChecks.find((one) => one === name)
          if (check) task = { ...task, checks: withCheck(task.checks, check, value === 'true'), updatedAt: at }
        }
        break
      default:
        break
    }
  }
  return { task, book, applied: [...applied] }
}
