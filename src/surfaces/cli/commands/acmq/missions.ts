import { missions } from '../../../../operations/acmq/missions.ts'
import { commandFace } from '../../command.ts'
import { grid } from '../../grid.ts'

export const missionsFace = commandFace(missions, ({ missions: lines }, screen) => {
  if (lines.length === 0) return 'There is no mission yet. Make one: acmq create-mission NAME\n'
  return grid(
    lines,
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
    screen,
  )
})
