/** How agents stand: what waits, what is kept. Looks only. */

import { parseMessage } from '../format.ts'
import type { AgentId } from '../layout.ts'
import { momentOf } from '../order.ts'
import type { Agents } from './agents.ts'
import type { AgentStatus, RoutingStatus } from './outcomes.ts'
import { messageNames, pathIn, type RoutingParts } from './parts.ts'

export class Overview {
  readonly #parts: RoutingParts
  readonly #agents: Agents

  constructor(parts: RoutingParts, agents: Agents) {
    this.#parts = parts
    this.#agents = agents
  }

  async status(): Promise<RoutingStatus> {
    const { names, notices } = await this.#agents.known()
    const agents: AgentStatus[] = []
    for (const agent of names) agents.push(await this.statusOf(agent))
    return { agents, notices }
  }

  async statusOf(agent: AgentId): Promise<AgentStatus> {
    const waiting = await messageNames(this.#parts, agent, 'inbox')
    const count = async (folder: 'taken' | 'evicted' | 'rejected') =>
      (await messageNames(this.#parts, agent, folder)).length
    return {
      agent,
      depth: waiting.length,
      limit: this.#parts.settings.inboxLimit,
      taken: await count('taken'),
      evicted: await count('evicted'),
      rejected: await count('rejected'),
      oldest: await this.#oldest(agent, waiting),
    }
  }

  async #oldest(agent: AgentId, names: readonly string[]): Promise<AgentStatus['oldest']> {
    let oldest: { id: string; at: number } | undefined
    for (const name of names) {
      const leaf = await this.#parts.tree.read(pathIn(this.#parts, agent, 'inbox', name))
      const parsed = leaf && parseMessage(leaf.bytes)
      if (parsed?.outcome !== 'message') continue
      const at = momentOf(parsed.message)
      if (!oldest || at < oldest.at) oldest = { id: parsed.message.msg_id, at }
    }
    return oldest && { id: oldest.id, ageMs: Math.max(0, (await this.#parts.tree.now()) - oldest.at) }
  }
}
