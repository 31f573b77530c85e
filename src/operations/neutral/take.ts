import { duration, text, withoutUndefined } from '../../kernel/field.ts'
import { boxOf } from '../bus.ts'
import { defineOperation, whoActs } from '../define.ts'
import { durability, envelope } from '../shapes.ts'
import { told } from './fields.ts'

const wait = duration('How long to wait for one to come.', { least: 0, placeholder: 'SECONDS' })

export const inbox = defineOperation({
  name: 'inbox',
  summary: 'List what waits for an agent, the most urgent first. Takes nothing.',
  more: 'Looks in every protocol that is used here. With `wait`, exit status 1 means that nothing came.',
  input: { wait },
  lists: { messages: 'first' },
  outcomes: { listed: 'done', nothing: 'nothing' },
  output: { listed: { messages: [envelope] }, nothing: { messages: [envelope] } },
  effects: 'reads',
  examples: [{ command: 'inbox --as gemini', does: 'see what waits for gemini' }],

  async run(context, { wait }) {
    const agent = await whoActs(context)
    const box = await boxOf(context)
    const waiting = await box.inbox(agent, withoutUndefined({ waitMs: wait, signal: context.signal }))
    const messages = waiting.map(({ envelope }) => told(envelope))
    return { outcome: messages.length === 0 && wait !== undefined ? 'nothing' : 'listed', messages } as const
  },
})

export const take = defineOperation({
  name: 'take',
  summary: 'Take the next message, so that no other agent works on it.',
  more:
    'From whatever protocol it lies in: the most urgent first, then the oldest. The receipt that is printed is all that ends it: ' +
    '`done`, `fail` or `release`. Exit status 1 means that nothing waits.',
  input: {
    handle: text('Only this message.', { positional: true, placeholder: 'HANDLE', longest: 1024 }),
    wait,
  },
  outcomes: { taken: 'done', nothing: 'nothing' },
  output: {
    taken: {
      receipt: 'text',
      message: { ...envelope, text: 'text' },
      'until?': 'time',
      'isGivenAgain?': 'flag',
      durability,
      waiting: 'integer',
    },
    nothing: {},
  },
  effects: 'writes',
  examples: [
    { command: 'take --as gemini', does: 'take what comes next' },
    { command: 'take --as gemini --wait 600', does: 'wait up to ten minutes for it' },
  ],

  async run(context, { handle, wait }) {
    const agent = await whoActs(context)
    const box = await boxOf(context)
    const taken = await box.take(agent, withoutUndefined({ handle, waitMs: wait, signal: context.signal }))
    if (!taken) return { outcome: 'nothing' } as const
    const { message, ...rest } = taken
    return { outcome: 'taken', ...rest, message: told(message), waiting: await box.waiting(agent) } as const
  },

  async handedOut(context, output) {
    if (output.outcome !== 'taken') return
    await (await boxOf(context)).shown(output, await whoActs(context), context.surface)
  },

  async takeBack(context, output) {
    if (output.outcome !== 'taken') return undefined
    await (await boxOf(context)).release(output.receipt)
    return 'The message waits again: take it when you can read it.'
  },
})
