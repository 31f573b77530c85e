import { choice, integer, withoutUndefined } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { mission, openMission } from './mission.ts'

export const graph = defineOperation({
  name: 'graph',
  summary: 'Draw which message waits for which, with their states.',
  input: {
    mission,
    format: choice('How to draw it.', ['mermaid', 'dot', 'json'], { default: 'mermaid' }),
    limit: integer('At most so many messages, unfinished ones first; how many were left out is told.', { least: 1 }),
  },
  outcomes: { drawn: 'done' },
  examples: [
    { command: 'acmq graph alpha', does: 'for Markdown that shows Mermaid' },
    { command: 'acmq graph alpha --format dot | dot -Tsvg > graph.svg', does: 'as a picture' },
  ],

  async run(context, { mission, format, limit }) {
    const opened = await openMission(context, mission)
    const drawn = await (await opened.documents()).graph(format, withoutUndefined({ limit }))
    const graph: unknown = format === 'json' ? JSON.parse(drawn) : drawn
    return { outcome: 'drawn', mission: opened.address, format, graph } as const
  },
})
