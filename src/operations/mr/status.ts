import { text } from '../../kernel/field.ts'
import { standingAlerts } from '../../protocols/message-routing/metrics/alerts.ts'
import { defineOperation } from '../define.ts'
import { expectAgent } from './known-agents.ts'
import { withRouting } from './open.ts'

export const mrStatus = defineOperation({
  name: 'status',
  summary: 'Show how full the inboxes are, what left them, and what is wrong.',
  input: { agent: text('Only this agent.', { positional: true }) },
  outcomes: { told: 'done' },
  examples: [
    { command: 'mr status', does: 'look at all agents' },
    { command: 'mr status coder-1 --json', does: 'one of them, for programs' },
  ],

  run(context, { agent }) {
    return withRouting(context, async (routing, assembly) => {
      const { journal, thresholds } = assembly
      if (agent !== undefined) await expectAgent(assembly, agent)
      const { agents, notices } =
        agent === undefined ? await routing.status() : { agents: [await routing.statusOf(agent)], notices: [] }
      const depths = new Map(agents.map((one) => [one.agent, one.depth]))
      const now = await (await context.tree()).now()
      const alerts = standingAlerts({ latencies: await journal.read(), depths }, now, thresholds)
      return {
        outcome: 'told',
        agents: agents.map((one) => ({ ...one, oldest: one.oldest ?? null })),
        alerts,
        notices,
      } as const
    })
  },
})
