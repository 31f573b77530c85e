/** The shared mailboxes and their agents. */
import { integer } from '../../kernel/field.ts'
import { defineOperation, whoActs } from '../define.ts'
import { durability, notices } from '../shapes.ts'
import { actorFlag, actorOr, compat, mailbox, openDream } from './fields.ts'
import { changedMailbox, mailboxLine } from './shapes.ts'

const made = { mailboxes: ['integer'], made: ['integer'], durability } as const
const claimed = { mailbox: 'integer', agent: 'text', durability } as const
const packed = { ...changedMailbox, notices } as const

export const mailboxInit = defineOperation({
  name: 'init',
  summary: 'Make shared mailboxes, with the numbers 1 to N.',
  more: 'Those that are there stay as they are.',
  input: {
    count: integer('How many there should be.', {
      positional: true,
      required: true,
      least: 1,
      most: 999,
      placeholder: 'N',
    }),
  },
  outcomes: { created: 'done', unchanged: 'done' },
  output: { created: made, unchanged: made },
  effects: 'writes',
  isRepeatable: true,
  examples: [{ command: 'dream mailbox init 4', does: 'make mailboxes 1 to 4' }],

  run: async (context, { count }) => (await openDream(context)).mailboxes.init(count),
})

export const mailboxClaim = defineOperation({
  name: 'claim',
  summary: 'Take a mailbox: a free one, or one whose agent has not been seen for five minutes.',
  more: 'The lowest number first. An agent that has one gets that again. A takeover is told in the governance log.',
  input: { agent: actorFlag, compat },
  outcomes: { claimed: 'done', 'taken-over': 'done', unchanged: 'done', nothing: 'nothing' },
  output: { claimed, 'taken-over': { ...claimed, from: 'text' }, unchanged: claimed, nothing: {} },
  effects: 'writes',
  isRepeatable: true,
  examples: [{ command: 'dream mailbox claim --as RefactorAgent', does: 'get a mailbox' }],

  run: async (context, { agent, compat }) => (await openDream(context, compat)).mailboxes.claim(agent),
})

export const mailboxHeartbeat = defineOperation({
  name: 'heartbeat',
  summary: 'Say that the agent of a mailbox lives, and still works on what it has in hand.',
  input: { mailbox, compat },
  outcomes: { refreshed: 'done' },
  output: { refreshed: changedMailbox },
  effects: 'writes',
  isRepeatable: true,
  examples: [{ command: 'dream mailbox heartbeat --mailbox 1 --as RefactorAgent', does: 'keep it' }],

  run: async (context, { mailbox, compat }) =>
    (await openDream(context, compat)).mailboxes.heartbeat(mailbox, await whoActs(context)),
})

export const mailboxRelease = defineOperation({
  name: 'release',
  summary: 'Give a mailbox up; what was in hand is given to whoever comes next.',
  input: { mailbox, compat },
  outcomes: { released: 'done', unchanged: 'done' },
  output: { released: changedMailbox, unchanged: changedMailbox },
  effects: 'writes',
  isRepeatable: true,
  examples: [{ command: 'dream mailbox release --mailbox 1 --as RefactorAgent', does: 'let others have it' }],

  run: async (context, { mailbox, compat }) =>
    (await openDream(context, compat)).mailboxes.release(mailbox, await whoActs(context)),
})

export const mailboxCompact = defineOperation({
  name: 'compact',
  summary: 'Move processed messages of more than a week ago out of a mailbox, into a file beside it.',
  more: 'One that has become too large for others to read gives up all that is processed. Their ids are remembered for 30 days more.',
  input: { mailbox, compat },
  outcomes: { packed: 'done', unchanged: 'done' },
  output: { packed, unchanged: packed },
  effects: 'writes',
  isRepeatable: true,
  examples: [{ command: 'dream mailbox compact --mailbox 1', does: 'make it smaller' }],

  run: async (context, { mailbox, compat }) =>
    (await openDream(context, compat)).messages.compact(mailbox, await actorOr(context, 'User')),
})

export const mailboxList = defineOperation({
  name: 'list',
  summary: 'Show the mailboxes: whose they are, how they stand, what is wrong with them.',
  input: { compat },
  lists: { mailboxes: 'first' },
  outcomes: { listed: 'done' },
  output: { listed: { mailboxes: [mailboxLine] } },
  effects: 'reads',
  examples: [{ command: 'dream mailbox list', does: 'look at all of them' }],

  async run(context, { compat }) {
    const lines = await (await openDream(context, compat)).mailboxes.list()
    const mailboxes = lines.map(({ status, agent, lastSeenAt, problems, notes, ...line }) => ({
      ...line,
      notices: [...problems, ...notes],
      status: status ?? null,
      agent: agent ?? null,
      lastSeenAt: lastSeenAt ?? null,
    }))
    return { outcome: 'listed', mailboxes } as const
  },
})
