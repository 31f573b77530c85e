import { invalidInput } from '../../kernel/errors.ts'
import { text } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { file, openCirce } from './fields.ts'

export const circeAnswer = defineOperation({
  name: 'answer',
  summary: 'Answer a message: one answer goes to whoever asked.',
  more:
    'As a person (ROOSTER), unless --as names an agent that the message went to. The same words again change nothing; others ' +
    'are a conflict (exit status 4).',
  input: {
    file,
    body: text('The answer; `-` is standard input.', {
      required: true,
      longText: 'standard-input',
      placeholder: 'TEXT',
      expected: 'the words of the answer, or `-`',
    }),
  },
  outcomes: { answered: 'done', unchanged: 'done' },
  examples: [
    {
      command: 'circe answer 20251121_181500_engineer-coordinator_escalate_AUTH-012.md --body "RS256, with a cache"',
      does: 'answer a question',
    },
  ],

  async run(context, { file, body }) {
    if (body.trim() === '') throw invalidInput('MISSING_INPUT', 'The answer is empty.', { hint: 'Give --body TEXT.' })
    const { agent, origins } = await context.configuration()
    // Only an agent named by a flag of this command: the one in the settings does not answer for a person.
    const by = origins.agent === 'flag' ? agent : undefined
    return (await openCirce(context)).people.answer(file, { text: body, ...(by === undefined ? {} : { by }) })
  },
})
