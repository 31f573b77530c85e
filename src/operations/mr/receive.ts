import { choice, duration, flag, integer } from '../../kernel/field.ts'
import { usualLimit } from '../bounded.ts'
import { defineOperation } from '../define.ts'
import { durability } from '../shapes.ts'
import { compat, openRouting, reader } from './fields.ts'
import { header, remarks, unreadable } from './shapes.ts'
import { stillTaken, takeBack } from './take-back.ts'
import { headerOf } from './view.ts'

const rejected = {
  file: 'text',
  path: 'text',
  code: 'text',
  'msgId?': 'text',
  issues: ['text'],
  isForeign: 'flag',
  reason: 'text',
} as const

const received = {
  agent: 'text',
  messages: ['record'],
  envelopes: [header],
  rejected: [rejected],
  unreadable,
  gaps: [{ from: 'text', first: 'integer', last: 'integer', count: 'integer' }],
  restarts: [{ from: 'text', after: 'integer' }],
  evicted: ['text'],
  depth: 'integer',
  durability,
  ...remarks,
} as const

export const mrReceive = defineOperation({
  name: 'receive',
  summary: 'Take the messages that wait for an agent, oldest first.',
  more:
    'Each message goes to one reader, once; it is kept in `taken/` for a while. `messages` are as in their files, ' +
    '`envelopes` say the same in the words of all protocols, in the same order. Files that are no messages for this ' +
    'inbox are set aside and listed, as are numbers that never came. Exit status 1 means that nothing waits.',
  input: {
    agent: reader,
    peek: flag('Look without taking.'),
    wait: duration('How long to wait for one to come.', { least: 0, placeholder: 'SECONDS' }),
    limit: integer('At most so many; how many still wait is told.', { least: 1, textDefault: usualLimit }),
    order: choice('`time`: as they were sent. `priority`: the most urgent first.', ['time', 'priority'], {
      default: 'time',
    }),
    compat,
  },
  outcomes: { received: 'done', nothing: 'nothing' },
  output: { received, nothing: received },
  effects: 'writes',
  examples: [
    { command: 'mr receive --as coder-1', does: 'take what waits' },
    { command: 'mr receive --as coder-1 --peek', does: 'look at it first' },
    {
      command: 'mr receive --as coder-1 --wait 60 --limit 1 --order priority --json',
      does: 'wait for the most urgent one',
    },
  ],

  async run(context, { agent, peek, wait, limit, order, compat }) {
    const isCompat = compat || (await context.configuration()).compat
    const routing = await openRouting(context)
    const asked = { peek, order, compat: isCompat, waitMs: wait, limit, signal: context.signal }
    const received = await routing.claiming.receive(agent, asked)
    const { outcome, messages, rejected, notices, toldBefore, ...rest } = received
    const alerts = routing.measuring.takeAlerts()
    return {
      outcome,
      agent,
      messages: messages.map(({ message }) => message),
      ...rest,
      rejected: rejected.map((one) => ({ ...one, reason: one.issues.join('; ') })),
      envelopes: messages.map(headerOf),
      notices: outcome === 'nothing' ? [...notices, ...(await routing.agents.noticesAboutReader(agent))] : notices,
      alerts,
      toldBefore: [...toldBefore, ...(await routing.notices.toldBefore(alerts, 'receiving'))],
    }
  },

  untold: ({ agent, envelopes }) => stillTaken(agent, envelopes),
  takeBack: (context, { agent, envelopes }) => takeBack(context, agent, envelopes),
})
