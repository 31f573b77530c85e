/** Acknowledging, and what has not been acknowledged. */
import { text } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { agent, messageId, openRouting, reader } from './fields.ts'
import { headerOf } from './view.ts'

export const mrAck = defineOperation({
  name: 'ack',
  summary: 'Tell the sender of a message that it arrived.',
  more:
    'Sends a status-update that names the message. Only the first time does so; repeating it is fine. A program that ' +
    'wrote in a form of its own, and was received with --compat, is answered in that form.',
  input: {
    agent: reader,
    id: messageId,
    text: text('What to say with it.', { placeholder: 'TEXT', longest: 4096 }),
  },
  outcomes: { acknowledged: 'done', unchanged: 'done' },
  examples: [{ command: 'mr ack coder-1 msg_a3f5d8b2', does: 'acknowledge what coder-1 has taken' }],

  async run(context, { agent, id, text }) {
    const routing = await openRouting(context)
    const { message, ...acknowledged } = await routing.settling.ack(agent, id, { text })
    return { ...acknowledged, message: headerOf(message) }
  },
})

export const mrUnacked = defineOperation({
  name: 'unacked',
  summary: 'List what has not been acknowledged: by others towards an agent, and by it.',
  input: { agent },
  lists: { unacked: 'first' },
  outcomes: { listed: 'done' },
  examples: [{ command: 'mr unacked lead', does: 'see whose acknowledgement lead still waits for, or owes' }],

  async run(context, { agent }) {
    const routing = await openRouting(context)
    await routing.agents.expect(agent)
    return { outcome: 'listed', agent, unacked: await routing.settling.unacked(agent) } as const
  },
})
