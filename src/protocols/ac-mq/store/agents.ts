/**
 * Who has been seen in a mission: everybody who sent or claimed one of its messages, and everybody who registered in
 * the workspace. Being written to is not being there. Read off file names, which carry both agents; a file whose name
 * does not tell is opened.
 */
import { conflict, SignalboxError } from '../../../kernel/errors.ts'
import { nearest } from '../../../kernel/nearest.ts'
import { sameButForCase } from '../../../kernel/same-but-for-case.ts'
import { isSegment, type TreePath } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { cacheOf, stateOf } from '../../../tree/home.ts'
import type { Entry } from '../../../tree/tree.ts'
import { everyone, isAgentId, isMessageName, missionPath, parseFileName } from '../layout.ts'
import type { QueueName } from '../schema.ts'
import type { MissionFiles } from './parts.ts'

/** Opening more than this many files for a courtesy would take too long. */
const mostOpened = 200
/** And so would listing a folder that is larger: some thousand names. */
const largestListed = 128 * 1024

/** An agent that a file names. `isSeen`: it sent or claimed the message, and is not only written to. */
interface Named {
  readonly agent: string
  readonly isSeen: boolean
}

/** Everybody who has been seen, each once. */
export async function* seenIn(files: MissionFiles): AsyncGenerator<string> {
  const told = new Set<string>([everyone])
  for await (const named of agentsIn(files, false)) {
    if (named === 'untold' || !named.isSeen || told.has(named.agent)) continue
    told.add(named.agent)
    yield named.agent
  }
}

/**
 * A sentence for whoever writes to somebody nobody has seen; `undefined` when all is well. Refuses a name that differs by
 * case alone from that of somebody who has been seen. For an agent that was found once this costs one look: the cache has
 * a leaf for it. `elsewhere`: who has been seen in other protocols.
 */
export async function noticeAbout(
  files: MissionFiles,
  agent: string,
  elsewhere: AsyncIterable<string>,
): Promise<string | undefined> {
  // A name that is none is refused by whoever sends.
  if (agent === everyone || !isAgentId(agent)) return undefined
  const { place } = files
  const found = await lookFor(files, agent, elsewhere)
  if (found === 'known' || found === 'untold') return undefined
  if (found.sameButForCase !== undefined) throw otherCase(agent, found.sameButForCase, place.address)
  const { seen } = found
  const meant = nearest(agent, seen)
  const soFar = meant === undefined && seen.size > 0 ? ` Seen so far: ${someOf(seen)}.` : ''
  return `Nobody has seen ${agent} in mission ${place.address} yet.${meant ? ` Did you mean ${meant}?` : soFar}`
}

/**
 * For whoever acts under this name: refuses one that differs by case alone from that of somebody who has been seen, and is
 * noted as seen otherwise. On a cluster a look costs a request, and names that differ by case do no harm there; so only
 * those who are written to are compared.
 */
export async function expectOwnCase(files: MissionFiles, agent: string): Promise<void> {
  const { tree, place } = files
  if (tree.first || !isAgentId(agent)) return
  const found = await lookFor(files, agent, nobody())
  if (found === 'known' || found === 'untold') return
  if (found.sameButForCase !== undefined) throw otherCase(agent, found.sameButForCase, place.address)
  await note(files, agent)
}

async function* nobody(): AsyncGenerator<string> {}

interface Unknown {
  /** Who has acted, here or elsewhere. A name that is only written to may be mistyped, and is proposed to nobody. */
  readonly seen: ReadonlySet<string>
  /** Somebody who has been seen, and whose name is this one in other capitals. */
  readonly sameButForCase: string | undefined
}

/** `known`: it has been seen. `untold`: there is too much to look through. */
async function lookFor(
  files: MissionFiles,
  agent: string,
  elsewhere: AsyncIterable<string>,
): Promise<'known' | 'untold' | Unknown> {
  if (await isNoted(files, agent)) return 'known'
  const seen = new Set<string>()
  for await (const named of agentsIn(files, true)) {
    if (named === 'untold') return 'untold'
    if (!named.isSeen) continue
    if (named.agent === agent) {
      await note(files, agent)
      return 'known'
    }
    seen.add(named.agent)
  }
  const here = sameButForCase(agent, seen)
  for await (const other of elsewhere) {
    if (other === agent) return 'known'
    seen.add(other)
  }
  seen.delete(everyone)
  return { seen, sameButForCase: here }
}

/** The leaf says which spelling it is for: some disks find it under another. */
async function isNoted(files: MissionFiles, agent: string): Promise<boolean> {
  const leaf = await files.tree.read(markOf(files, agent), { atMost: 128 })
  return leaf !== undefined && Buffer.from(leaf.bytes).toString('latin1') === agent
}

async function note(files: MissionFiles, agent: string): Promise<void> {
  try {
    await changeLeaf(files.tree, markOf(files, agent), () => Buffer.from(agent))
  } catch (error) {
    // A cache that is not ours to write, or a full disk: it is looked for again next time.
    if (!(error instanceof SignalboxError)) throw error
  }
}

const markOf = ({ place }: MissionFiles, agent: string): TreePath =>
  `${missionPath({ root: cacheOf('acmq'), address: place.address })}/seen/${agent}` as TreePath

const otherCase = (agent: string, known: string, mission: string) =>
  conflict(
    'SAME_BUT_FOR_CASE',
    `${agent} differs by case alone from ${known}, who has been seen in mission ${mission}.`,
    {
      hint: `Use ${known}, or another name.`,
      details: { agent, other: known, mission },
    },
  )

/** Everybody who is named. `isSparing`: `untold` when there is too much to look through for a courtesy. */
async function* agentsIn(files: MissionFiles, isSparing: boolean): AsyncGenerator<Named | 'untold'> {
  const { tree, queues } = files
  for (const { name, kind } of await tree.list(stateOf('presence'))) {
    // Other protocols keep whom they have seen in folders of their own, which are no agents.
    if (kind === 'leaf') yield { agent: name.replace(/\.\w+$/, ''), isSeen: true }
  }
  const untold: { queue: QueueName; name: string }[] = []
  for (const queue of smallestFirst) {
    // On a cluster every name would have to be fetched: there only those count who work at this moment.
    if (isSparing && tree.first && queue !== 'processing') yield 'untold'
    if (isSparing && ((await tree.look(queues[queue]))?.size ?? 0) > largestListed) yield 'untold'
    for (const name of differentIn(await tree.list(queues[queue]))) {
      const parts = parseFileName(name)
      // A message to all keeps its name; who took it stands inside.
      if (parts && (queue === 'pending' || parts.to !== everyone)) yield* agentsOf(parts, queue)
      else if (!isSparing || untold.length < mostOpened) untold.push({ queue, name })
    }
  }
  for (const { queue, name } of untold) {
    const record = await files.readRecord(queue, name)
    if (record) yield* agentsOf(record, queue)
  }
}

/** Those who have something in hand first: these folders are small, and who works is likely to get more. */
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

function* agentsOf({ from, to }: { from: string; to: string }, queue: QueueName): Generator<Named> {
  yield { agent: from, isSeen: true }
  yield { agent: to, isSeen: queue !== 'pending' }
}

function someOf(names: ReadonlySet<string>): string {
  const shown = [...names].sort().slice(0, 5)
  return `${shown.join(', ')}${names.size > shown.length ? ` and ${names.size - shown.length} more` : ''}`
}
