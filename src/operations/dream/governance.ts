/** The log of significant events. */
import { text } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { durability, notices } from '../shapes.ts'
import { actorFlag, compat, openDream, requiredJson, since } from './fields.ts'

export const governanceAdd = defineOperation({
  name: 'add',
  summary: 'Write an event into the governance log.',
  input: {
    type: text('What happened, such as DECISION_MADE.', {
      positional: true,
      required: true,
      placeholder: 'TYPE',
      expected: 'a type of event, such as DECISION_MADE',
    }),
    agent: actorFlag,
    details: requiredJson('What there is to know of it: a JSON object.'),
  },
  outcomes: { added: 'done' },
  output: { added: { event: 'record', durability } },
  effects: 'writes',
  examples: [
    {
      command: `dream governance add DECISION_MADE --as Agent_0 --details '{"what": "Use SQLite"}'`,
      does: 'remember it',
    },
  ],

  async run(context, { type, agent, details }) {
    const store = await openDream(context)
    const { event, durability } = await store.logs.add(type, agent, store.given.objectFrom(details, 'The details'))
    return { outcome: 'added', event, durability } as const
  },
})

const found = { events: ['record'], notices } as const

export const governanceQuery = defineOperation({
  name: 'query',
  summary: 'Find events in the governance log, by type, agent and time.',
  input: {
    type: text('Only of this type.', { placeholder: 'TYPE' }),
    agent: text('Only of this agent.', { placeholder: 'AGENT' }),
    since,
    compat,
  },
  lists: { events: 'last' },
  outcomes: { found: 'done', nothing: 'nothing' },
  output: { found, nothing: found },
  effects: 'reads',
  examples: [{ command: 'dream governance query --type MAILBOX_TAKEN_OVER --since 2026-01-31', does: 'who took over' }],

  async run(context, { type, agent, since, compat }) {
    const store = await openDream(context, compat)
    const from = store.given.timeFrom(since)
    const { events, unreadable } = await store.logs.events({
      ...(type === undefined ? {} : { type }),
      ...(agent === undefined ? {} : { agent }),
      ...(from === undefined ? {} : { since: from }),
    })
    const notices = unreadable === 0 ? [] : [`${unreadable} line${unreadable === 1 ? '' : 's'} could not be read.`]
    return { outcome: events.length > 0 ? 'found' : 'nothing', events, notices } as const
  },
})
