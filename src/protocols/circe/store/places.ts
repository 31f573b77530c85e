/** Finds and reads messages: all that are not in the log, and single ones wherever they lie. Changes nothing. */
import { notFound } from '../../../kernel/errors.ts'
import { largestMessage, type Problem } from '../../../kernel/problem.ts'
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { isUnread } from '../../../messaging/leaves/readable.ts'
import { listIfFolder, lookIfThere, readIfLeaf, readOrSayWhyIfLeaf } from '../../../messaging/leaves/tolerant.ts'
import type { Entry, Tree } from '../../../tree/tree.ts'
import { parseMessage } from '../format.ts'
import { isForFirstMover } from '../intents.ts'
import { inboxPath, logsPath, newPath, workspacePath } from '../layout.ts'
import type { CirceState } from '../lifecycle.ts'
import { type AgentId, type FileName, isEverybody, isFileName, isSameAgent, type TaskId } from '../names.ts'
import type { CirceMessage, Head } from '../schema.ts'
import { type KnownAgent, knownAgents } from './agents.ts'
import type { CirceParts, Reading } from './parts.ts'

/** Where a message lies. `folder`: that of the agent, as it is spelled on the disk. */
export interface Spot {
  readonly place: Exclude<CirceState, 'rejected'>
  readonly agent?: AgentId
  readonly folder?: string
}

/** A message without its text. `readAt` reads that. */
export interface Listed extends Spot {
  readonly name: FileName
  readonly path: TreePath
  readonly message: Head
  /** What is wrong with a message that can be used all the same, such as an unknown intent. */
  readonly problems: readonly Problem[]
  /** When its file was written: more exact than the time in its header. */
  readonly writtenAt: number
}

export interface PlacedMessage extends Listed {
  readonly message: CirceMessage
}

/** A file that is named like a message, and is none or cannot be read. */
export interface Unusable extends Spot {
  readonly name: FileName
  readonly path: TreePath
  readonly problem: Problem
  /** This user may not read it. The owner of the file may see a valid message. */
  readonly isClosed: boolean
}

export interface Messages {
  /** The oldest first. */
  readonly found: readonly Listed[]
  readonly unusable: readonly Unusable[]
}

export interface Lying extends Messages {
  readonly agents: readonly KnownAgent[]
}

export function folderAt({ root }: Pick<Reading, 'root'>, { place, folder }: Spot): TreePath {
  if (place === 'new') return newPath(root)
  if (place === 'logged') return logsPath(root)
  return place === 'inbox' ? inboxPath(root, folder!) : workspacePath(root, folder!)
}

export const pathAt = (parts: Pick<Reading, 'root'>, spot: Spot, name: FileName): TreePath =>
  childOf(folderAt(parts, spot), name)

/** Every place but the log, in the order in which a message passes through them. */
export const spotsOf = (agents: readonly KnownAgent[]): Spot[] => [
  { place: 'new' },
  ...agents.map((known): Spot => ({ place: 'inbox', ...known })),
  ...agents.map((known): Spot => ({ place: 'workspace', ...known })),
]

/**
 * Every place in the order in which a message passes through them, so that a search meets a message that moves on meanwhile;
 * `NEW_MESSAGES/` again at the end, since a release moves a message back there.
 */
const everywhere = async (parts: CirceParts): Promise<Spot[]> => [
  ...spotsOf(await knownAgents(parts)),
  { place: 'logged' },
  { place: 'new' },
]

/** All messages that are not logged. `isFresh`: lists large folders in any case. */
export async function lookAround(parts: CirceParts, { isFresh = true } = {}): Promise<Lying> {
  const agents = await knownAgents(parts)
  const lists: (readonly Listed[])[] = []
  const unusable: Unusable[] = []
  for (const spot of spotsOf(agents)) {
    const lying = await parts.index.at(spot, { isFresh })
    if (spot.place !== 'workspace') {
      lists.push(lying.found)
      unusable.push(...lying.unusable)
      continue
    }
    // An agent also keeps drafts and other files in its workspace.
    const received: Listed[] = []
    for (const one of lying.found) if (await isReceived(parts, one)) received.push(one)
    lists.push(received)
  }
  return { agents, found: inOrder(lists), unusable }
}

/** Each list is in order already, and nearly always all but one are short. */
function inOrder(lists: readonly (readonly Listed[])[]): readonly Listed[] {
  const [first = [], ...others] = lists.filter((list) => list.length > 0)
  return others.length === 0 ? first : first.concat(...others).sort(oldestFirst)
}

/** Whether an agent may claim it from `NEW_MESSAGES/`: it is for this agent, or for the first claimer. */
export const isFor = ({ to, intent }: Pick<Head, 'to' | 'intent'>, agent: string): boolean =>
  isSameAgent(to, agent) || (isEverybody(to) && isForFirstMover(intent))

