import { text, withoutUndefined } from '../../kernel/field.ts'
import { sharedAgent } from '../../protocols/shared-agent/index.ts'
import { defineOperation } from '../define.ts'

export const sessionEnd = defineOperation({
  name: 'end',
  summary: 'End a session: clear what is temporary, release its locks and stop its programs.',
  more:
    'What is marked as persistent stays, and so do tasks and the log. A task whose program was running has failed and can be ' +
    'tried again (`#RETRY`). Ending it twice is fine.',
  input: {
    id: text('The session.', {
      positional: true,
      required: true,
      placeholder: 'ID',
      expected: 'the name of a session, such as release',
    }),
  },
  outcomes: { ended: 'done', unchanged: 'done' },
  examples: [{ command: 'session end release', does: 'end it' }],

  async run(context, { id }) {
    const sessions = await context.store(sharedAgent)
    return sessions.end(id, withoutUndefined({ agent: (await context.configuration()).agent }))
  },
})
