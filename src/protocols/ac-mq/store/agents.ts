/** The agents that sent or claimed messages of a mission: by file names, or by the file where the name does not tell. */
import { SignalboxError } from '../../../kernel/errors.ts'
import { isSegment } from '../../../kernel/tree-path.ts'
import { tooManyFiles } from '../../../messaging/agents/recipient.ts'
import type { Entry } from '../../../tree/tree.ts'
import { everyone, isMessageName, parseFileName } from '../layout.ts'
import type { QueueName } from '../schema.ts'
import type { MissionFiles } from './parts.ts'

/** Opening more than this many files for a courtesy would take too long. */
const mostOpened = 200
/** And so would listing a folder that is larger: some thousand names. */
const largestListed = 128 * 1024

/** Each once. `isSparing`: throws `tooManyFiles` when there is too much to look through for a courtesy. */
export async function* seenIn(files: MissionFiles, isSparing = false): AsyncGenerator<string> {
  const told = new Set<string>([everyone])
  for await (const agent of actedIn(files, isSparing)) {
    if (!told.has(agent)) yield agent
    told.add(agent)
  }
}

/** A name that differs by case alone from a known one is accepted if files of the mission show this spelling too. */
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
      // A message to all keeps its name; who took it stands inside.
      if (parts && (queue === 'pending' || parts.to !== everyone)) yield* actedOn(parts, queue)
      else if (!isSparing || untold.length < mostOpened) untold.push({ queue, name })
    }
  }
  for (const { queue, name } of untold) {
    const record = await files.readRecord(queue, name)
    if (record) yield* actedOn(record, queue)
  }
}

/** A folder whose size the tree does not know may be of any size, except that few messages are worked on at a time. */
async function isLarge({ tree, queues }: MissionFiles, queue: QueueName): Promise<boolean> {
  const size = (await tree.look(queues[queue]))?.size
  return size === 0 ? queue !== 'processing' : size !== undefined && size > largestListed
}

/** Agents that hold claims come first: these folders are small, and an agent at work is likely to get more. */
const smallestFirst: readonly QueueName[] = ['processing', 'failed', 'completed', 'pending']

/** Where the agents can begin in the name of a message, at the earliest. */
const afterTime = 15

/** Thousands of messages go between the same few agents: of each pair one name is enough. */
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
