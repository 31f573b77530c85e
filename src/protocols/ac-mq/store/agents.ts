/** The agents that sent or claimed messages of a mission, from file names, or from the header where the name does not tell. */
import { SignalboxError } from '../../../kernel/errors.ts'
import { isSegment } from '../../../kernel/tree-path.ts'
import { tooManyFiles } from '../../../messaging/agents/recipient.ts'
import type { Entry } from '../../../tree/tree.ts'
import { everyone, isMessageName, parseFileName } from '../layout.ts'
import type { QueueName } from '../schema.ts'
import type { MissionFiles } from './parts.ts'

/** With `isSparing`: no more files are opened. */
const mostOpened = 200
/** With `isSparing`: no folder is listed that takes more bytes on disk, which are some thousand names. */
const largestListed = 128 * 1024

/** Each agent once. `isSparing`: for a mere remark to a sender, so `tooManyFiles` is thrown when looking would take long. */
export async function* seenIn(files: MissionFiles, isSparing = false): AsyncGenerator<string> {
  const told = new Set<string>([everyone])
  for await (const agent of actedIn(files, isSparing)) {
    if (!told.has(agent)) yield agent
    told.add(agent)
  }
}

/** Throws the refusal, unless it is about another spelling in capitals and files of the mission have this spelling too. */
export async function expectShown(files: MissionFiles, agent: string, refusal: unknown): Promise<void> {
  if (refusal instanceof SignalboxError && refusal.code === 'SAME_BUT_FOR_CASE') {
    for await (const seen of seenIn(files)) if (seen === agent) return
  }
  throw refusal
}

async function* actedIn(files: MissionFiles, isSparing: boolean): AsyncGenerator<string> {
  const untold: { queue: QueueName; name: string }[] = []
  for (const queue of smallestFirst) {
    if (isSparing && (await isLarge(files, queue))) throw tooManyFiles
    for (const name of differentIn(await files.tree.list(files.queues[queue]))) {
      const parts = parseFileName(name)
      // The file name of a message to all does not tell who claimed it.
      if (parts && (queue === 'pending' || parts.to !== everyone)) yield* actedOn(parts, queue)
      else if (!isSparing || untold.length < mostOpened) untold.push({ queue, name })
    }
  }
  for (const { queue, name } of untold) {
    const record = await files.readRecord(queue, name)
    if (record) yield* actedOn(record, queue)
  }
}

/** A folder whose size the tree does not know counts as large, except `processing/`, which is always small. */
async function isLarge({ tree, queues }: MissionFiles, queue: QueueName): Promise<boolean> {
  const size = (await tree.look(queues[queue]))?.size
  return size === 0 ? queue !== 'processing' : size !== undefined && size > largestListed
}

/** Holders of claims come first: `processing/` is small, and an agent at work is the likeliest recipient. */
const smallestFirst: readonly QueueName[] = ['processing', 'failed', 'completed', 'pending']

/** The earliest position of the agents in a file name. */
const afterTime = 15

/** Thousands of messages go between the same few agents, so one file name for each pair is enough. */
function* differentIn(entries: readonly Entry[]): Generator<string> {
  const told = new Set<string>()
  for (const { name, kind } of entries) {
    if (kind !== 'leaf' || !isMessageName(name) || !isSegment(name)) continue
    const agents = name.slice(name.indexOf('-from-', afterTime))
    const isToAll = agents.includes(`-to-${everyone}`)
    if (!isToAll && told.has(agents)) continue
    told.add(agents)
    yield name
  }
}

function* actedOn({ from, to }: { from: string; to: string }, queue: QueueName): Generator<string> {
  yield from
  if (queue !== 'pending') yield to
}
