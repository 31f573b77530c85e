import { text } from '../../kernel/field.ts'
import { defineOperation, whoActs } from '../define.ts'
import { openCirce, taskWord } from './fields.ts'

export const circeStatus = defineOperation({
  name: 'status',
  summary: 'Say how a task stands.',
  more:
    'Its owner can; `completed` may also be said by whoever asked for the task. A task about code is completed only when its ' +
    'tests have passed (exit status 4). Completing moves everything of the task into LOGS/.',
  input: {
    id: taskWord,
    status: text('How it stands.', {
      positional: true,
      required: true,
      expected: 'in_progress, blocked, failed or completed',
    }),
  },
  outcomes: { changed: 'done', unchanged: 'done' },
  examples: [
    { command: 'circe status AUTH-012 blocked --as engineer', does: 'say that you cannot go on' },
    { command: 'circe status AUTH-012 completed --as coordinator', does: 'complete it' },
  ],

  run: async (context, { id, status }) => (await openCirce(context)).tasks.status(id, status, await whoActs(context)),
})
