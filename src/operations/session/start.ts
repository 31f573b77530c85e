import { text, withoutUndefined } from '../../kernel/field.ts'
import { sharedAgent } from '../../protocols/shared-agent/index.ts'
import { defineOperation } from '../define.ts'

export const sessionStart = defineOperation({
  name: 'start',
  summary: 'Start a session, and make it the one that is meant when none is named.',
  more: 'Without a name it gets a new one. A session that is running goes on, and becomes the current one.',
  input: { id: text('Its name.', { positional: true }) },
  outcomes: { started: 'done', unchanged: 'done' },
  examples: [
    { command: 'session start', does: 'start one with a new name' },
    { command: 'session start release', does: 'start one, or go on with it' },
  ],

  async run(context, { id }) {
    const sessions = await context.store(sharedAgent)
    return sessions.start(id, withoutUndefined({ agent: (await context.configuration()).agent }))
  },
})
