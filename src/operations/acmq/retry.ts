import { defineOperation } from '../define.ts'
import { messageId, mission, openMission } from './mission.ts'

export const retry = defineOperation({
  name: 'retry',
  summary: 'Let a failed message wait again, as its next attempt.',
  more: 'Its failure reports stay in it. Who still works on the attempt before is told that it is over.',
  input: { mission, id: messageId },
  outcomes: { retried: 'done', unchanged: 'done' },
  examples: [{ command: 'acmq retry alpha 1f2e3d4c', does: 'try once more' }],

  async run(context, { mission, id }) {
    return (await openMission(context, mission)).retry(id)
  },
})
