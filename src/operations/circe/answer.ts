import { inputs } from '../../kernel/call.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { text } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { file, openCirce } from './fields.ts'
import { changedMessage } from './shapes.ts'

export const circeAnswer = defineOperation({
  name: 'answer',
  summary: 'Answer a message: one answer goes to whoever asked.',
  more:
    'As a person (ROOSTER), unless `as` names an agent that the message went to. The same words again change nothing; other words ' +
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
  output: { answered: changedMessage, unchanged: changedMessage },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    {
      command: 'circe answer 20251121_181500_engineer-coordinator_escalate_AUTH-012.md --body "RS256, with a cache"',
      does: 'answer a question',
    },
  ],

  async run(context, { file, body }) {
    if (body.trim() === '') {
      const hint = `Give ${inputs({ body: 'TEXT' })}.`
      throw invalidInput('MISSING_INPUT', 'The answer is empty.', { hint })
    }
    const actor = await context.actor()
    // Only an agent that the call names: the one in the settings does not answer for a person.
    const by = actor?.isNamedByCall ? { by: actor.name } : {}
    return (await openCirce(context)).people.answer(file, { text: body, ...by })
  },
})
