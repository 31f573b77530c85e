import { mrStatus } from '../../../../operations/mr/status.ts'
import { ageOf } from '../../ages.ts'
import { commandFace } from '../../command.ts'
import { type Column, grid } from '../../grid.ts'
import { noticeLines } from '../../notices.ts'
import type { Screen } from '../../terminal.ts'
import { alertLines } from './asides.ts'

type Agent = Awaited<ReturnType<typeof mrStatus.invoke>>['agents'][number]

const barWidth = 20

export const statusFace = commandFace(
  mrStatus,
  ({ agents, alerts }, screen) => {
    if (agents.length === 0) return 'There is no agent yet. Make one: signalbox mr init AGENT\n'
    const alarmed = new Set(alerts.map(({ agent }) => agent))
    return grid(agents, columns(alarmed, screen), screen)
  },
  { aside: (output, screen) => noticeLines(output, screen) + alertLines(output, screen) },
)

const columns = (alarmed: ReadonlySet<string | undefined>, screen: Screen): Column<Agent>[] => [
  { title: 'agent', text: ({ agent }) => agent, colour: () => 'bold' },
  {
    title: 'inbox',
    text: ({ depth, limit }) => `${depth} of ${limit}`,
    colour: ({ agent }) => (alarmed.has(agent) ? 'red' : undefined),
  },
  // Bars for people; a program that reads text gets the numbers alone.
  ...(screen.isTerminal ? [bar(alarmed)] : []),
  { title: 'oldest', text: ({ oldest }) => (oldest ? ageOf(oldest.ageMs / 1000) : '·') },
  ...counted('taken', ({ taken }) => taken),
  ...counted('evicted', ({ evicted }) => evicted),
  ...counted('rejected', ({ rejected }) => rejected),
]

const bar = (alarmed: ReadonlySet<string | undefined>): Column<Agent> => ({
  title: '',
  text: ({ depth, limit }) => {
    const full = depth === 0 ? 0 : Math.max(1, Math.min(barWidth, Math.round((depth / limit) * barWidth)))
    return '█'.repeat(full) + '░'.repeat(barWidth - full)
  },
  colour: ({ agent, depth }) => (alarmed.has(agent) ? 'red' : depth === 0 ? 'dim' : 'green'),
})

const counted = (title: string, countOf: (agent: Agent) => number): Column<Agent>[] => [
  {
    title,
    text: (agent) => (countOf(agent) === 0 ? '·' : String(countOf(agent))),
    colour: (agent) => (countOf(agent) === 0 ? 'dim' : title === 'taken' ? undefined : 'yellow'),
  },
]
