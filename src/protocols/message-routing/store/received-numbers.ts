/**
 * The sequence numbers that a reader has seen, in one small file beside its inbox. Without the file every first number above 1
 * looks like a loss. It may be deleted; a damaged one is started over.
 */
import { printJson } from '../../../formats/json.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { jsonIn } from '../format.ts'
import {
  expectAgain,
  expectRestart,
  isCurrent,
  noteNumber,
  nothingSeen,
  type Range,
  type Seen,
  without,
} from '../gaps.ts'
import { type AgentId, folderPath, isAgentId, receivedPath } from '../layout.ts'
import { momentOf } from '../order.ts'
import { isObject, type MrMessage } from '../schema.ts'
import type { Gap, Restart } from './outcomes.ts'
import { isMessageEntry, type RoutingParts } from './parts.ts'
import { isGenuine, readMessage } from './reading.ts'

type Numbered = Pick<MrMessage, 'from' | 'sequence' | 'timestamp'>
/** Numbers that were skipped. Only messages after `since` belong to the same numbering. */
interface Skipped extends Pick<Seen, 'since'> {
  readonly from: string
  readonly range: Range
}
type Memory = Record<string, Seen>

/** Another program can invent any number of senders: beyond so many, the least recent are forgotten. */
const mostSenders = 1000
/** So many taken messages are searched for a missing number, the latest first. */
const mostSearched = 500

export interface Report {
  readonly gaps: readonly Gap[]
  readonly restarts: readonly Restart[]
}

/** Notes messages that were just handed out. `waiting`: those in the inbox, as they are on disk, which are not lost. */
export async function noteReceived(
  parts: RoutingParts,
  agent: AgentId,
  taken: readonly Numbered[],
  waiting: readonly MrMessage[],
): Promise<Report> {
  if (taken.length === 0) return { gaps: [], restarts: [] }
  let skipped: Skipped[] = []
  let restarts: Restart[] = []
  await update(parts, agent, (memory) => {
    skipped = []
    restarts = []
    for (const message of taken) {
      const { from, sequence } = message
      if (!isAgentId(from) || !Number.isSafeInteger(sequence)) continue
      const noted = noteNumber(memory[from] ?? nothingSeen, sequence, momentOf(message))
      // Removed and added again, so that the most recent senders come last.
      delete memory[from]
      memory[from] = noted.seen
      if (noted.skipped) skipped.push({ from, range: noted.skipped, ...timeIn(noted.seen, 'since') })
      if (noted.restartedAfter !== undefined) restarts.push({ from, after: noted.restartedAfter })
    }
  })
  const gaps = skipped.length === 0 ? [] : await confirmed(parts, agent, skipped, taken, waiting)
  return { gaps, restarts }
}

/** A message goes back into the inbox. */
export const expectNumberAgain = (parts: RoutingParts, agent: AgentId, { from, sequence }: Numbered): Promise<void> =>
  update(parts, agent, (memory) => {
    const seen = memory[from]
    if (seen) memory[from] = expectAgain(seen, sequence)
  })

/** A sender begins again at 1. A reader that has seen its numbers then notices the restart even if number 1 is lost. */
export async function expectRestartOf(parts: RoutingParts, agent: AgentId, from: AgentId, resetAt: number) {
  const leaf = await parts.tree.read(receivedPath(parts.root, agent))
  if (!leaf || !memoryIn(leaf.bytes)[from]) return
  await update(parts, agent, (memory) => {
    const seen = memory[from]
    if (seen) memory[from] = expectRestart(seen, resetAt)
  })
}

/** The skipped numbers that are nowhere. A message in `taken/` is not lost: its reader may have been killed before it noted the number. */
async function confirmed(
  parts: RoutingParts,
  agent: AgentId,
  skipped: readonly Skipped[],
  taken: readonly Numbered[],
  waiting: readonly MrMessage[],
): Promise<Gap[]> {
  const fills = (one: Skipped, message: Numbered) =>
    one.from === message.from &&
    one.range[0] <= message.sequence &&
    message.sequence <= one.range[1] &&
    // Before a restart, another message had the same number.
    isCurrent(one, momentOf(message))
  const isSkipped = (message: Numbered) => skipped.some((one) => fills(one, message))
  const seen: Numbered[] = taken.filter(isSkipped)
  // Only genuine messages: a forged one with the number of a lost message must not hide the loss.
  for (const message of [...waiting, ...(await recentlyTaken(parts, agent))]) {
    if (isSkipped(message) && (await isGenuine(parts, agent, message))) seen.push(message)
  }
  return skipped.flatMap((one) => {
    const { from, range } = one
    let ranges: readonly Range[] = [range]
    for (const message of seen) if (fills(one, message)) ranges = without(ranges, message.sequence)
    return ranges.map(([first, last]) => ({ from, first, last, count: last - first + 1 }))
  })
}

async function recentlyTaken(parts: RoutingParts, agent: AgentId): Promise<MrMessage[]> {
  const { tree, root } = parts
  const entries = (await tree.list(folderPath(root, agent, 'taken'), { times: true })).filter(isMessageEntry)
  const newest = entries.sort((a, b) => b.changedAt - a.changedAt).slice(0, mostSearched)
  const found: MrMessage[] = []
  for (const { name } of newest) {
    const message = await readMessage(parts, agent, 'taken', name)
    if (message) found.push(message)
  }
  return found
}

async function update({ tree, root }: RoutingParts, agent: AgentId, change: (memory: Memory) => void): Promise<void> {
  await changeLeaf(tree, receivedPath(root, agent), (leaf) => {
    const memory = leaf ? memoryIn(leaf.bytes) : {}
    change(memory)
    const senders = Object.entries(memory).slice(-mostSenders)
    return Buffer.from(printJson({ senders: Object.fromEntries(senders) }))
  })
}

/** Empty for a damaged file: starting over reports too many losses, never too few. */
function memoryIn(bytes: Uint8Array): Memory {
  const memory: Memory = Object.create(null)
  const { senders } = (jsonIn(bytes) ?? {}) as { readonly senders?: unknown }
  for (const [from, seen] of isObject(senders) ? Object.entries(senders) : []) {
    if (!isSeen(seen) || !isAgentId(from)) continue
    const { last, missing } = seen
    memory[from] = { last, missing, ...timeIn(seen, 'at'), ...timeIn(seen, 'since'), ...timeIn(seen, 'resetAt') }
  }
  return memory
}

const timeIn = (seen: Seen, field: 'at' | 'since' | 'resetAt') =>
  typeof seen[field] === 'number' && Number.isFinite(seen[field]) ? { [field]: seen[field] } : {}

const isSeen = (value: unknown): value is Seen => {
  const { last, missing } = (value ?? {}) as { readonly last?: unknown; readonly missing?: unknown }
  return Number.isSafeInteger(last) && (last as number) >= 0 && Array.isArray(missing) && missing.every(isRange)
}

const isRange = (value: unknown): value is Range =>
  Array.isArray(value) && value.length === 2 && value.every((one) => Number.isSafeInteger(one)) && value[0] <= value[1]
