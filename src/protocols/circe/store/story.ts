/** What happened, in order: of one task, or of everything. */
import { isoTime } from '../../../kernel/clock.ts'
import { type CirceEvent, eventsIn } from '../events.ts'
import { summaryOf } from '../format.ts'
import { isFileName, type TaskId } from '../names.ts'
import { eventsOf, logBytes } from './log.ts'
import type { Story, StoryEntry } from './outcomes.ts'
import type { CirceParts } from './parts.ts'
import { findMessage, isFound, readAt } from './places.ts'

export interface StoryOptions {
  readonly task?: TaskId
  /** At most so many, the last ones. */
  readonly limit?: number
}

export async function tellStory(
  parts: CirceParts,
  { task, limit = Number.POSITIVE_INFINITY }: StoryOptions,
): Promise<Story> {
  const events = task === undefined ? await lastEvents(parts, limit) : lastOf(await eventsOf(parts, task), limit)
  const summaries = new Map<string, string | undefined>()
  const entries: StoryEntry[] = []
  for (const { at, event, agent, task: about, file, detail } of events.kept) {
    if (file !== undefined && !summaries.has(file)) summaries.set(file, await summaryIn(parts, file))
    const summary = file === undefined ? undefined : summaries.get(file)
    entries.push({ at: isoTime(at), event, agent, task: about, file, detail, summary })
  }
  return { outcome: entries.length === 0 ? 'nothing' : 'told', entries, leftOut: events.leftOut }
}

async function lastEvents(parts: CirceParts, limit: number) {
  let kept: CirceEvent[] = []
  let count = 0
  for (const event of eventsIn(await logBytes(parts))) {
    count++
    kept.push(event)
    if (kept.length >= 2 * limit) kept = kept.slice(-limit)
  }
  return { kept: lastOf(kept, limit).kept, leftOut: Math.max(0, count - limit) }
}

const lastOf = (events: readonly CirceEvent[], limit: number) => ({
  kept: events.length > limit ? events.slice(-limit) : events,
  leftOut: Math.max(0, events.length - limit),
})

/** Nearly always it is logged; else it is looked for. */
async function summaryIn(parts: CirceParts, file: string): Promise<string | undefined> {
  if (!isFileName(file)) return undefined
  const logged = await readAt(parts, { place: 'logged' }, file)
  const found = isFound(logged) ? logged : await findMessage(parts, file)
  return found && summaryOf(found.message)
}
