import { duration } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { durability, notices } from '../shapes.ts'
import { compat, messageId, openRouting, reader } from './fields.ts'
import { header } from './shapes.ts'
import { stillTaken, takeBack } from './take-back.ts'
import { withRecord } from './view.ts'

export const mrAwait = defineOperation({
  name: 'await',
  summary: 'Wait for the reply to a message, and take it.',
  more:
    'A reply is a message that names this one as the one it answers; an acknowledgement is one too. Other messages stay ' +
    'in the inbox. Exit status 1 means that none came in time.',
  input: {
    agent: reader,
    id: messageId,
    wait: duration('How long to wait.', { least: 0, default: 30_000, placeholder: 'SECONDS' }),
    compat,
  },
  outcomes: { received: 'done', nothing: 'nothing' },
  output: {
    received: { message: { ...header, record: 'record' }, durability, notices },
    nothing: { waitedMs: 'integer', notices },
  },
  effects: 'writes',
  examples: [{ command: 'mr await msg_a3f5d8b2 --as lead --wait 60', does: 'wait up to a minute for the answer' }],

  async run(context, { agent, id, wait, compat }) {
    const isCompat = compat || (await context.configuration()).compat
    const routing = await openRouting(context)
    const { signal } = context
    const replied = await routing.claiming.awaitReply(agent, id, { waitMs: wait, compat: isCompat, signal })
    if (replied.outcome === 'nothing') {
      return { outcome: 'nothing', waitedMs: wait, notices: await routing.agents.noticesAboutReader(agent) } as const
    }
    const { outcome, message, durability, notices } = replied
    return { outcome, message: withRecord(message), durability, notices } as const
  },

  untold: (output) => (output.outcome === 'received' ? stillTaken(output.message.to, [output.message]) : undefined),
  takeBack: async (context, output) =>
    output.outcome === 'received' ? takeBack(context, output.message.to, [output.message]) : undefined,
})
