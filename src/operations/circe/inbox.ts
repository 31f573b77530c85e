import { withoutUndefined } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { agent, expectSameAgent, openCirce, wait } from './fields.ts'

export const circeInbox = defineOperation({
  name: 'inbox',
  summary: 'List what there is for an agent: waiting, claimed and being worked on.',
  more: 'Nothing is taken. Exit status 1 means that there is nothing.',
  input: { agent, wait },
  lists: { messages: 'first', rejected: 'first' },
  outcomes: { listed: 'done', empty: 'nothing' },
  examples: [
    { command: 'circe inbox engineer', does: 'see what there is' },
    { command: 'circe inbox engineer --wait 60', does: 'wait until there is something' },
  ],

  async run(context, { agent, wait }) {
    await expectSameAgent(context, agent)
    const circe = await openCirce(context)
    const inbox = await circe.inbox(agent, withoutUndefined({ waitMs: wait }))
    return { ...inbox, notices: inbox.outcome === 'empty' ? await circe.noticesAboutReader(agent) : [] }
  },
})
