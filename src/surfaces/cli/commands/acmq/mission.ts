/** The commands for a mission itself: make one, see all, tick a milestone. */
import { printableLine } from '../../../../kernel/printable.ts'
import { milestone } from '../../../../operations/acmq/milestone.ts'
import { createMission, missions } from '../../../../operations/acmq/missions.ts'
import { commandFace } from '../../command.ts'
import { tableFace } from '../../grid.ts'

export const createMissionFace = commandFace(createMission, ({ outcome, mission, path, manifest }, { paint }) => {
  const name = paint('bold', printableLine(mission))
  if (outcome === 'unchanged') return `Mission ${name} is there already: ${printableLine(path)}\n`
  return `Made mission ${name}: ${printableLine(path)}\nSay what it is for in ${printableLine(manifest)}\n`
})

export const missionsFace = tableFace(
  missions,
  ({ missions: lines }) => lines,
  'There is no mission yet. Make one: acmq create-mission alpha',
  [
    { title: 'mission', text: ({ mission }) => mission, colour: () => 'bold' },
    { title: 'pending', text: ({ counts }) => String(counts.pending) },
    { title: 'processing', text: ({ counts }) => String(counts.processing) },
    { title: 'completed', text: ({ counts }) => String(counts.completed) },
    {
      title: 'failed',
      text: ({ counts }) => String(counts.failed),
      colour: ({ counts }) => (counts.failed > 0 ? 'red' : undefined),
    },
    { title: 'objective', text: ({ objective }) => objective.split('\n', 1)[0]! },
  ],
)

export const milestoneFace = commandFace(milestone, ({ outcome, milestones }, { paint }) => {
  const lines = milestones.map(
    ({ title, done }) => `  ${done ? paint('green', '[x]') : '[ ]'} ${printableLine(title)}\n`,
  )
  return `${outcome === 'unchanged' ? 'That is so already' : 'Changed'}:\n${lines.join('')}`
})
