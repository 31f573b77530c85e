/**
 * What every command does first: finishes what killed processes left, sets aside files that are no messages, copies messages to all
 * to every agent, and counts messages for their tasks, whichever program wrote them.
 */
import type { TaskId } from '../names.ts'
import { countAll, countTask, type Left } from './counting.ts'
import { bringAll } from './fan-out.ts'
import type { Patience } from './journal.ts'
import { logArrivals } from './log-arrivals.ts'
import { publishStaged } from './moving.ts'
import type { CirceRejected } from './outcomes.ts'
import type { CirceParts } from './parts.ts'
import { type Lying, lookAround } from './places.ts'
import { rejectAll } from './quarantine.ts'

export interface CaughtUp extends Lying {
  readonly rejected: readonly CirceRejected[]
  readonly left: Left
}

/** A pass can leave work for the next one, but not without end. */
const mostPasses = 5

/** `logs`: also counts messages that another program put straight into the log. Not inside a turn. */
export async function catchUp(parts: CirceParts, { logs = false, isFresh = true } = {}): Promise<CaughtUp> {
  await parts.changes.finishAll()
  await publishStaged(parts)
  const { index } = parts
  let lying = await lookAround(parts, { isFresh })
  const rejected = await rejectAll(parts, lying.unusable)
  let left: Left = new Map()
  for (let pass = 1; pass <= mostPasses; pass++) {
    const news = logs ? await logArrivals(parts) : undefined
    const open = await index.unsettled(lying.found)
    const hasBrought = await bringAll(parts, open)
    const counted = await countAll(parts, news ? [...open, ...news.found] : open)
    left = counted.left
    if (left.size === 0) await news?.remember()
    if (left.size > 0 || !(hasBrought || counted.did)) break
    lying = await lookAround(parts)
  }
  await index.save()
  return { ...lying, rejected, left }
}

/** Counts the messages of one task that `catchUp` left. Not inside a turn. */
export async function finishTask(
  parts: CirceParts,
  { left }: Pick<CaughtUp, 'left'>,
  task: TaskId | undefined,
  patience?: Patience,
): Promise<void> {
  const messages = task === undefined ? undefined : left.get(task)
  if (messages) await countTask(parts, task!, messages, patience)
}
