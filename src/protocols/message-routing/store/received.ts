/**
 * What a reader remembers of the numbers it has seen, in one small file beside its inbox. The file is worth keeping,
 * since without it every first number above 1 looks like a loss; but it may be deleted, and a damaged one is started over.
 */
import { printJson } from '../../../formats/json.ts'
import { changeLeaf } from '../../../tree/change.ts'
import { jsonIn, parseMessage } from '../format.ts'
import { expectAgain, noteNumber, nothingSeen, type Range, type Seen, without } from '../gaps.ts'
import { type AgentId, folderPath, isAgentId, receivedPath } from '../layout.ts'
import { isObject, type MrMessage } from '../schema.ts'
import { isGenuine } from './genuine.ts'
import type { Gap, Restart } from './outcomes.ts'
import { isMessageEntry, pathIn, type RoutingParts } from './parts.ts'

type Numbered = Pick<MrMessage, 'from' | 'sequence'>
type Memory = Record<string, Seen>

/** A stranger can invent any number of senders: beyond so many, those not heard of for the longest time are forgotten. */
const mostSenders = 1000
/** How far back among the taken messages a missing number is looked for. */
const mostSearched = 500

export interface Report {
  readonly gaps: readonly Gap[]
  readonly restarts: readonly Restart[]
}

export class ReceivedNumbers {
  readonly #parts: RoutingParts

  constructor(parts: RoutingParts) {
    this.#parts = parts
  }

  /** Notes what was just handed out; `waiting` was found in the inbox, as it is on disk, and is therefore not lost. */
  async note(agent: AgentId, taken: readonly Numbered[], waiting: readonly MrMessage[]): Promise<Report> {
    if (taken.length === 0) return { gaps: [], restarts: [] }
    let skipped: { from: string; range: Range }[] = []
    let restarts: Restart[] = []
    await this.#update(agent, (memory) => {
      skipped = []
      restarts = []
      for (const { from, sequence } of taken) {
        if (!isAgentId(from) || !Number.isSafeInteger(sequence)) continue
        const noted = noteNumber(memory[from] ?? nothingSeen, sequence)
        // Taken out and put back, so that the ones heard of last stand last.
        delete memory[from]
        memory[from] = noted.seen
        if (noted.skipped) skipped.push({ from, range: noted.skipped })
        if (noted.restartedAfter !== undefined) restarts.push({ from, after: noted.restartedAfter })
      }
    })
    const gaps = skipped.length === 0 ? [] : await this.#confirm(agent, skipped, taken, waiting)
    return { gaps, restarts }
  }

  /** A message is moved back into the inbox. */
  async expectAgain(agent: AgentId, { from, sequence }: Numbered): Promise<void> {
    await this.#update(agent, (memory) => {
      const seen = memory[from]
      if (seen) memory[from] = expectAgain(seen, sequence)
    })
  }

  /**
   * A number may be missing only here: another reader took the message, or this one did and was killed before it wrote
   * that down. What lies in `taken/` was not lost.
   */
  async #confirm(
    agent: AgentId,
    skipped: readonly { from: string; range: Range }[],
    taken: readonly Numbered[],
    waiting: readonly MrMessage[],
  ): Promise<Gap[]> {
    const isSkipped = ({ from, sequence }: Numbered) =>
      skipped.some((one) => one.from === from && one.range[0] <= sequence && sequence <= one.range[1])
    const seen: Numbered[] = [...taken]
    // A forged message with the number of a lost one must not hide the loss.
    for (const message of [...waiting, ...(await this.#recentlyTaken(agent))]) {
      if (isSkipped(message) && (await isGenuine(this.#parts, agent, message))) seen.push(message)
    }
    return skipped.flatMap(({ from, range }) => {
      let ranges: readonly Range[] = [range]
      for (const one of seen) if (one.from === from) ranges = without(ranges, one.sequence)
      return ranges.map(([first, last]) => ({ from, first, last, count: last - first + 1 }))
    })
  }

  async #recentlyTaken(agent: AgentId): Promise<MrMessage[]> {
    const { tree, root } = this.#parts
    const entries = (await tree.list(folderPath(root, agent, 'taken'), { times: true })).filter(isMessageEntry)
    const newest = entries.sort((a, b) => b.changedAt - a.changedAt).slice(0, mostSearched)
    const found: MrMessage[] = []
    for (const { name } of newest) {
      const leaf = await tree.read(pathIn(this.#parts, agent, 'taken', name))
      const parsed = leaf && parseMessage(leaf.bytes)
      if (parsed?.outcome === 'message') found.push(parsed.message)
    }
    return found
  }

  async #update(agent: AgentId, change: (memory: Memory) => void): Promise<void> {
    const { tree, root } = this.#parts
    await changeLeaf(tree, receivedPath(root, agent), (leaf) => {
      const memory = leaf ? memoryIn(leaf.bytes) : {}
      change(memory)
      const senders = Object.entries(memory).slice(-mostSenders)
      return Buffer.from(printJson({ senders: Object.fromEntries(senders) }))
    })
  }
}

/** Of a damaged file nothing: a memory that is started over reports too much, never too little. */
function memoryIn(bytes: Uint8Array): Memory {
  const memory: Memory = Object.create(null)
  const { senders } = (jsonIn(bytes) ?? {}) as { readonly senders?: unknown }
  for (const [from, seen] of isObject(senders) ? Object.entries(senders) : []) {
    if (isSeen(seen) && isAgentId(from)) memory[from] = { last: seen.last, missing: seen.missing }
  }
  return memory
}

const isSeen = (value: unknown): value is Seen => {
  const { last, missing } = (value ?? {}) as { readonly last?: unknown; readonly missing?: unknown }
  return Number.isSafeInteger(last) && (last as number) >= 0 && Array.isArray(missing) && missing.every(isRange)
}

const isRange = (value: unknown): value is Range =>
  Array.isArray(value) && value.length === 2 && value.every((one) => Number.isSafeInteger(one)) && value[0] <= value[1]
