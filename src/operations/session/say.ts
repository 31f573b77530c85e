import { withoutUndefined } from '../../kernel/field.ts'
import { sharedAgent } from '../../protocols/shared-agent/index.ts'
import { actorOf, defineOperation } from '../define.ts'
import { session, words } from './fields.ts'
import { answerOrRefusal } from './refusing.ts'
import { answers, translations } from './shapes.ts'

export const sessionSay = defineOperation({
  name: 'say',
  summary: 'Say a line in a session, and print its answer.',
  more:
    'A line begins with `#` and a command in capitals; `#HELP` lists them. The answer is printed exactly as the ' +
    'protocol writes it; of an `#ERROR` the reason is on standard error. The orchestrator and people (`User`, and whom the setting ' +
    '`session.people` names) may also speak in words, and are answered in words; whoever else wants that says ' +
    '`use natural language`. Exit status 1 means `timeout`, `not_found`, `not_owner`, `busy` or a question, 2 an `#ERROR`. A session that is named ' +
    'and not there is started. Where nobody is named, the orchestrator speaks.',
  input: { line: words('What to say', 'LINE'), session },
  outcomes: { answered: 'done', nothing: 'nothing', refused: 'InvalidInput' },
  output: answers,
  // `#STATE:clear`, `#ROLLBACK`, `#UNLOCK:…:force`.
  effects: 'destroys',
  examples: [
    { command: `session say '#STATE:save:branch:main'`, does: 'keep a value' },
    { command: `session say --session release --as DevAgent '#LOCK:src/auth.js:600'`, does: 'take a lock' },
    { command: `session say --json '#HEALTH:session'`, does: 'ask how the session is' },
  ],

  run: (context, { line, session }) =>
    answerOrRefusal(async () => {
      const sessions = await context.store(sharedAgent)
      const agent = await actorOf(context)
      return sessions.say(line.join(' '), withoutUndefined({ session, agent, signal: context.signal }))
    }),
})

export const sessionTranslate = defineOperation({
  name: 'translate',
  summary: 'Tell which command a sentence means, without running it.',
  more:
    'What is not understood, is not certain, or would destroy something without being a plain order is asked back, with the ' +
    'command that a yes would run. Exit status 1 means that it is asked back. Several requests give several commands.',
  input: { text: words('What one would say', 'TEXT'), session },
  outcomes: { command: 'done', commands: 'done', asked: 'nothing' },
  output: translations,
  effects: 'reads',
  examples: [
    { command: `session translate 'ask DevAgent to fix the build, it is urgent'`, does: 'see the command' },
    { command: `session translate --json 'undo everything'`, does: 'see what would be asked back' },
  ],

  async run(context, { text, session }) {
    const sessions = await context.store(sharedAgent)
    return sessions.translate(text.join(' '), withoutUndefined({ session }))
  },
})
