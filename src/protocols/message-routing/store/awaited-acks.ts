/**
 * Notes of the messages that an agent wants acknowledged: not copies, only which agent owes it since when. A sender keeps no
 * outbox, so only these notes show what was never acknowledged.
 */
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { jsonIn } from '../format.ts'
import { type AgentId, awaitingPath, isMessageId, type MessageId } from '../layout.ts'
import { type MessageType, type MrMessage, messageTypes } from '../schema.ts'
import type { RoutingParts } from './parts.ts'
import { leafAt } from './reading.ts'

export interface Awaited {
  readonly id: MessageId
  readonly to: string
  readonly type: MessageType
  readonly timestamp: string
  /** When the note was made. */
  readonly since: number
}

/**
 * The specification has no type for acknowledgements: a status-update about the message is one.
 * See docs/decisions/0019-once-and-only-once.md.
 */
export const isAcknowledgement = ({ type, correlation_id }: MrMessage, id?: string): boolean =>
  type === 'status-update' && correlation_id !== undefined && (id === undefined || correlation_id === id)

export async function noteAwaited(
  { tree, root }: RoutingParts,
  from: AgentId,
  { msg_id, to, type, timestamp }: MrMessage,
): Promise<TreePath> {
  const path = childOf(awaitingPath(root, from), msg_id)
  await tree.create(path, Buffer.from(`${JSON.stringify({ to, type, timestamp })}\n`))
  return path
}

export async function awaitedBy(parts: RoutingParts, agent: AgentId): Promise<Awaited[]> {
  const { tree, root } = parts
  const found: Awaited[] = []
  for (const { name, kind } of await tree.list(awaitingPath(root, agent))) {
    const awaited = kind === 'leaf' && isMessageId(name) ? await readNote(parts, agent, name) : undefined
    if (awaited) found.push(awaited)
  }
  return found
}

export async function forgetAwaited({ tree, root }: RoutingParts, agent: AgentId, id: MessageId): Promise<void> {
  await tree.remove(childOf(awaitingPath(root, agent), id))
}

/** Removes the note when this message is the acknowledgement that it waits for, sent by the agent that owes it. */
export async function settleAwaited(parts: RoutingParts, agent: AgentId, message: MrMessage): Promise<void> {
  const id = message.correlation_id
  if (!isAcknowledgement(message) || id === undefined || !isMessageId(id)) return
  const awaited = await readNote(parts, agent, id)
  if (awaited?.to === message.from) await forgetAwaited(parts, agent, id)
}

async function readNote({ tree, root }: RoutingParts, agent: AgentId, id: MessageId): Promise<Awaited | undefined> {
  const leaf = await leafAt({ tree }, childOf(awaitingPath(root, agent), id))
  const { to, type, timestamp } = ((leaf && jsonIn(leaf.bytes)) ?? {}) as Record<string, unknown>
  if (!leaf || typeof to !== 'string' || typeof timestamp !== 'string') return undefined
  const known = messageTypes.find((one) => one === type)
  return known && { id, to, type: known, timestamp, since: leaf.modifiedAt }
}
