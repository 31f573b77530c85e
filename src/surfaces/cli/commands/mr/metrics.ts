import { mrMetrics } from '../../../../operations/mr/metrics.ts'
import { commandFace } from '../../command.ts'
import { fieldList } from '../../field-list.ts'
import { type Column, grid } from '../../grid.ts'
import type { Screen } from '../../terminal.ts'
import { alertLines } from './asides.ts'

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