/** In a workspace, a message from the agent itself is a draft, unless it is in the log: then it was sent and came back. */
async function isReceived({ tree, root }: CirceParts, { message, agent, name }: Listed): Promise<boolean> {
  if (!isSameAgent(message.to, agent!) && !isEverybody(message.to)) return false
  return !isSameAgent(message.from, agent!) || (await loggedBytes(tree, root, name)) !== undefined
}

/** By time of sending: the header gives it to the second, the file more exactly. */
export const oldestFirst = (a: Listed, b: Listed): number =>
  a.message.time - b.message.time || a.writtenAt - b.writtenAt || byName(a.name, b.name)

/** In the order in which names are given: `x.md`, `x.2.md`, `x.10.md`. */
function byName(a: FileName, b: FileName): number {
  const [[one, n], [other, m]] = [numbered(a), numbered(b)]
  return one === other ? n - m : one < other ? -1 : 1
}

function numbered(name: FileName): [stem: string, nth: number] {
  const [, stem, nth] = /^(.*?)(?:\.(\d{1,9}))?\.md$/s.exec(name)!
  return [stem!, Number(nth ?? 1)]
}

export async function namesAt(parts: CirceParts, spot: Spot): Promise<FileName[]> {
  return namesAmong(await listIfFolder(parts.tree, folderAt(parts, spot)))
}

export const namesAmong = (entries: readonly Entry[]): FileName[] =>
  entries.flatMap(({ name, kind }) => (kind === 'leaf' && isFileName(name) ? [name] : []))

/** One message as it is now; `undefined` when it is gone. */
export async function readAt(
  parts: Reading,
  spot: Spot,
  name: FileName,
): Promise<PlacedMessage | Unusable | undefined> {
  const path = pathAt(parts, spot, name)
  const read = await readMessage(parts, path)
  return read && { ...spot, name, path, ...read }
}

type ReadMessage = Pick<PlacedMessage, 'message' | 'problems' | 'writtenAt'> | Pick<Unusable, 'problem' | 'isClosed'>

/** A file at any path, read as a message. */
export async function readMessage(
  { tree, settings }: Pick<Reading, 'tree' | 'settings'>,
  path: TreePath,
): Promise<ReadMessage | undefined> {
  const read = await readOrSayWhyIfLeaf(tree, path, { most: settings.largestMessage })
  if (!read) return undefined
  if (isUnread(read)) return { problem: read.problem, isClosed: read.outcome === 'closed' }
  const parsed = parseMessage(read.bytes, settings.furtherIntents)
  if (parsed.outcome === 'malformed') return { problem: parsed.problems[0], isClosed: false }
  return { message: parsed.message, problems: parsed.problems, writtenAt: read.modifiedAt }
}

/** The whole message for a head, wherever the message is now. */
export async function readWhole(parts: CirceParts, listed: Listed): Promise<PlacedMessage | undefined> {
  const read = await readAt(parts, listed, listed.name)
  return isFound(read) ? read : findMessage(parts, listed.name)
}

export const isFound = (read: PlacedMessage | Unusable | undefined): read is PlacedMessage =>
  read !== undefined && 'message' in read

/** A message wherever it lies. */
export async function findMessage(parts: CirceParts, name: FileName): Promise<PlacedMessage | undefined> {
  for (const spot of await everywhere(parts)) {
    const read = await readAt(parts, spot, name)
    if (isFound(read)) return read
  }
  return undefined
}

/** The same; throws where there is none. `hint`: where a person finds the right name. */
export async function expectMessage(parts: CirceParts, name: FileName, hint: string): Promise<PlacedMessage> {
  const found = await findMessage(parts, name)
  if (found) return found
  throw notFound('NO_SUCH_MESSAGE', `There is no message ${name}.`, { hint, details: { file: name } })
}

/** Whether any message has this name: also in `WORKSPACE/{task}/`, where some agents keep what they work on. */
export async function isGiven(parts: CirceParts, name: FileName, task: TaskId | undefined): Promise<boolean> {
  const isThere = async (path: TreePath) => (await lookIfThere(parts.tree, path)) !== undefined
  for (const spot of await everywhere(parts)) {
    if (await isThere(pathAt(parts, spot, name))) return true
    if (spot.place !== 'workspace' || task === undefined) continue
    if (await isThere(childOf(childOf(folderAt(parts, spot), task), name))) return true
  }
  return false
}

export const isInLog = async ({ tree, root }: Reading, name: FileName): Promise<boolean> =>
  (await lookIfThere(tree, childOf(logsPath(root), name))) !== undefined

/** The bytes of a logged message, or the beginning of a file that is larger than any message; `undefined` when it is not logged. */
export async function loggedBytes(tree: Tree, root: TreePath, name: FileName): Promise<Uint8Array | undefined> {
  return (await readIfLeaf(tree, childOf(logsPath(root), name), { atMost: largestMessage + 1 }))?.bytes
}
