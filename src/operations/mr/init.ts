import { flag, text } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { durability, notices } from '../shapes.ts'
import { openRouting } from './fields.ts'

const initialised = { agent: 'text', path: 'text', sequencesReset: 'integer', durability, notices } as const

export const mrInit = defineOperation({
  name: 'init',
  summary: 'Make the inbox of an agent, so that others can see that it is there.',
  more:
    'Repeating it changes nothing. With `reset` the numbers of the messages it sends begin at 1 again; messages stay ' +
    'where they are, and receivers report a restart instead of a loss.',
  input: {
    agent: text('The name: lower-case letters, digits, dashes and underscores, at most 64.', {
      positional: true,
      required: true,
      expected: 'a name for the agent, such as coder-1',
    }),
    reset: flag('Number what it sends from 1 again.'),
  },
  outcomes: { created: 'done', reset: 'done', unchanged: 'done' },
  output: { created: initialised, reset: initialised, unchanged: initialised },
  // A reset removes the counters.
  effects: 'destroys',
  isRepeatable: true,
  examples: [
    { command: 'mr init coder-1', does: 'make an agent' },
    { command: 'mr init coder-1 --reset', does: 'let it start over' },
  ],

  async run(context, { agent, reset }) {
    const { durability } = await context.configuration()
    return { ...(await (await openRouting(context)).agents.init(agent, { reset })), durability }
  },
})
