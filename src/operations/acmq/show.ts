import { defineOperation } from '../define.ts'
import { messageId, mission, openMission } from './mission.ts'

export const show = defineOperation({
  name: 'show',
  summary: 'Show one message with its text, wherever it is, in the archive too.',
  input: { mission, id: messageId },
  outcomes: { shown: 'done' },
  examples: [{ command: 'acmq show alpha 1f2e3d4c', does: 'read it without claiming it' }],

  async run(context, { mission, id }) {
    return {
      outcome: 'shown',
      message: await (await (await openMission(context, mission)).overview()).show(id),
    } as const
  },
})
