/** How full and how fast the inboxes are. */
import { choice, text } from '../../kernel/field.ts'
import { anyOf, mapOf, oneOf } from '../../kernel/shape.ts'
import { defineOperation } from '../define.ts'
import { notices } from '../shapes.ts'
import { openRouting } from './fields.ts'
import { alerts, unreadable } from './shapes.ts'

const agentStatus = {
  agent: 'text',
  depth: 'integer',
  limit: 'integer',
  taken: 'integer',
  evicted: 'integer',
  rejected: 'integer',
  oldest: anyOf({ id: 'text', ageMs: 'number' }, 'nothing'),
  unreadable,
} as const

export const mrStatus = defineOperation({
  name: 'status',
  summary: 'Show how full the inboxes are, what left them, and what is wrong.',
  input: { agent: text('Only this agent.', { positional: true }) },
  lists: { agents: 'first', alerts: 'first' },
  outcomes: { told: 'done' },
  output: { told: { agents: [agentStatus], alerts, notices } },
  effects: 'reads',
  examples: [
    { command: 'mr status', does: 'look at all agents' },
    { command: 'mr status coder-1 --json', does: 'one of them, for programs' },
  ],

  async run(context, { agent }) {
    const routing = await openRouting(context)
    if (agent !== undefined) await routing.agents.expect(agent)
    const { agents, notices } =
      agent === undefined
        ? await routing.overview.status()
        : { agents: [await routing.overview.statusOf(agent)], notices: [] }
    return {
      outcome: 'told',
      agents: agents.map((one) => ({ ...one, oldest: one.oldest ?? null })),
      alerts: await routing.overview.standingAlerts(agents),
      notices,
    } as const
  },
})

const latencies = {
  count: 'integer',
  'p50?': 'number',
  'p90?': 'number',
  'p99?': 'number',
  'max?': 'number',
  'mean?': 'number',
} as const

export const mrMetrics = defineOperation({
  name: 'metrics',
  summary: 'Show how long writing and reading took, how full inboxes are, and how much was evicted.',
  more:
    'On a terminal a table with percentiles; anywhere else the text that Prometheus scrapes, unless `format` says ' +
    'otherwise. All processes of this workspace count together.',
  input: { format: choice('`table` for people, `prometheus` for the scraper.', ['table', 'prometheus']) },
  outcomes: { told: 'done' },
  output: {
    told: {
      format: anyOf(oneOf('table', 'prometheus'), 'nothing'),
      metrics: {
        message_write_latency_ms: latencies,
        message_read_latency_ms: latencies,
        inbox_depth: mapOf('integer'),
        eviction_count: 'integer',
      },
      prometheus: 'text',
      alerts,
    },
  },
  effects: 'reads',
  examples: [
    { command: 'mr metrics', does: 'look at the figures' },
    { command: 'mr metrics --format prometheus > /var/lib/node_exporter/mr.prom', does: 'hand them to a collector' },
  ],

  async run(context, { format }) {
    const measured = await (await openRouting(context)).overview.metrics()
    return { outcome: 'told', format: format ?? null, ...measured } as const
  },
})
