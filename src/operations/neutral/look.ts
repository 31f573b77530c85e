/** How far a message has come, what came of it, and what belongs to it. */
import { duration, withoutUndefined } from '../../kernel/field.ts'
import { boxOf, busOf } from '../bus.ts'
import { defineOperation } from '../define.ts'
import { envelope } from '../shapes.ts'
import { awaited, handle, told } from './fields.ts'

const rung = {
  stage: envelope.stage,
  'at?': 'time',
  'by?': 'text',
  'attempt?': 'integer',
  'until?': 'time',
  'through?': 'text',
  'in?': 'text',
  'reader?': 'text',
} as const

export const wait = defineOperation({
  name: 'wait',
  summary: 'Wait until a message is finished, has failed or was answered, and print the result.',
  more: 'Exit status 1: it is not, and the time is up. Exit status 4: it has failed; the reason is printed.',
  input: { handle, timeout: duration('How long at most.', { least: 0, default: 60_000, placeholder: 'SECONDS' }) },
  outcomes: { finished: 'done', answered: 'done', failed: 'Conflict', timeout: 'nothing' },
  output: { finished: awaited, answered: awaited, failed: awaited, timeout: { message: envelope } },
  effects: 'reads',
  examples: [{ command: 'wait acmq:main:1f2e3d4c --timeout 600', does: 'wait for the result' }],

  async run(context, { handle, timeout }) {
    const awaited = await (await boxOf(context)).wait(
      handle,
      withoutUndefined({ waitMs: timeout, signal: context.signal }),
    )
    return { ...awaited, message: told(awaited.message) }
  },

  async handedOut(context, output) {
    await (await boxOf(context)).answerShown(output)
  },
})

export const show = defineOperation({
  name: 'show',
  summary: 'Show a message of any protocol, and how far it has come.',
  input: { handle },
  outcomes: { shown: 'done' },
  output: {
    shown: {
      message: { ...envelope, text: 'text', native: 'anything' },
      ladder: [rung],
      carried: { 'from?': 'text', 'to?': 'text' },
    },
  },
  effects: 'reads',
  examples: [{ command: 'show acmq:main:1f2e3d4c', does: 'see what it says, and who has it' }],

  async run(context, { handle }) {
    const bus = await busOf(context)
    const { findAll } = await import('../../bridge/bus.ts')
    const { carriedOf, ladderOf } = await import('../../bridge/ladder.ts')
    const copies = await findAll(bus, handle)
    const text = (await copies[0].text()) ?? ''
    const carried = await carriedOf(bus, copies[0].envelope.handle)
    const message = { ...copies[0].envelope, text }
    return { outcome: 'shown', message, ladder: await ladderOf(bus, copies), carried } as const
  },
})

export const thread = defineOperation({
  name: 'thread',
  summary: 'List the messages that belong to one, across protocols, the oldest first.',
  more: 'What answers what, what is about the same task or has the same thread, and what waits for what.',
  input: { handle },
  lists: { messages: 'last' },
  outcomes: { listed: 'done' },
  output: { listed: { messages: [envelope], owed: [{ by: 'text', to: 'text', handle: 'text' }] } },
  effects: 'reads',
  examples: [{ command: 'thread acmq:main:1f2e3d4c', does: 'follow the conversation' }],

  async run(context, { handle }) {
    const { threadOf } = await import('../../bridge/thread.ts')
    const { messages, owed } = await threadOf(await busOf(context), handle)
    return { outcome: 'listed', messages: messages.map(told), owed } as const
  },
})

export const why = defineOperation({
  name: 'why',
  summary: 'Say why a message is where it is, and what to do about it.',
  input: { handle },
  outcomes: { explained: 'done' },
  output: { explained: { handle: 'text', stage: envelope.stage, why: 'text', 'next?': 'advice' } },
  effects: 'reads',
  examples: [{ command: 'why acmq:main:1f2e3d4c', does: 'learn why nobody has taken it' }],

  async run(context, { handle }) {
    const { explain } = await import('../../bridge/why.ts')
    return { outcome: 'explained', ...withoutUndefined(await explain(await busOf(context), handle)) } as const
  },
})
