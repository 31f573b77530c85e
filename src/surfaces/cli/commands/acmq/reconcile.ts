import { printableLine } from '../../../../kernel/printable.ts'
import { reconcile } from '../../../../operations/acmq/reconcile.ts'
import { commandFace } from '../../command.ts'
import { grid } from '../../grid.ts'
import type { Screen } from '../../terminal.ts'
import { hydrationText, leftOutLines } from './hydration-text.ts'
import { fieldList } from './message-text.ts'

type Output = Awaited<ReturnType<typeof reconcile.invoke>>

export const reconcileFace = commandFace(reconcile, show, {
  aside: ({ hydration }, screen) => (hydration ? leftOutLines(hydration, screen) : ''),
})

function show({ mission, counts, manifest, mine, repairs, hydration }: Output, screen: Screen): string {
  const { paint } = screen
  const queues = Object.entries(counts).map(([queue, count]) => `${count} ${queue}`)
  const goal = manifest?.objective.split('\n', 1)[0] ?? ''
  const facts = fieldList(
    [['mission', mission], ...(goal === '' ? [] : [['objective', goal] as const]), ['messages', queues.join(', ')]],
    screen,
  )
  const held = grid(
    mine,
    [
      { title: 'you hold', text: ({ message }) => message.id, colour: () => 'bold' },
      { title: 'attempt', text: ({ message }) => String(message.attempt) },
      {
        title: 'time',
        text: ({ isStalled }) => (isStalled ? 'run out' : 'running'),
        colour: ({ isStalled }) => (isStalled ? 'yellow' : undefined),
      },
      { title: 'summary', text: ({ message }) => message.summary },
    ],
    screen,
  )
  const put = repairs.map(
    ({ what, path, message }) => `${paint('cyan', what)} ${printableLine(path)}: ${printableLine(message)}\n`,
  )
  return `${facts}${held}${put.join('')}${hydration ? `\n${hydrationText(hydration)}` : ''}`
}
