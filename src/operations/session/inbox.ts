import { duration, flag, integer, withoutUndefined } from '../../kernel/field.ts'
import { sharedAgent } from '../../protocols/shared-agent/index.ts'
import { usualLimit } from '../bounded.ts'
import { defineOperation, whoActs } from '../define.ts'
import { session } from './fields.ts'
import { mail } from './shapes.ts'

const read = { agent: 'text', session: 'text', messages: [mail], peek: 'flag', leftOut: 'integer' } as const

export const sessionInbox = defineOperation({
  name: 'inbox',
  summary: 'Take what was sent to an agent in a session, oldest first.',
  more:
    'Each message is handed out once, and waits until then. What a reader was given that was killed before it had written it ' +
    'out is given to the next one, marked as given again (`redelivered`). Exit status 1 means that nothing is there.',
  input: {
    session,
    wait: duration('How long to wait for a first message.', { least: 0, placeholder: 'SECONDS' }),
    peek: flag('Look without taking.'),
    limit: integer('At most so many; how many still wait is told.', { least: 1, textDefault: usualLimit }),
  },
  outcomes: { received: 'done', nothing: 'nothing' },
  output: { received: read, nothing: read },
  effects: 'writes',
  examples: [
    { command: 'session inbox --as TestAgent', does: 'read what has come' },
    { command: 'session inbox --as TestAgent --wait 60', does: 'wait up to a minute for something' },
  ],

  async run(context, { session: named, wait, peek, limit }) {
    const sessions = await context.store(sharedAgent)
    const agent = await whoActs(context)
    // Another session may be the current one by the time the answer has been written out.
    const session = named ?? (await sessions.current())
    const how = { ...withoutUndefined({ session }), peek }
    const messages = await sessions.inbox(agent, {
      ...how,
      ...withoutUndefined({ waitMs: wait, limit, signal: context.signal }),
      untilHandedOut: true,
    })
    // The messages given here still count as waiting until they have been written out.
    const waiting = messages.length === limit ? await sessions.inbox(agent, { ...how, peek: true }) : []
    const leftOut = Math.max(0, waiting.length - messages.length)
    const outcome = messages.length > 0 ? 'received' : 'nothing'
    return { outcome, agent, session: session ?? (await sessions.current())!, messages, peek, leftOut } as const
  },

  untold: ({ messages, peek }) =>
    messages.length > 0 && !peek ? 'The answer was cut off. The next reader gets the messages again.' : undefined,
  async takeBack(context, { agent, messages, session, peek }) {
    if (messages.length === 0 || peek) return undefined
    await (await context.store(sharedAgent)).putBack(agent, messages, session)
    return 'The messages were put back: read them again.'
  },
  async handedOut(context, { agent, messages, session, peek }) {
    if (messages.length === 0 || peek) return
    await (await context.store(sharedAgent)).handedOut(agent, messages, session)
  },
})
