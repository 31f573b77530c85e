/** The messages for an agent: listing them, and claiming one. */
import { call, inputs } from '../../kernel/call.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { list, text, withoutUndefined } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { durability, notices } from '../shapes.ts'
import { agent, openCirce, waitField } from './fields.ts'
import { inboxLine, message } from './shapes.ts'

export const circeClaim = defineOperation({
  name: 'claim',
  summary: 'Take the oldest message that is for an agent, so that no other works on it.',
  more:
    'Whoever claims work (implement_feature, fix_bug, refactor) owns its task. Nobody is offered what it sent to all. An agent ' +
    'whose role is configured for intents (`offers`) is offered those first, and other work for all only when it names `file`, ' +
    '`task` or `intent`. Exit status 1 means that nothing is there, or that another agent was first; then nothing has changed.',
  input: {
    agent,
    file: text('Only this message.', { positional: true, placeholder: 'FILE' }),
    task: text('Only a message about this task.', { placeholder: 'ID' }),
    intent: list('Only a message of this intent.', text('An intent.'), { placeholder: 'INTENT' }),
    wait: waitField,
  },
  outcomes: { claimed: 'done', nothing: 'nothing' },
  output: {
    claimed: { agent: 'text', message: { ...message, body: 'text' }, durability, 'redelivered?': 'flag', notices },
    nothing: { agent: 'text', owned: [{ file: 'text', task: 'text', owner: 'text' }], notices },
  },
  effects: 'writes',
  examples: [
    { command: 'circe claim --as engineer', does: 'take the oldest' },
    { command: 'circe claim --as engineer --task AUTH-012', does: 'take one about a task' },
    { command: 'circe claim --as qa --intent test --intent review_code', does: 'take the oldest of two kinds' },
    { command: 'circe claim --as qa --wait 300 --json', does: 'wait for one, as a program' },
  ],

  async run(context, { agent, file, task, intent, wait }) {
    if (file !== undefined && task !== undefined) {
      const reason = `Both a message and ${inputs({ task })} were given.`
      throw invalidInput('GIVEN_TWICE', reason, { hint: 'Give one of them.' })
    }
    const circe = await openCirce(context)
    const claimed = await circe.claiming.claim(agent, {
      ...withoutUndefined({ file, task, intents: intent, waitMs: wait, signal: context.signal }),
      untilHandedOut: true,
    })
    if (claimed.outcome === 'claimed') return { ...claimed, agent, notices: claimed.redelivered ? [givenAgain] : [] }
    return { ...claimed, agent, notices: await circe.agents.noticesAboutReader(agent) }
  },

  untold: (output) =>
    output.outcome === 'claimed'
      ? `The answer was cut off. ${output.message.id} is claimed all the same: ${call('circe inbox', { as: output.agent })}`
      : undefined,

  async handedOut(context, output) {
    if (output.outcome === 'claimed')
      await (await openCirce(context)).claiming.handedOut(output.agent, output.message.file)
  },

  async takeBack(context, output) {
    if (output.outcome !== 'claimed') return undefined
    await (await openCirce(context)).claiming.takeBack(output.agent, output.message.file)
    return 'It can be claimed again. Free some space, then repeat the command.'
  },
})

const givenAgain = 'A process of this agent claimed it before, and is not known to have shown it.'

const inbox = {
  agent: 'text',
  messages: [inboxLine],
  rejected: [{ file: 'text', path: 'text', code: 'text', reason: 'text' }],
  notices,
} as const

export const circeInbox = defineOperation({
  name: 'inbox',
  summary: 'List what there is for an agent: waiting, claimed and being worked on.',
  more: 'Nothing is taken. With `wait`, exit status 1 means that nothing came.',
  input: { agent, wait: waitField },
  lists: { messages: 'first', rejected: 'first' },
  outcomes: { listed: 'done', nothing: 'nothing' },
  output: { listed: inbox, nothing: inbox },
  effects: 'reads',
  examples: [
    { command: 'circe inbox --as engineer', does: 'see what there is' },
    { command: 'circe inbox --as engineer --wait 60', does: 'wait until there is something' },
  ],

  async run(context, { agent, wait }) {
    const circe = await openCirce(context)
    const inbox = await circe.overview.inbox(agent, withoutUndefined({ waitMs: wait, signal: context.signal }))
    const isEmpty = inbox.outcome === 'empty'
    const outcome: 'listed' | 'nothing' = isEmpty && wait !== undefined ? 'nothing' : 'listed'
    return { ...inbox, outcome, notices: isEmpty ? await circe.agents.noticesAboutReader(agent) : [] }
  },
})
