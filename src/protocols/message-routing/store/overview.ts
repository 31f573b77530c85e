/** How agents stand: what waits, what is kept. Looks only. */
import { parseMessage } from '../format.ts'
import type { AgentId, Folder } from '../layout.ts'
import { momentOf } from '../order.ts'
import type { Agents } from './agents.ts'
import type { AgentStatus, RoutingStatus } from './outcomes.ts'
import { messageNames, pathIn, type RoutingParts } from './parts.ts'

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
    oldest: await oldestOf(parts, agent, waiting),
  }
}

async function oldestOf(parts: RoutingParts, agent: AgentId, names: readonly string[]): Promise<AgentStatus['oldest']> {
  let oldest: { id: string; at: number } | undefined
  for (const name of names) {
    const leaf = await parts.tree.read(pathIn(parts, agent, 'inbox', name))
    const parsed = leaf && parseMessage(leaf.bytes)
    if (parsed?.outcome !== 'message') continue
    const at = momentOf(parsed.message)
    if (!oldest || at < oldest.at) oldest = { id: parsed.message.msg_id, at }
  }
  return oldest && { id: oldest.id, ageMs: Math.max(0, (await parts.tree.now()) - oldest.at) }
}
