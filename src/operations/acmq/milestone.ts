import { flag, text } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { durability } from '../shapes.ts'
import { mission, openMission } from './mission.ts'
import { milestones } from './shapes.ts'

const ticked = { mission: 'text', milestones, durability } as const

export const milestone = defineOperation({
  name: 'milestone',
  summary: 'Tick a milestone in the manifest, or take the tick back.',
  input: {
    mission,
    text: text('The milestone: its text, an unmistakable part of it, or its number.', {
      positional: true,
      required: true,
      expected: 'the text of a milestone in the manifest, or its number',
    }),
    undo: flag('Take the tick back.'),
  },
  lists: { milestones: 'first' },
  outcomes: { ticked: 'done', unchanged: 'done' },
  output: { ticked, unchanged: ticked },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    { command: 'acmq milestone alpha "First draft"', does: 'tick it' },
    { command: 'acmq milestone alpha "First draft" --undo', does: 'take the tick back' },
  ],

  async run(context, { mission, text, undo }) {
    const opened = await openMission(context, mission)
    const { outcome, manifest } = await (await opened.documents()).milestone(text, !undo)
    const { durability } = await context.configuration()
    return { outcome, mission: opened.address, milestones: manifest.milestones, durability }
  },
})
