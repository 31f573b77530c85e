/** The verbs for sessions themselves: start, end, list. */
import { text, withoutUndefined } from '../../kernel/field.ts'
import { sharedAgent } from '../../protocols/shared-agent/index.ts'
import { actorOf, defineOperation } from '../define.ts'
import { overview } from './shapes.ts'

const started = { session: 'text' } as const
const ended = { session: 'text', stopped: ['text'] } as const

export const sessionStart = defineOperation({
  name: 'start',
  summary: 'Start a session, and make it the one that is meant when none is named.',
  more: 'Without a name it gets a new one. A session that is running goes on, and becomes the current one.',
  input: { id: text('Its name.', { positional: true }) },
  outcomes: { started: 'done', unchanged: 'done' },
  output: { started, unchanged: started },
  effects: 'writes',
  examples: [
    { command: 'session start', does: 'start one with a new name' },
    { command: 'session start release', does: 'start one, or go on with it' },
  ],

  async run(context, { id }) {
    const sessions = await context.store(sharedAgent)
    return sessions.start(id, withoutUndefined({ agent: await actorOf(context) }))
  },
})

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
  output: { ended, unchanged: ended },
  effects: 'destroys',
  isRepeatable: true,
  examples: [{ command: 'session end release', does: 'end it' }],

  async run(context, { id }) {
    const sessions = await context.store(sharedAgent)
    return sessions.end(id, withoutUndefined({ agent: await actorOf(context) }))
  },
})

export const sessionList = defineOperation({
  name: 'list',
  summary: 'List the sessions of this workspace.',
  input: {},
  lists: { sessions: 'first' },
  outcomes: { listed: 'done' },
  output: { listed: { sessions: [overview] } },
  effects: 'reads',
  examples: [{ command: 'session list', does: 'see which there are, and which is the current one' }],

  async run(context) {
    return { outcome: 'listed', sessions: await (await context.store(sharedAgent)).list() } as const
  },
})
