/** What ends a message. The receipt says which one it is and by which claim. */
import { text, withoutUndefined } from '../../kernel/field.ts'
import { boxOf } from '../bus.ts'
import { actorOf, defineOperation } from '../define.ts'
import { durability, envelope } from '../shapes.ts'
import { receipt, told } from './fields.ts'

const settled = { message: envelope, durability } as const
/** `waiting`: how many more wait for the agent. */
const ended = { ...settled, waiting: 'integer' } as const

export const done = defineOperation({
  name: 'done',
  summary: 'Say that a message is dealt with, with the result.',
  more: 'Repeating it is fine. A receipt that is out of date is refused, with who has the message now.',
  input: {
    receipt,
    result: text('What came of it; `-` is standard input.', {
      longText: 'standard-input',
      fileFlag: 'file',
      placeholder: 'TEXT',
      longest: 64 << 20,
    }),
  },
  outcomes: { settled: 'done', unchanged: 'done' },
  output: { settled: ended, unchanged: ended },
  effects: 'writes',
  isRepeatable: true,
  examples: [{ command: 'done acmq:main:1f2e3d4c@1 --result "Three tables"', does: 'finish it' }],

  async run(context, { receipt, result }) {
    const box = await boxOf(context)
    const agent = await actorOf(context)
    const { message, ...rest } = await box.done(receipt, withoutUndefined({ text: result }), agent)
    return { ...rest, message: told(message), waiting: await box.waiting(agent ?? message.claim?.by ?? message.to) }
  },
})

export const fail = defineOperation({
  name: 'fail',
  summary: 'Give a message up, with the reason.',
  input: {
    receipt,
    reason: text('Why it cannot be done.', { required: true, placeholder: 'TEXT', longest: 65536 }),
  },
  outcomes: { settled: 'done', unchanged: 'done' },
  output: { settled, unchanged: settled },
  effects: 'writes',
  isRepeatable: true,
  examples: [{ command: 'fail acmq:main:1f2e3d4c@1 --reason "No access to the database"', does: 'give it up' }],

  async run(context, { receipt, reason }) {
    const settled = await (await boxOf(context)).fail(receipt, { reason }, await actorOf(context))
    return { ...settled, message: told(settled.message) }
  },
})

export const release = defineOperation({
  name: 'release',
  summary: 'Give a message back unharmed: it waits again.',
  input: { receipt },
  outcomes: { settled: 'done', unchanged: 'done' },
  output: { settled, unchanged: settled },
  effects: 'writes',
  isRepeatable: true,
  examples: [{ command: 'release acmq:main:1f2e3d4c@1', does: 'let it be taken again' }],

  async run(context, { receipt }) {
    const settled = await (await boxOf(context)).release(receipt, await actorOf(context))
    return { ...settled, message: told(settled.message) }
  },
})

export const renew = defineOperation({
  name: 'renew',
  summary: 'Say that you still work on a message, so that your claim does not run out.',
  input: { receipt },
  outcomes: { settled: 'done', unchanged: 'done' },
  output: { settled, unchanged: settled },
  effects: 'writes',
  isRepeatable: true,
  examples: [{ command: 'renew acmq:main:1f2e3d4c@1', does: 'keep it longer' }],

  async run(context, { receipt }) {
    const settled = await (await boxOf(context)).renew(receipt, await actorOf(context))
    return { ...settled, message: told(settled.message) }
  },
})
