import { text, withoutUndefined } from '../../kernel/field.ts'
import { actorOf, defineOperation } from '../define.ts'
import { noticesAbout } from '../stores.ts'
import { mission, openMission } from './mission.ts'
import { busDocuments } from './shapes.ts'

const made = { mission: 'text', documents: busDocuments } as const

export const bus = defineOperation({
  name: 'bus',
  summary: 'Digest related messages into bus documents in `findings/`: a table, a summary and the whole log.',
  more:
    'Without --query: of messages about similar things, of finished dependency chains, and of milestones that are ticked. A ' +
    'document keeps its name and is renewed as its messages change; one that you changed is left alone. With --by, an agent ' +
    'is asked once, through the queue, to write the summary, and its result is put in by the next `bus` or supervision.',
  input: {
    mission,
    query: text('A document of what this finds, by words and by meaning.', { placeholder: 'TEXT' }),
    by: text('Who shall write the summaries.', { placeholder: 'AGENT' }),
  },
  lists: { documents: 'first' },
  outcomes: { made: 'done', unchanged: 'done', asked: 'done', nothing: 'nothing' },
  output: { made, unchanged: made, asked: made, nothing: made },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    { command: 'acmq bus alpha', does: 'of everything that belongs together' },
    { command: 'acmq bus alpha --query "database performance"', does: 'of what a query finds' },
    { command: 'acmq bus alpha --query login --by gemini', does: 'with a summary written by gemini' },
  ],

  async run(context, { mission, query, by }) {
    const opened = await openMission(context, mission)
    const unseen = await noticesAbout(context, by)
    for (const notice of unseen) context.report.notice(notice)
    const options = withoutUndefined({ query, by, from: await actorOf(context) })
    const { outcome, documents, instead } = await (await opened.memory()).bus(options)
    if (instead !== undefined) context.report.notice(instead)
    return { outcome, mission: opened.address, documents } as const
  },
})
