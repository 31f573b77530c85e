/** What waits for each agent, what is kept, and what was measured. Changes nothing. */
import { parseMessage } from '../format.ts'
import { type AgentId, agentId, type Folder } from '../layout.ts'
import type { Alert } from '../metrics/alerts.ts'
import type { Measuring } from '../metrics/measuring.ts'
import type { MrMetrics } from '../metrics/metrics.ts'
import { momentOf } from '../order.ts'
import { countEvictions } from './logs.ts'
import type { AgentStatus, RoutingStatus } from './outcomes.ts'
import { messageNames, type StoreParts } from './parts.ts'
import { type Closed, isClosed, openFile, unreadableAs } from './reading.ts'

export class Overview {
  readonly #parts: StoreParts
  readonly #measuring: Measuring

  constructor(parts: StoreParts, measuring: Measuring) {
    this.#parts = parts
    this.#measuring = measuring
  }

  async status(): Promise<RoutingStatus> {
    const { names, notices } = await this.#parts.agents.known()
    const agents: AgentStatus[] = []
    for (const agent of names) agents.push(await this.statusOf(agent))
    return { agents, notices }
  }

  async statusOf(name: string): Promise<AgentStatus> {
    const agent = agentId(name)
    const waiting = await messageNames(this.#parts, agent, 'inbox')
    const count = async (folder: Folder) => (await messageNames(this.#parts, agent, folder)).length
    return {
      agent,
      depth: waiting.length,
      limit: this.#parts.settings.inboxLimit,
      taken: await count('taken'),
      evicted: await count('evicted'),
      rejected: await count('rejected'),
      ...(await this.#oldestOf(agent, waiting)),
    }
  }

  async #oldestOf(agent: AgentId, names: readonly string[]): Promise<Pick<AgentStatus, 'oldest' | 'unreadable'>> {
    const closed: Closed[] = []
    let oldest: { id: string; at: number } | undefined
    for (const name of names) {
      const leaf = await openFile(this.#parts, agent, 'inbox', name)
      if (leaf && isClosed(leaf)) closed.push(leaf)
      const parsed = leaf && !isClosed(leaf) ? parseMessage(leaf.bytes) : undefined
      if (parsed?.outcome !== 'message') continue
      const at = momentOf(parsed.message)
      if (!oldest || at < oldest.at) oldest = { id: parsed.message.msg_id, at }
    }
    const ageMs = oldest ? Math.max(0, (await this.#parts.tree.now()) - oldest.at) : 0
    return { oldest: oldest && { id: oldest.id, ageMs }, unreadable: closed.map(unreadableAs) }
  }

  /** Latencies, depths and evictions of all processes of this workspace, and the current alerts. */
  async metrics(): Promise<MrMetrics> {
    const { agents } = await this.status()
    let evictions = 0
    for (const { agent } of agents) evictions += await countEvictions(this.#parts, agentId(agent))
    return this.#measuring.report(depthsOf(agents), evictions)
  }

  /** The current alerts: the depths of these agents, and recent slow writes and reads. */
  standingAlerts(agents: readonly AgentStatus[]): Promise<readonly Alert[]> {
    return this.#measuring.standingAlerts(depthsOf(agents))
  }
}

const depthsOf = (agents: readonly AgentStatus[]) => new Map(agents.map(({ agent, depth }) => [agent, depth]))
