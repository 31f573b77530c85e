/** What was measured in this workspace, by all of its processes together. */
import type { TreePath } from '../../kernel/tree-path.ts'
import { agentId, evictionLogPath } from '../../protocols/message-routing/layout.ts'
import { type Alert, standingAlerts } from '../../protocols/message-routing/metrics/alerts.ts'
import { type LatencyRow, latencyRows, printPrometheus } from '../../protocols/message-routing/metrics/metrics.ts'
import type { LatencyMetric } from '../../protocols/message-routing/metrics/snapshot.ts'
import type { Tree } from '../../tree/tree.ts'
import type { Assembly } from './assembly.ts'

/** Percentiles, the longest and the mean, in milliseconds; only a count where nothing was measured yet. */
export type Latencies = Omit<LatencyRow, 'metric'>

export interface MrMetrics {
  /** By the names of the specification. */
  readonly metrics: Readonly<Record<LatencyMetric, Latencies>> & {
    /** Messages in each inbox now. */
    readonly inbox_depth: Readonly<Record<string, number>>
    readonly eviction_count: number
  }
  /** The same with all buckets, as Prometheus scrapes it. */
  readonly prometheus: string
  readonly alerts: readonly Alert[]
}

export async function readMetrics({ routing, journal, thresholds, parts, root }: Assembly): Promise<MrMetrics> {
  const { agents } = await routing.status()
  const depths = new Map(agents.map((one) => [one.agent, one.depth]))
  const latencies = await journal.read()
  const evictions = await countEvictions(parts.tree, root, [...depths.keys()])
  const rows = latencyRows(latencies).map(({ metric, ...row }) => [metric, row] as const)
  return {
    metrics: {
      ...(Object.fromEntries(rows) as Record<LatencyMetric, Latencies>),
      inbox_depth: Object.fromEntries(depths),
      eviction_count: evictions,
    },
    prometheus: printPrometheus({ latencies, depths, evictions }),
    alerts: standingAlerts({ latencies, depths }, await parts.tree.now(), thresholds),
  }
}

const lineEnd = 0x0a

/** The lines of the eviction logs, which are only ever appended to. */
async function countEvictions(tree: Tree, root: TreePath, agents: readonly string[]): Promise<number> {
  let lines = 0
  for (const agent of agents) {
    const log = await tree.read(evictionLogPath(root, agentId(agent)))
    for (const byte of log?.bytes ?? []) if (byte === lineEnd) lines++
  }
  return lines
}
