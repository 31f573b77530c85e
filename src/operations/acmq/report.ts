import { choice, integer, text, withoutUndefined } from '../../kernel/field.ts'
import { reportModes } from '../../protocols/ac-mq/index.ts'
import { actorOf, defineOperation } from '../define.ts'
import { noticesAbout } from '../stores.ts'
import { mission, openMissions } from './mission.ts'
import { reportMode } from './shapes.ts'

const reported = {
  mission: 'text',
  mode: reportMode,
  document: 'text',
  tokens: 'integer',
  isShortened: 'flag',
  writtenBy: 'text',
  'path?': 'text',
  'parts?': 'integer',
  'asked?': 'text',
  'instead?': 'advice',
} as const

export const report = defineOperation({
  name: 'report',
  summary: 'Report on a mission: every message in order, the state of things, or the whole story.',
  more:
    '`bottom-up` has every message of the mission and of those inside it, archived ones too. `top-down` is for those who decide: ' +
    'progress, findings, artifacts. `holistic` tells why, what and how. Each has figures, a timeline and the graph of ' +
    'dependencies, and links to its sources. With --by, an agent is asked once, through the queue, to write it; without it, the ' +
    'model that is configured writes the latter two, if one is.',
  input: {
    mission,
    mode: choice('Which report.', reportModes, { required: true }),
    out: text('Keep it in the mission, such as findings/report.md; without it, it is printed.', {
      placeholder: 'FILE',
    }),
    by: text('Who shall write it.', { placeholder: 'AGENT' }),
    budget: integer('At most about so many tokens.', { least: 1, placeholder: 'TOKENS' }),
  },
  outcomes: { reported: 'done', asked: 'done' },
  output: { reported, asked: reported },
  effects: 'writes',
  examples: [
    { command: 'acmq report alpha --mode top-down', does: 'where it stands' },
    { command: 'acmq report alpha --mode holistic --out findings/story.md', does: 'the story, kept in the mission' },
    {
      command: 'acmq report alpha --mode top-down --by gemini --budget 2000',
      does: 'written by gemini, within a budget',
    },
  ],

  async run(context, { mission, mode, out, by, budget }) {
    const [opened, ...inner] = await (await openMissions(context)).within(mission)
    const unseen = await noticesAbout(context, by)
    for (const notice of unseen) context.report.notice(notice)
    const options = withoutUndefined({ out, by, budgetTokens: budget, from: await actorOf(context) })
    const written = await (await opened.memory()).report({ mode, ...options }, inner)
    if (written.instead !== undefined) context.report.notice(written.instead)
    return { ...written, mission: opened.address }
  },
})
