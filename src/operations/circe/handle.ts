/** What an agent does with a message it has. One file, because the three take the same and answer the same. */
import { seenActing } from '../acting.ts'
import { defineOperation } from '../define.ts'
import { agent, file, openCirce } from './fields.ts'
import { changedMessage } from './shapes.ts'

export const circeStart = defineOperation({
  name: 'start',
  summary: 'Begin to work on a message: it moves into the workspace.',
  more: 'Starting acknowledges. The task of its owner is in progress from now on.',
  input: { agent, file },
  outcomes: { started: 'done', unchanged: 'done' },
  output: { started: changedMessage, unchanged: changedMessage },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    {
      command: 'circe start --as engineer 20251106_140211_coordinator-engineer_implement-feature_FEAT-021.md',
      does: 'begin',
    },
  ],

  async run(context, { agent, file }) {
    await seenActing(context, agent)
    return (await openCirce(context)).settling.start(agent, file)
  },
})

export const circeAck = defineOperation({
  name: 'ack',
  summary: 'Acknowledge a message: a copy goes into LOGS/, and it stays in the inbox.',
  input: { agent, file },
  outcomes: { acknowledged: 'done', unchanged: 'done' },
  output: { acknowledged: changedMessage, unchanged: changedMessage },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    {
      command: 'circe ack --as engineer 20251106_164455_qa-engineer_test-results_FEAT-021.md',
      does: 'say that you have it',
    },
  ],

  async run(context, { agent, file }) {
    await seenActing(context, agent)
    return (await openCirce(context)).settling.ack(agent, file)
  },
})

export const circeDone = defineOperation({
  name: 'done',
  summary: 'Be done with a message: it leaves inbox or workspace, and LOGS/ keeps it.',
  more: 'This does not complete its task: `circe status` does.',
  input: { agent, file },
  outcomes: { handled: 'done', unchanged: 'done' },
  output: { handled: changedMessage, unchanged: changedMessage },
  effects: 'writes',
  isRepeatable: true,
  examples: [{ command: 'circe done --as qa 20251106_153022_engineer-qa_test_FEAT-021.md', does: 'put it away' }],

  async run(context, { agent, file }) {
    await seenActing(context, agent)
    return (await openCirce(context)).settling.done(agent, file)
  },
})
