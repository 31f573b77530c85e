import { withoutUndefined } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { agent, openCirce, wait } from './fields.ts'

export const circeInbox = defineOperation({
  name: 'inbox',
  summary: 'List what there is for an agent: waiting, claimed and being worked on.',
  more: 'Nothing is taken. With --wait, exit status 1 means that nothing came.',
  input: { agent, wait },
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
