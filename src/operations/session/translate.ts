import { withoutUndefined } from '../../kernel/field.ts'
import { sharedAgent } from '../../protocols/shared-agent/index.ts'
import { defineOperation } from '../define.ts'
import { session, words } from './fields.ts'

export const sessionTranslate = defineOperation({
  name: 'translate',
  summary: 'Tell which command a sentence means, without running it.',
  more:
    'What is not understood, is not certain, or would destroy something without being a plain order is asked back, with the ' +
    'command that a yes would run. Exit status 1 means that it is asked back. Several requests give several commands.',
  input: { text: words('What one would say', 'TEXT'), session },
  outcomes: { command: 'done', commands: 'done', asked: 'nothing' },
  examples: [
    { command: `session translate 'ask DevAgent to fix the build, it is urgent'`, does: 'see the command' },
    { command: `session translate --json 'undo everything'`, does: 'see what would be asked back' },
  ],

  async run(context, { text, session }) {
    const sessions = await context.store(sharedAgent)
    return sessions.translate(text.join(' '), withoutUndefined({ session }))
  },
})
