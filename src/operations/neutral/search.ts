import { inputs } from '../../kernel/call.ts'
import { stages } from '../../kernel/envelope.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { choice, flag, integer, text, withoutUndefined } from '../../kernel/field.ts'
import { oneOf } from '../../kernel/shape.ts'
import { busOf } from '../bus.ts'
import { defineOperation } from '../define.ts'
import { momentFrom } from '../moment.ts'
import { protocols } from '../protocols.ts'
import { envelope } from '../shapes.ts'
import { told } from './fields.ts'

const searched = {
  hits: [{ message: envelope, score: 'number', by: [oneOf('words', 'meaning')], excerpt: 'text' }],
  'leftOut?': 'integer',
  'overBudget?': 'integer',
  'provider?': 'text',
} as const

export const search = defineOperation({
  name: 'search',
  summary: 'Find messages of all protocols by their words and by what they mean.',
  more:
    'Waiting, taken, finished, logged and archived ones. How alike words and meaning are is added up; each hit says by which it was ' +
    'found, and what is hardly alike is none. Meanings are compared by a sentence model that comes with Signalbox and knows English, or ' +
    'by the endpoint that `models` is set to; it reads the newest messages first and goes on at the next search. What it has read is kept ' +
    'in .signalbox/cache/, which can be deleted.',
  input: {
    query: text('What to look for.', {
      positional: true,
      required: true,
      placeholder: 'TEXT',
      expected: 'words to look for, such as "database performance"',
    }),
    from: text('Only what this agent sent.', { placeholder: 'AGENT', longest: 1024 }),
    to: text('Only what was sent to this agent.', { placeholder: 'AGENT', longest: 1024 }),
    since: text('Only what was sent since then: a time, or how long ago, such as 7d.', {
      placeholder: 'TIME',
      longest: 200,
    }),
    protocol: choice(
      'Only of this protocol.',
      protocols.map(({ name }) => name),
      { placeholder: 'PROTOCOL' },
    ),
    stage: choice('Only what has come this far.', stages, { placeholder: 'STAGE' }),
    limit: integer('At most so many; how many were left out is told.', { least: 1, default: 10 }),
    budget: integer('At most about so many tokens of text: excerpts are cut, then hits left out.', {
      least: 1,
      placeholder: 'TOKENS',
    }),
    words: flag('Only by words.'),
    meaning: flag('Only by meaning.'),
  },
  outcomes: { found: 'done', nothing: 'nothing' },
  output: { found: searched, nothing: searched },
  effects: 'reads',
  examples: [
    { command: 'search "database performance"', does: 'the best ten of all protocols' },
    { command: 'search "login fails" --to gemini --since 7d --budget 500', does: 'what gemini was told this week' },
  ],

  async run(context, { query, since, budget, words, meaning, ...asked }) {
    if (words && meaning) {
      throw invalidInput('CONTRADICTION', 'Only by words and only by meaning: that is nothing.', {
        hint: `Leave out ${inputs({ words: true })} or ${inputs({ meaning: true })}; without either both count.`,
      })
    }
    const { searchMessages } = await import('../../bridge/search.ts')
    const bus = await busOf(context)
    const only = words ? 'words' : meaning ? 'meaning' : undefined
    const from = since === undefined ? undefined : momentFrom(since, await bus.tree.now())
    const wanted = withoutUndefined({ ...asked, since: from, only, budgetTokens: budget } as const)
    const { hits, notices, ...found } = await searchMessages(bus, context, query, wanted)
    for (const notice of notices) context.report.notice(notice)
    const outcome = hits.length === 0 ? 'nothing' : 'found'
    return { outcome, hits: hits.map((hit) => ({ ...hit, message: told(hit.message) })), ...found } as const
  },
})
