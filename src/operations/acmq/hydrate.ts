import { integer, text, withoutUndefined } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { mission, openMission } from './mission.ts'
import { hydration } from './shapes.ts'

export const hydrate = defineOperation({
  name: 'hydrate',
  summary: 'Print what an agent should read before it works, as one document.',
  more:
    'The manifests, the files they point to and, with ID, a message and the files it depends on. Every text is quoted with ' +
    'its source. What did not fit or could not be read is told on standard error.',
  input: {
    mission,
    id: text('A message: then it is included too, with the files it depends on.', {
      positional: true,
      placeholder: 'ID',
    }),
    budget: integer('At most about so many tokens.', { least: 1, placeholder: 'TOKENS' }),
  },
  outcomes: { hydrated: 'done' },
  output: { hydrated: { mission: 'text', ...hydration } },
  effects: 'reads',
  examples: [
    { command: 'acmq hydrate alpha', does: 'for the start of an agent' },
    { command: 'acmq hydrate alpha 1f2e3d4c --budget 8000', does: 'for one task, within a budget' },
  ],

  async run(context, { mission, id, budget }) {
    const opened = await openMission(context, mission)
    const hydration = await (await opened.documents()).hydrate(withoutUndefined({ id, budgetTokens: budget }))
    return { outcome: 'hydrated', mission: opened.address, ...hydration } as const
  },
})
