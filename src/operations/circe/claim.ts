/** What there is for an agent, and taking it. */
import { invalidInput } from '../../kernel/errors.ts'
import { list, text, withoutUndefined } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { agent, openCirce, waitField } from './fields.ts'

export const circeClaim = defineOperation({
  name: 'claim',
  summary: 'Take the oldest message that is for an agent, so that no other works on it.',
  more:
    'Whoever claims work (implement_feature, fix_bug, refactor) owns its task. Nobody is offered what it sent to all. An agent ' +
    'whose role is configured for intents (`offers`) is offered those first, and other work for all only when it names FILE, ' +
    '--task or --intent. Exit status 1 means that nothing is there, or that somebody else was first; then nothing has changed.',
  input: {
    agent,
    file: text('Only this message.', { positional: true, placeholder: 'FILE' }),
    task: text('Only a message about this task.', { placeholder: 'ID' }),
    intent: list('Only a message of this intent.', text('An intent.'), { placeholder: 'INTENT' }),
    wait: waitField,
  },
  outcomes: { claimed: 'done', nothing: 'nothing' },
  examples: [
    { command: 'circe claim engineer', does: 'take the oldest' },
    { command: 'circe claim engineer --task AUTH-012', does: 'take one about a task' },
    { command: 'circe claim qa --intent test --intent review_code', does: 'take the oldest of two kinds' },
    { command: 'circe claim qa --wait 300 --json', does: 'wait for one, as a program' },
  ],

  async run(context, { agent, file, task, intent, wait }) {
    if (file !== undefined && task !== undefined) {
      throw invalidInput('GIVEN_TWICE', 'Both a message and --task were given.', { hint: 'Give one of them.' })
    }
    const circe = await openCirce(context)
    const claimed = await circe.claiming.claim(agent, {
      ...withoutUndefined({ file, task, intents: intent, waitMs: wait }),
      untilHandedOut: true,
    })
    if (claimed.outcome === 'claimed') return { ...claimed, agent, notices: claimed.redelivered ? [givenAgain] : [] }
    return { ...claimed, agent, notices: await circe.agents.noticesAboutReader(agent) }
  },

  untold: (output) =>
    output.outcome === 'claimed'
      ? `The answer was cut off. ${output.message.id} is claimed all the same: signalbox circe inbox ${output.agent}`
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

export const circeInbox = defineOperation({
  name: 'inbox',
  summary: 'List what there is for an agent: waiting, claimed and being worked on.',
  more: 'Nothing is taken. With --wait, exit status 1 means that nothing came.',
  input: { agent, wait: waitField },
  lists: { messages: 'first', rejected: 'first' },
  outcomes: { listed: 'done', nothing: 'nothing' },
  examples: [
    { command: 'circe inbox engineer', does: 'see what there is' },
    { command: 'circe inbox engineer --wait 60', does: 'wait until there is something' },
  ],

  async run(context, { agent, wait }) {
    const circe = await openCirce(context)
    const inbox = await circe.overview.inbox(agent, withoutUndefined({ waitMs: wait }))
    const isEmpty = inbox.outcome === 'empty'
    const outcome: 'listed' | 'nothing' = isEmpty && wait !== undefined ? 'nothing' : 'listed'
    return { ...inbox, outcome, notices: isEmpty ? await circe.agents.noticesAboutReader(agent) : [] }
  },
})
