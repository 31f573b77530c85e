/** The commands that tell how full and how fast inboxes are. */
import { mrMetrics, mrStatus } from '../../../../operations/mr/status.ts'
import { commandFace } from '../../command.ts'
import { type Column, grid } from '../../grid.ts'
import { ageOf, alertLines, noticesAndAlerts, unreadableLines } from '../../lines.ts'
import { fieldList } from '../../message.ts'
import type { Screen } from '../../terminal.ts'

type Agent = Awaited<ReturnType<typeof mrStatus.invoke>>['agents'][number]

const barWidth = 20

export const statusFace = commandFace(
  mrStatus,
  ({ agents, alerts }, screen) => {
    const alarmed = new Set(alerts.map(({ agent }) => agent))
    const none = 'There is no agent yet. Make one: signalbox mr init coder-1\n'
    return grid(agents, columns(alarmed, screen), screen) || screen.next(none)
  },
  {
    aside: (output, screen) =>
      unreadableLines(
        output.agents.flatMap(({ unreadable }) => unreadable),
        screen,
      ) + noticesAndAlerts(output, screen),
  },
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
  ...(['taken', 'evicted', 'rejected'] as const).map(counted),
]

const bar = (alarmed: ReadonlySet<string | undefined>): Column<Agent> => ({
  title: '',
  text: ({ depth, limit }) => {
    const full = depth === 0 ? 0 : Math.max(1, Math.min(barWidth, Math.round((depth / limit) * barWidth)))
    return '█'.repeat(full) + '░'.repeat(barWidth - full)
  },
  colour: ({ agent, depth }) => (alarmed.has(agent) ? 'red' : depth === 0 ? 'dim' : 'green'),
})

const counted = (title: 'taken' | 'evicted' | 'rejected'): Column<Agent> => ({
  title,
  text: (agent) => (agent[title] === 0 ? '·' : String(agent[title])),
  colour: (agent) => (agent[title] === 0 ? 'dim' : title === 'taken' ? undefined : 'yellow'),
})

type Told = Awaited<ReturnType<typeof mrMetrics.invoke>>
type Latency = Told['metrics']['message_write_latency_ms']

export const metricsFace = commandFace(
  mrMetrics,
  (told, screen) =>
    (told.format ?? (screen.isTerminal ? 'table' : 'prometheus')) === 'table' ? table(told, screen) : told.prometheus,
  { aside: alertLines },
)

function table({ metrics }: Told, screen: Screen): string {
  const { message_write_latency_ms, message_read_latency_ms, inbox_depth, eviction_count } = metrics
  const latencies = grid(
    Object.entries({ message_write_latency_ms, message_read_latency_ms }),
    [
      { title: 'milliseconds', text: ([name]) => name },
      { title: 'count', text: ([, { count }]) => String(count), colour: () => 'bold' },
      ...(['p50', 'p90', 'p99', 'max', 'mean'] as const).map(column),
    ],
    screen,
  )
  const depths = Object.entries(inbox_depth)
  const inboxes = grid(
    depths,
    [
      { title: 'inbox_depth', text: ([agent]) => agent },
      { title: 'messages', text: ([, depth]) => String(depth), colour: () => 'bold' },
    ],
    screen,
  )
  const evictions = fieldList([['eviction_count', String(eviction_count)]], screen)
  return [latencies, inboxes, evictions].filter((part) => part !== '').join('\n')
}

const column = (key: keyof Latency): Column<[string, Latency]> => ({
  title: key,
  text: ([, latency]) => latency[key]?.toFixed(2) ?? '·',
})
