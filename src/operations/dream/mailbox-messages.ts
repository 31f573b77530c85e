/** The messages of a shared mailbox. */
import { call } from '../../kernel/call.ts'
import { duration, flag, text } from '../../kernel/field.ts'
import { defineOperation, whoActs } from '../define.ts'
import { durability, headline, notices } from '../shapes.ts'
import { compat, mailbox, openDream, outcomeFields, outcomeFrom, requiredJson } from './fields.ts'
import { recorded, recordedBefore } from './shapes.ts'

export const mailboxSend = defineOperation({
  name: 'send',
  summary: 'Put a message into a shared mailbox.',
  more: 'If another program overwrites the mailbox with an old copy, the message is put there again under its id, by this command or by `dream route`.',
  input: {
    mailbox,
    command: text('What is to be done, such as refactor_file.', {
      required: true,
      placeholder: 'C',
      longest: 200,
      expected: 'a verb, such as refactor_file',
    }),
    params: requiredJson('What it needs to know: a JSON object.'),
    from: text('Who sends it; else User.', { placeholder: 'AGENT', isActor: true }),
    task: text('The task that it belongs to.', { placeholder: 'ID' }),
    compat,
  },
  outcomes: { sent: 'done' },
  output: { sent: { message: headline, record: 'record', mailbox: 'integer', path: 'text', durability, notices } },
  effects: 'writes',
  examples: [
    {
      command: `dream mailbox send --mailbox 1 --as Agent_0 --command run_test --params '{"target": "core"}'`,
      does: 'ask for something',
    },
  ],

  async run(context, { mailbox, command, params, from, task, compat }) {
    const store = await openDream(context, compat)
    const sent = await store.messages.send({
      mailbox,
      from: from ?? 'User',
      command,
      params: store.given.objectFrom(params, 'The params'),
      ...(task === undefined ? {} : { taskId: task }),
    })
    const { message: record, envelope: message, ...rest } = sent
    return { ...rest, message, record }
  },
})

export const mailboxNext = defineOperation({
  name: 'next',
  summary: 'Get the next message of your mailbox.',
  more:
    'It is yours for ten minutes, renewed by `heartbeat`. When that time is over without an outcome it is given again, with a ' +
    'higher attempt and marked as redelivered. Exit status 1 means that nothing waits.',
  input: {
    mailbox,
    wait: duration('How long to wait for one to come.', { least: 0, placeholder: 'SECONDS' }),
    resume: flag('Get what you have in hand already, if you have lost it.'),
    compat,
  },
  outcomes: { given: 'done', nothing: 'nothing' },
  output: {
    given: {
      message: 'record',
      asRead: 'record',
      mailbox: 'integer',
      agent: 'text',
      path: 'text',
      attempt: 'integer',
      redelivered: 'flag',
      until: 'time',
      notices,
      durability,
    },
    nothing: { mailbox: 'integer', notices },
  },
  effects: 'writes',
  examples: [
    { command: 'dream mailbox next --mailbox 1 --as RefactorAgent', does: 'get work' },
    {
      command: 'dream mailbox next --mailbox 1 --as RefactorAgent --wait 60 --json',
      does: 'wait for work, for a program',
    },
  ],

  async run(context, { mailbox, wait, resume, compat }) {
    const store = await openDream(context, compat)
    const how = { resume, waitMs: wait, signal: context.signal }
    const given = await store.messages.next(mailbox, await whoActs(context), how)
    if (given.outcome === 'nothing') {
      const { problems: notices, ...rest } = given
      return { ...rest, notices }
    }
    const { notes: notices, ...rest } = given
    return { ...rest, notices }
  },

  untold: (given) =>
    given.outcome === 'given'
      ? `The answer was cut off. Get it again: ${call('dream mailbox next', { mailbox: given.mailbox, as: given.agent, resume: true })}`
      : undefined,
})

export const mailboxDone = defineOperation({
  name: 'done',
  summary: 'Record what came of a message, and mark it processed.',
  more: 'Only for whoever has it in hand: when your time was over, exit status 4 says so and nothing is recorded.',
  input: {
    mailbox,
    id: text('The message: its id.', {
      positional: true,
      required: true,
      placeholder: 'ID',
      expected: 'the id of a message',
    }),
    ...outcomeFields,
    compat,
  },
  outcomes: { recorded: 'done', unchanged: 'done' },
  output: { recorded, unchanged: recordedBefore },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    {
      command: `dream mailbox done --mailbox 1 --as RefactorAgent ID --output '{"files_changed": 1}'`,
      does: 'it worked',
    },
    {
      command: `dream mailbox done --mailbox 1 --as RefactorAgent ID --error '{"code": "AssertionError"}'`,
      does: 'it did not',
    },
  ],

  async run(context, { mailbox, id, compat, ...outcome }) {
    const store = await openDream(context, compat)
    return store.messages.done(mailbox, await whoActs(context), id, outcomeFrom(store, outcome))
  },
})
