/** What happened, in order: of one task, or of everything. */
import { isoTime } from '../../../kernel/clock.ts'
import { eventsIn } from '../events.ts'
import type { TaskId } from '../names.ts'
import { messagesOf } from './ledgers.ts'
import { eventsOf, logBytes } from './log.ts'
import type { History } from './outcomes.ts'
import type { CirceParts } from './parts.ts'

export interface HistoryOptions {
  readonly task?: TaskId | undefined
  /** At most so many, the last ones. */
  readonly limit?: number | undefined
}

export async function readHistory(parts: CirceParts, { task, limit }: HistoryOptions): Promise<History> {
  const all = task === undefined ? [...eventsIn(await logBytes(parts))] : await eventsOf(parts, task)
  const events = all.slice(Math.max(0, all.length - (limit ?? all.length)))
  const messages = await messagesOf(parts, events)
  const entries = events.map(({ at, event, agent, task, file, detail }) => {
    const summary = file === undefined ? undefined : messages.get(file)?.summary
    return { at: isoTime(at), event, agent, task, file, detail, summary }
  })
  return { outcome: entries.length === 0 ? 'nothing' : 'told', entries, leftOut: all.length - events.length }
}
