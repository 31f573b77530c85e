import { choice } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { openRouting } from './open.ts'

export const mrMetrics = defineOperation({
  name: 'metrics',
  summary: 'Show how long writing and reading took, how full inboxes are, and how much was evicted.',
  more:
    'On a terminal a table with percentiles; anywhere else the text that Prometheus scrapes, unless --format says ' +
    'otherwise. All processes of this workspace count together.',
  input: { format: choice('`table` for people, `prometheus` for the scraper.', ['table', 'prometheus']) },
  outcomes: { told: 'done' },
  examples: [
    { command: 'mr metrics', does: 'look at the figures' },
    { command: 'mr metrics --format prometheus > /var/lib/node_exporter/mr.prom', does: 'hand them to a collector' },
  ],

  async run(context, { format }) {
    const measured = await (await openRouting(context)).overview.metrics()
    return { outcome: 'told', format: format ?? null, ...measured } as const
  },
})
