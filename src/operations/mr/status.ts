import { text } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { openRouting } from './open.ts'

export const mrStatus = defineOperation({
  name: 'status',
  summary: 'Show how full the inboxes are, what left them, and what is wrong.',
  input: { agent: text('Only this agent.', { positional: true }) },
  lists: { agents: 'first', alerts: 'first' },
  outcomes: { told: 'done' },
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
