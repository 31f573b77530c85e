/** How agents stand: what waits, what is kept. Looks only. */
import { parseMessage } from '../format.ts'
import type { AgentId, Folder } from '../layout.ts'
import { momentOf } from '../order.ts'
import type { Agents } from './agents.ts'
import type { AgentStatus, RoutingStatus } from './outcomes.ts'
import { messageNames, type RoutingParts } from './parts.ts'
import { type Closed, isClosed, openFile, unreadableAs } from './reading.ts'

export async function statusOfAll(parts: RoutingParts, known: Agents): Promise<RoutingStatus> {
  const { names, notices } = await known.known()
  const agents: AgentStatus[] = []
  for (const agent of names) agents.push(await statusOf(parts, agent))
  return { agents, notices }
}

export async function statusOf(parts: RoutingParts, agent: AgentId): Promise<AgentStatus> {
  const waiting = await messageNames(parts, agent, 'inbox')
  const count = async (folder: Folder) => (await messageNames(parts, agent, folder)).length
  return {
    agent,
    depth: waiting.length,
    limit: parts.settings.inboxLimit,
    taken: await count('taken'),
    evicted: await count('evicted'),
    rejected: await count('rejected'),
    ...(await waitingOf(parts, agent, waiting)),
  }
}

async function waitingOf(
  parts: RoutingParts,
  agent: AgentId,
  names: readonly string[],
): Promise<Pick<AgentStatus, 'oldest' | 'unreadable'>> {
  const closed: Closed[] = []
  let oldest: { id: string; at: number } | undefined
  for (const name of names) {
    const leaf = await openFile(parts, agent, 'inbox', name)
    if (leaf && isClosed(leaf)) closed.push(leaf)
    const parsed = leaf && !isClosed(leaf) ? parseMessage(leaf.bytes) : undefined
    if (parsed?.outcome !== 'message') continue
    const at = momentOf(parsed.message)
    if (!oldest || at < oldest.at) oldest = { id: parsed.message.msg_id, at }
  }
  const ageMs = oldest ? Math.max(0, (await parts.tree.now()) - oldest.at) : 0
  return { oldest: oldest && { id: oldest.id, ageMs }, unreadable: closed.map(unreadableAs) }
}
