import { flag, text } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { durability } from '../shapes.ts'
import { noticesAbout } from '../stores.ts'
import { content, contentOf, openRouting, recipient } from './fields.ts'
import { header, remarks } from './shapes.ts'
import { headerOf } from './view.ts'

export const mrSend = defineOperation({
  name: 'send',
  summary: 'Put a message into the inbox of an agent.',
  more:
    'The recipient need not be running: the message waits as a file. A full inbox first lets go of its oldest message, ' +
    'which `mr evicted` lists and `mr recover` brings back. A write that fails is logged, not repeated, and exits with 8.',
  input: {
    to: recipient,
    ...content,
    replyTo: text('The message that this one answers.', { placeholder: 'MSG' }),
    compat: flag('Write as other programs do: in the form of the message that is answered, or in their usual one.'),
  },
  outcomes: { sent: 'done' },
  output: { sent: { message: header, durability, evicted: ['text'], depth: 'integer', ...remarks } },
  effects: 'writes',
  examples: [
    {
      command: `mr send --as lead --to coder-1 --type task-delegation --payload '{"task": "Fix the login"}'`,
      does: 'give somebody a task',
    },
    {
      command: 'mr send --as coder-1 --to lead --type result --reply-to msg_a3f5d8b2 --payload @result.json',
      does: 'answer it with a file',
    },
  ],

  async run(context, { to, replyTo, compat, ...input }) {
    const routing = await openRouting(context)
    const message = contentOf(routing, input)
    const isCompat = compat || (await context.configuration()).compat
    const about = await noticesAbout(context, to)
    // Asked before the message is sent: that makes the recipient's folder, and then every name is known.
    const isNew = (await routing.agents.meant(to)) !== undefined
    // The setting is about reading and answering other programs. Only the input asks for a first message in their form.
    const answer = replyTo === undefined ? { compat } : { replyTo, compat: isCompat }
    const sent = await routing.sending.send({ ...message, to, ...answer })
    const alerts = routing.measuring.takeAlerts()
    return {
      outcome: 'sent',
      message: headerOf(sent.message),
      durability: sent.durability,
      evicted: sent.evicted,
      depth: sent.depth,
      notices: [...sent.notices, ...(isNew ? about : [])],
      alerts,
      toldBefore: [...sent.toldBefore, ...(await routing.notices.toldBefore(alerts, 'sending'))],
    } as const
  },
})
