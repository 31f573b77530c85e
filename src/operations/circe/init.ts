import { list, text } from '../../kernel/field.ts'
import { oneOf } from '../../kernel/shape.ts'
import { defineOperation } from '../define.ts'
import { durability } from '../shapes.ts'
import { openCirce } from './fields.ts'

const initialised = {
  agents: [{ outcome: oneOf('created', 'unchanged'), agent: 'text', path: 'text' }],
  durability,
} as const

export const circeInit = defineOperation({
  name: 'init',
  summary: 'Make the inbox and the workspace of agents.',
  more:
    'Repeating it changes nothing. Agents compare without case. `all` means everybody and `rooster` the person, so nobody ' +
    'can be called that.',
  input: {
    agents: list('The names: letters, digits, `.`, `_` and `-`, at most 64.', text('An agent.'), {
      positional: true,
      required: true,
      placeholder: 'AGENT',
    }),
  },
  outcomes: { created: 'done', unchanged: 'done' },
  output: { created: initialised, unchanged: initialised },
  effects: 'writes',
  isRepeatable: true,
  examples: [{ command: 'circe init coordinator engineer qa', does: 'make three agents' }],

  async run(context, { agents }) {
    const made = await (await openCirce(context)).agents.init(...agents)
    const { durability } = await context.configuration()
    const isNew = made.some(({ outcome }) => outcome === 'created')
    return { outcome: isNew ? 'created' : 'unchanged', agents: made, durability } as const
  },
})
