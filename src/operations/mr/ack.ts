/** Acknowledging, and what has not been acknowledged. */
import { text } from '../../kernel/field.ts'
import { oneOf } from '../../kernel/shape.ts'
import { defineOperation } from '../define.ts'
import { durability, notices } from '../shapes.ts'
import { agent, messageId, openRouting, reader } from './fields.ts'
import { header } from './shapes.ts'
import { headerOf } from './view.ts'

const acknowledged = { message: header, durability, notices } as const

export const mrAck = defineOperation({
  name: 'ack',
  summary: 'Tell the sender of a message that it arrived.',
  more:
    'Sends a status-update that names the message. Only the first time does so; repeating it is fine. A program that ' +
    'wrote in its own form, and was received with `compat`, is answered in that form.',
  input: {
    agent: reader,
    id: messageId,
    text: text('What to say with it.', { placeholder: 'TEXT', longest: 4096 }),
  },
  outcomes: { acknowledged: 'done', unchanged: 'done' },
  output: { acknowledged, unchanged: acknowledged },
  effects: 'writes',
  isRepeatable: true,
  examples: [{ command: 'mr ack msg_a3f5d8b2 --as coder-1', does: 'acknowledge what coder-1 has taken' }],

  async run(context, { agent, id, text }) {
    const routing = await openRouting(context)
    const { message, ...acknowledged } = await routing.settling.ack(agent, id, { text })
    return { ...acknowledged, message: headerOf(message) }
  },
})

const unacked = {
  direction: oneOf('sent', 'taken'),
  id: 'text',
  from: 'text',
  to: 'text',
  type: 'text',
  createdAt: 'time',
  ageMs: 'number',
} as const

export const mrUnacked = defineOperation({
  name: 'unacked',
  summary: 'List what has not been acknowledged: by others towards an agent, and by it.',
  input: { agent },
  lists: { unacked: 'first' },
  outcomes: { listed: 'done' },
  output: { listed: { agent: 'text', unacked: [unacked] } },
  effects: 'reads',
  examples: [{ command: 'mr unacked lead', does: 'see whose acknowledgement lead still waits for, or owes' }],

  async run(context, { agent }) {
    const routing = await openRouting(context)
    await routing.agents.expect(agent)
    return { outcome: 'listed', agent, unacked: await routing.settling.unacked(agent) } as const
  },
})
