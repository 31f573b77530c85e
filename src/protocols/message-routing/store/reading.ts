/** Reads the message in a file of an agent's folder, in the form of the specification or of another program. */
import { call } from '../../../kernel/call.ts'
import { notFound } from '../../../kernel/errors.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import { isUnread, readOrSayWhy } from '../../../messaging/leaves/readable.ts'
import { readOrSayWhyIfLeaf, unlessOdd } from '../../../messaging/leaves/tolerant.ts'
import { nameBefore } from '../../../messaging/quarantine/quarantine.ts'
import type { Leaf } from '../../../tree/tree.ts'
import { largestRead, parseMessage } from '../format.ts'
import { judgeFile } from '../judge.ts'
import { type AgentId, type Folder, fileNameOf, isMessageId, stemOf } from '../layout.ts'
import type { MrMessage } from '../schema.ts'
import type { MrView, Unreadable } from './outcomes.ts'
import { messageNames, pathIn, type RoutingParts } from './parts.ts'
import { viewOf } from './view.ts'

type Compat = typeof import('../compat.ts')

/** The conversion of other programs' messages, loaded when the first one is met: most workspaces have none. */
export class Foreign {
  /** `undefined` until it is loaded. */
  known: Compat | undefined

  async load(): Promise<Compat> {
    this.known ??= await import('../compat.ts')
    return this.known
  }
}

/** A file that this user may not read. It stays where it is. */
export interface Closed {
  readonly name: string
  readonly path: string
  readonly reason: string
  readonly hint: string
}

/** At most `largestRead` bytes of a file, and one more. An entry that is not an ordinary file counts as gone. */
export async function openFile(
  parts: RoutingParts,
  agent: AgentId,
  folder: Folder,
  name: string,
): Promise<Leaf | Closed | undefined> {
  const path = pathIn(parts, agent, folder, name)
  const read = await readOrSayWhyIfLeaf(parts.tree, path, asFarAsRead)
  if (!read || !isUnread(read)) return read
  return { name, path, reason: read.problem.message, hint: read.problem.hint ?? '' }
}

export const isClosed = (found: object): found is Closed => 'reason' in found

export const unreadableAs = ({ path, reason, hint }: Closed): Unreadable => ({
  path,
  reason: `${reason} ${hint}`.trim(),
})

/** A file that is too large is refused by `judgeFile`. */
const asFarAsRead = { most: Number.POSITIVE_INFINITY, atMost: largestRead + 1 }

/** The same, and `undefined` also where this user may not read it: `inspect` reports that. */
export async function leafAt({ tree }: Pick<RoutingParts, 'tree'>, path: TreePath): Promise<Leaf | undefined> {
  const read = await readOrSayWhy(tree, path, asFarAsRead)
  return read && !isUnread(read) ? read : undefined
}

export const noSuchMessage = (agent: string, id: string, message: string, others = '') =>
  notFound('NO_SUCH_MESSAGE', message, {
    hint: `See what there is: ${call('mr taken', { agent })}${others}`,
    details: { agent, id: id.slice(0, 400) },
  })

/** `undefined` when the file is gone, cannot be read, or is no message. */
export async function readMessage(
  parts: RoutingParts,
  agent: AgentId,
  folder: Folder,
  fileName: string,
): Promise<MrMessage | undefined> {
  const leaf = await openFile(parts, agent, folder, fileName)
  return leaf && !isClosed(leaf) ? messageIn(parts, leaf.bytes, { agent, fileName }) : undefined
}

/** One file at a time. Files that are no messages are skipped; `inspect` reports them. */
export async function* viewsIn(
  parts: RoutingParts,
  agent: AgentId,
  states: readonly Folder[],
  isWanted = (_stem: string) => true,
): AsyncGenerator<MrView> {
  for (const folder of states) {
    for (const name of (await unlessOdd(messageNames(parts, agent, folder))) ?? []) {
      if (!isWanted(stemOf(nameBefore(name)))) continue
      const message = await unlessOdd(readMessage(parts, agent, folder, name))
      if (message) yield viewOf(message, folder, pathIn(parts, agent, folder, name))
    }
  }
}

/** The message with this id, also if its file has another program's name. */
export async function viewOfId(
  parts: RoutingParts,
  agent: AgentId,
  states: readonly Folder[],
  id: string,
): Promise<MrView | undefined> {
  for (const folder of isMessageId(id) ? states : []) {
    const name = fileNameOf(id)
    const message = await unlessOdd(readMessage(parts, agent, folder, name))
    if (message) return viewOf(message, folder, pathIn(parts, agent, folder, name))
  }
  const { idOfStem } = await parts.foreign.load()
  for await (const view of viewsIn(parts, agent, states, (stem) => idOfStem(stem) === id)) return view
  return undefined
}

export async function messageIn(
  { foreign }: RoutingParts,
  bytes: Uint8Array,
  place: { readonly agent?: AgentId; readonly fileName: string },
): Promise<MrMessage | undefined> {
  const parsed = parseMessage(bytes)
  if (parsed.outcome === 'message') return parsed.message
  const { convert } = await foreign.load()
  const judged = judgeFile(bytes, { ...place, fileName: nameBefore(place.fileName), size: bytes.length, convert })
  return judged.outcome === 'message' ? judged.message : undefined
}

/**
 * Where messages are signed: whether this one, as it is on disk, is signed by the sender it names and is for this agent. Where they
 * are not signed, every message is genuine. Received messages also pass through `hooks.open`, which checks more.
 */
export const isGenuine = async ({ hooks }: RoutingParts, agent: AgentId, message: MrMessage): Promise<boolean> =>
  (await hooks.verify?.(agent, message)) === undefined
