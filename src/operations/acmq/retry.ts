import { text, withoutUndefined } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { noticesAbout } from '../stores.ts'
import { messageId, mission, openMission } from './mission.ts'

export const retry = defineOperation({
  name: 'retry',
  summary: 'Let a failed message wait again, as its next attempt.',
  more:
    'It is for those it was sent to: one to `all` is for everybody again. Its failure reports stay in it. Who still works ' +
    'on the attempt before is told that it is over.',
  input: {
    mission,
    id: messageId,
    to: text('Give it to somebody else: an agent, or `all`.', { placeholder: 'AGENT' }),
  },
  outcomes: { retried: 'done', unchanged: 'done' },
  examples: [
    { command: 'acmq retry alpha 1f2e3d4c', does: 'try once more' },
    { command: 'acmq retry alpha 1f2e3d4c --to codex', does: 'let another agent try' },
  ],

  async run(context, { mission, id, to }) {
    const opened = await openMission(context, mission)
    const unseen = await noticesAbout(context, to)
    const retried = await opened.settling.retry(id, withoutUndefined({ to }))
    return { ...retried, notices: unseen }
  },
})
