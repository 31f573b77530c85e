/** The state of a task from its lines of the log and its messages: to check its files, and to make lost ones again. Pure. */
import { type Counted, claimed, effectOf, isRecord, opened, withCheck } from './effects.ts'
import type { CirceEvent } from './events.ts'
import { agentId, isAgentId, type TaskId } from './names.ts'
import type { CirceSettings } from './settings.ts'
import { isClosed, newTask, noFacts, settableChecks, type Task, type TaskFacts, taskStatuses } from './task.ts'

/** The detail of a `claimed` line by which an agent became the owner. */
export const ownerDetail = (owner: string): string => `owner ${owner}`

/** The detail of a `checks` line. */
export const checksDetail = (set: Readonly<Record<string, boolean>>): string =>
  Object.entries(set)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')

/** `counted`: the files of the messages that have counted. */
export function replay(
  id: TaskId,
  events: Iterable<CirceEvent>,
  messages: ReadonlyMap<string, Counted>,
  settings: CirceSettings,
): { readonly task: Task; readonly facts: TaskFacts; readonly counted: ReadonlySet<string> } {
  let task = newTask(id)
  let facts = noFacts
  const counted = new Set<string>()
  for (const { at, event, agent, file, detail } of events) {
    const message = file === undefined ? undefined : messages.get(file)
    switch (event) {
      case 'message':
      case 'asked':
      case 'refused': {
        // The first line counts: two processes may have written one about the same message at once.
        if (file !== undefined && counted.has(file)) break
        if (file !== undefined) counted.add(file)
        if (!message) break
        const effect = effectOf(task, facts, message, at, settings)
        ;({ task, facts } = effect)
        if (effect.next === 'release') task = { ...task, owner: undefined, claimedAt: undefined }
        break
      }
      case 'claimed':
        if (!isAgentId(agent) || detail !== ownerDetail(agent)) break
        if (message && isClosed(task.status)) ({ task, facts } = opened(task, facts, message))
        if (task.owner === undefined || isRecord(task, facts))
          ({ task, facts } = claimed(task, facts, agentId(agent), at))
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
  return { task, facts, counted }
}
