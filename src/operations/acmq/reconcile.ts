import { defineOperation } from '../define.ts'
import { mission } from './fields.ts'
import { openMission } from './open.ts'

export const reconcile = defineOperation({
  name: 'reconcile',
  summary: 'Put a mission in order after a crash, and tell an agent where it stands.',
  more:
    'For the start of an agent: brings folders and headers into agreement, sets files aside that are no messages, and ' +
    'lists what the agent (--as) still holds.',
  input: { mission },
  outcomes: { reconciled: 'done' },
  examples: [{ command: 'acmq reconcile alpha --as gemini', does: 'find out what gemini was doing' }],

  async run(context, { mission }) {
    const opened = await openMission(context, mission)
    const { agent } = await context.configuration()
    return { ...(await opened.reconcile(agent)), mission: opened.address }
  },
})
