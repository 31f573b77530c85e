import { duration, withoutUndefined } from '../../kernel/field.ts'
import { tellClock } from '../clock-agreement.ts'
import { actorOf, defineOperation } from '../define.ts'
import { durability } from '../shapes.ts'
import { mission, openMission } from './mission.ts'

const archived = { mission: 'text', archived: 'integer', durability } as const

export const archive = defineOperation({
  name: 'archive',
  summary: 'Pack messages that were completed a while ago.',
  more: 'They stay findable by `show` and `list --queue archive`, and what depends on them stays fulfilled.',
  input: {
    mission,
    olderThan: duration('Only what was completed longer ago than this; 7d unless configured.', {
      least: 0,
      needsUnit: true,
    }),
  },
  outcomes: { archived: 'done', nothing: 'done' },
  output: { archived, nothing: archived },
  effects: 'writes',
  isRepeatable: true,
  examples: [{ command: 'acmq archive alpha --older-than 7d', does: 'pack what is older than a week' }],

  async run(context, { mission, olderThan }) {
    const opened = await openMission(context, mission)
    await tellClock(context)
    const { durability } = await context.configuration()
    const onProgress = (done: number, total: number) => context.report.progress('packing', done, total)
    const options = withoutUndefined({ olderThanMs: olderThan, by: await actorOf(context), onProgress })
    const { outcome, archived } = await (await opened.upkeep()).archive(options)
    return { outcome, mission: opened.address, archived, durability }
  },
})
