import { defineOperation } from '../define.ts'
import { agent } from './fields.ts'
import { expectAgent } from './known-agents.ts'
import { withRouting } from './open.ts'

export const mrUnacked = defineOperation({
  name: 'unacked',
  summary: 'List what has not been acknowledged: by others towards an agent, and by it.',
  input: { agent },
  outcomes: { listed: 'done' },
  examples: [{ command: 'mr unacked lead', does: 'see whose acknowledgement lead still waits for, or owes' }],

  run(context, { agent }) {
    return withRouting(context, async (routing, assembly) => {
      await expectAgent(assembly, agent)
      // What other programs want acknowledged counts too.
      await assembly.prepareCompat()
      const unacked = await routing.unacked(agent)
      return { outcome: 'listed', agent, unacked } as const
    })
  },
})
