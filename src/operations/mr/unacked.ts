import { defineOperation } from '../define.ts'
import { agent } from './fields.ts'
import { openRouting } from './open.ts'

export const mrUnacked = defineOperation({
  name: 'unacked',
  summary: 'List what has not been acknowledged: by others towards an agent, and by it.',
  input: { agent },
  lists: { unacked: 'first' },
  outcomes: { listed: 'done' },
  examples: [{ command: 'mr unacked lead', does: 'see whose acknowledgement lead still waits for, or owes' }],

  async run(context, { agent }) {
    const routing = await openRouting(context)
    await routing.agents.expect(agent)
    return { outcome: 'listed', agent, unacked: await routing.settling.unacked(agent) } as const
  },
})
