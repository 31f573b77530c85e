import { inputs } from '../../kernel/call.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { flag, integer, text } from '../../kernel/field.ts'
import { oneOf } from '../../kernel/shape.ts'
import { defineOperation } from '../define.ts'
import { mission, openMission } from './mission.ts'
import { message } from './shapes.ts'

const found = {
  mission: 'text',
  hits: [{ message, score: 'number', by: [oneOf('words', 'meaning')] }],
  leftOut: 'integer',
  provider: 'text',
} as const

export const search = defineOperation({
  name: 'search',
  summary: 'Find messages by their words and by what they mean, archived ones too.',
  more:
    'How alike words and meaning are is added up; each hit says by which it was found, and what is hardly alike is none. Meanings ' +
    'are compared by a sentence model that comes with Signalbox and knows English, or by the endpoint that `models` is set to. ' +
    'What it has not read yet is ranked by words: `acmq supervise` goes on with it.',
  input: {
    mission,
    query: text('What to look for.', {
      positional: true,
      required: true,
      placeholder: 'TEXT',
      expected: 'words to look for, such as "database performance"',
    }),
    limit: integer('At most so many; how many were left out is told.', { least: 1, default: 10 }),
    words: flag('Only by words.'),
    meaning: flag('Only by meaning.'),
  },
  outcomes: { found: 'done', nothing: 'nothing' },
  output: { found, nothing: found },
  effects: 'reads',
  examples: [
    { command: 'acmq search alpha "database performance"', does: 'the best ten' },
    { command: 'acmq search alpha "login fails" --words --limit 3', does: 'only what has these words' },
  ],

  async run(context, { mission, query, limit, words, meaning }) {
    if (words && meaning) {
      throw invalidInput('CONTRADICTION', 'Only by words and only by meaning: that is nothing.', {
        hint: `Leave out ${inputs({ words })} or ${inputs({ meaning })}; without either both count.`,
      })
    }
    const opened = await openMission(context, mission)
    const only = words ? ({ only: 'words' } as const) : meaning ? ({ only: 'meaning' } as const) : {}
    const { hits, leftOut, provider, instead } = await (await opened.memory()).search(query, { limit, ...only })
    if (instead !== undefined) context.report.notice(instead)
    const outcome = hits.length === 0 ? 'nothing' : 'found'
    return { outcome, mission: opened.address, hits, leftOut, provider } as const
  },
})
