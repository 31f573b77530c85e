import { isoTime } from '../../kernel/clock.ts'
import { withoutUndefined } from '../../kernel/field.ts'
import { tellClock } from '../clock-agreement.ts'
import { defineOperation, whoActs } from '../define.ts'
import { attempt, messageId, mission, openMission } from './mission.ts'

export const renew = defineOperation({
  name: 'renew',
  summary: 'Say that you still work on a message: its time starts again.',
  input: { mission, id: messageId, attempt },
  outcomes: { renewed: 'done', unchanged: 'done' },
  examples: [{ command: 'acmq renew alpha 1f2e3d4c --as gemini --attempt 1', does: 'keep the claim' }],

  async run(context, { mission, id, attempt }) {
    const agent = await whoActs(context)
    const opened = await openMission(context, mission)
    await tellClock(context)
    const { outcome, message, durability, until } = await opened.settling.renew(
      id,
      withoutUndefined({ agent, attempt }),
    )
    return { outcome, message, until: isoTime(until), durability }
  },
})
