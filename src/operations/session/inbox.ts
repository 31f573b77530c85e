import { flag, integer, withoutUndefined } from '../../kernel/field.ts'
import { sharedAgent } from '../../protocols/shared-agent/index.ts'
import { usualLimit } from '../bounded.ts'
import { defineOperation, whoActs } from '../define.ts'
import { session, wait } from './fields.ts'

export const sessionInbox = defineOperation({
  name: 'inbox',
  summary: 'Take what was sent to an agent in a session, oldest first.',
  more: 'Each message is handed out once, and waits until then. Exit status 1 means that nothing is there.',
  input: {
    session,
    wait,
    peek: flag('Look without taking.'),
    limit: integer('At most so many; how many still wait is told.', { least: 1, textDefault: usualLimit }),
  },
  outcomes: { received: 'done', nothing: 'nothing' },
  examples: [
    { command: 'session inbox --as TestAgent', does: 'read what has come' },
    { command: 'session inbox --as TestAgent --wait 60', does: 'wait up to a minute for something' },
  ],

  async run(context, { session, wait, peek, limit }) {
    const sessions = await context.store(sharedAgent)
    const agent = await whoActs(context)
    const messages = await sessions.inbox(agent, { ...withoutUndefined({ session, waitMs: wait, limit }), peek })
    // What is only looked at still waits itself.
    const waiting =
      messages.length === limit ? await sessions.inbox(agent, { ...withoutUndefined({ session }), peek: true }) : []
    const leftOut = Math.max(0, waiting.length - (peek ? messages.length : 0))
    return { outcome: messages.length > 0 ? 'received' : 'nothing', agent, session, messages, peek, leftOut } as const
  },

  untold: ({ messages, peek }) =>
    messages.length > 0 && !peek ? 'The messages count as read. `session log` tells them again.' : undefined,
  async takeBack(context, { agent, messages, session, peek }) {
    if (messages.length === 0 || peek) return undefined
    const sessions = await context.store(sharedAgent)
    return (await sessions.putBack(agent, messages, session))
      ? 'The messages were put back: read them again.'
      : 'The messages count as read. `session log` tells them again.'
  },
})
