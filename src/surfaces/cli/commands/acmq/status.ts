import { printableLine } from '../../../../kernel/printable.ts'
import { status } from '../../../../operations/acmq/status.ts'
import { commandFace } from '../../command.ts'
import { type Column, grid } from '../../grid.ts'
import { ageOf, rejectedLines } from '../../lines.ts'
import { fieldList, type Row } from '../../message.ts'
import type { Colour, Screen } from '../../terminal.ts'

type Status = Awaited<ReturnType<typeof status.invoke>>
type Counts = Status['counts']

const queues = ['pending', 'processing', 'completed', 'failed'] as const
const colours: Readonly<Record<string, Colour>> = {
  pending: 'yellow',
  processing: 'cyan',
  completed: 'green',
  failed: 'red',
}
const mostShown = 10
const barWidth = 24

export const statusFace = commandFace(
  status,
  (told, screen) =>
    [
      title(told, screen),
      counts(told, screen),
      facts(told, screen),
      agents(told, screen),
      ...troubles(told, screen),
      below(told, screen),
    ]
      .filter((part) => part !== '')
      .join('\n'),
  { aside: rejectedLines },
)

function title({ mission, objective, manifestStatus, milestones }: Status, { paint }: Screen): string {
  const done = milestones.filter((milestone) => milestone.done).length
  const next = milestones.find((milestone) => !milestone.done)
  const goal = objective.split('\n', 1)[0]!
  const notes = [
    ...(manifestStatus === null ? [] : [manifestStatus]),
    ...(milestones.length > 0 ? [`${done} of ${milestones.length} milestones`] : []),
    ...(next ? [`next: ${next.title}`] : []),
  ]
  const heading = `${paint('bold', printableLine(mission))}${goal === '' ? '' : `  ${printableLine(goal)}`}\n`
  return notes.length === 0 ? heading : `${heading}${paint('dim', printableLine(notes.join(' · ')))}\n`
}

/** Bars for people; a program that reads text gets the numbers alone. */
function counts({ counts, archived }: Status, screen: Screen): string {
  const rows = [
    ...queues.map((queue) => ({ queue: queue as string, count: counts[queue] })),
    { queue: 'archived', count: archived },
  ]
  const most = Math.max(1, ...rows.map(({ count }) => count))
  const width = Math.max(...rows.map(({ count }) => String(count).length))
  const bar = (count: number) => (count === 0 ? '' : '█'.repeat(Math.max(1, Math.round((count / most) * barWidth))))
  const columns: Column<(typeof rows)[number]>[] = [
    { text: ({ queue }) => queue },
    { text: ({ count }) => String(count).padStart(width), colour: () => 'bold' },
    { text: ({ count }) => (screen.isTerminal ? bar(count) : ''), colour: ({ queue }) => colours[queue] ?? 'dim' },
  ]
  return grid(rows, columns, screen, '  ')
}

function facts(
  { oldestPending, completedLastHour, failedLastHour, total, subMissions, merging }: Status,
  screen: Screen,
): string {
  const rows: Row[] = [['last hour', `${completedLastHour} completed, ${failedLastHour} failed`]]
  if (oldestPending) {
    const { id, summary, ageSeconds } = oldestPending
    rows.unshift(['oldest pending', `${ageOf(ageSeconds)}, ${id}: ${summary}`])
  }
  const lately = merging.decisions.find(({ did }) => did === 'snapshot')
  if (lately) {
    const last = `${lately.queue} at ${lately.at}: ${lately.reason}`
    rows.push(['snapshots', `from ${merging.threshold} messages on, at ${merging.rate} an hour; last ${last}`])
  }
  if (subMissions.length > 0)
    rows.push(['with those inside', queues.map((queue) => `${total[queue]} ${queue}`).join(', ')])
  return fieldList(rows, screen)
}

const countColumns = <T>(of: (row: T) => Counts): Column<T>[] =>
  queues.map((queue) => ({
    title: queue,
    text: (row: T) => (of(row)[queue] === 0 ? '·' : String(of(row)[queue])),
    colour: (row: T) => (of(row)[queue] === 0 ? 'dim' : queue === 'failed' ? 'red' : undefined),
  }))

function agents({ agents }: Status, screen: Screen): string {
  const rows = Object.entries(agents).sort(([a], [b]) => (a < b ? -1 : 1))
  return grid(
    rows,
    [{ title: 'agent', text: ([name]) => name }, ...countColumns<(typeof rows)[number]>(([, counts]) => counts)],
    screen,
  )
}

function troubles({ mission, blocked, stalled }: Status, screen: Screen): string[] {
  const waiting = blocked.map(({ id, summary, reason }) => ({ id, text: `${reason} · ${summary}` }))
  const silent = stalled.map(({ message: { id, to, summary }, overdueSeconds }) => {
    return { id, text: `${to}, overdue for ${ageOf(overdueSeconds)} · ${summary}` }
  })
  return [
    section(`Blocked (${blocked.length})`, waiting, `acmq list ${mission} --blocked`, screen),
    section(`Stalled (${stalled.length})`, silent, `acmq find-stalled ${mission}`, screen),
  ]
}

function section(name: string, rows: readonly { id: string; text: string }[], all: string, screen: Screen): string {
  if (rows.length === 0) return ''
  const shown = grid(
    rows.slice(0, mostShown),
    [{ text: ({ id }) => id, colour: () => 'bold' }, { text: ({ text }) => text }],
    screen,
    '  ',
  )
  const more =
    rows.length > mostShown ? `  … and ${rows.length - mostShown} more: ${screen.next(printableLine(all))}\n` : ''
  return `${screen.paint('yellow', name)}\n${shown}${more}`
}

function below({ subMissions }: Status, screen: Screen): string {
  return grid(
    subMissions,
    [
      { title: 'mission inside', text: ({ mission }) => mission },
      ...countColumns<(typeof subMissions)[number]>(({ counts }) => counts),
      {
        title: 'stalled',
        text: ({ stalled }) => (stalled === 0 ? '·' : String(stalled)),
        colour: ({ stalled }) => (stalled === 0 ? 'dim' : 'yellow'),
      },
    ],
    screen,
  )
}
