import { text, withoutUndefined } from '../../kernel/field.ts'
import { defineOperation, whoActs } from '../define.ts'
import { attempt, messageId, mission, openMission } from './mission.ts'

export const fail = defineOperation({
  name: 'fail',
  summary: 'Give up a claimed message, with a report that stays in it.',
  input: {
    mission,
    id: messageId,
    attempt,
    reason: text('Why, in one line.', {
      required: true,
      placeholder: 'TEXT',
      longest: 4096,
      expected: 'one line that says why, of at most 4096 bytes',
    }),
    detail: text('More for whoever looks into it; `-` is standard input.', {
      longText: 'standard-input',
      placeholder: 'TEXT',
    }),
  },
  outcomes: { failed: 'done', unchanged: 'done' },
  examples: [{ command: 'acmq fail alpha 1f2e3d4c --as gemini --reason "No network"', does: 'give it up' }],

  async run(context, { mission, id, attempt, reason, detail }) {
    const agent = await whoActs(context)
    const opened = await openMission(context, mission)
    return opened.settling.fail(id, withoutUndefined({ agent, attempt }), withoutUndefined({ reason, detail }))
  },
})
