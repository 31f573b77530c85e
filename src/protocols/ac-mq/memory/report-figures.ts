/** What a report counts and draws: who did how much, what happened on which day, and what depends on what. Pure. */
import { compareTexts } from '../../../kernel/order.ts'
import { drawGraph } from '../graph.ts'
import { plainText } from './plain-text.ts'
import { fixed, type Part } from './report-fit.ts'
import type { ReportMessage } from './report-picture.ts'

export function figuresOf(messages: readonly ReportMessage[]): Part {
  const { of, rows: agents } = tally()
  for (const { from, to, status, createdAt, finishedAt } of messages) {
    of(from).sent++
    // `all` is no agent: the message was finished without a claim.
    if (to === 'all') continue
    if (status === 'completed') of(to).completed++
    if (status === 'failed') of(to).failed++
    const began = Date.parse(createdAt)
    // Results have times in whole seconds: a task that took less seems to have ended before it began.
    if (finishedAt !== undefined && Number.isFinite(began) && finishedAt > began - 1000)
      of(to).hours.push(Math.max(0, finishedAt - began) / 3_600_000)
  }
  const rows = agents().map(
    ([name, { sent, completed, failed, hours }]) =>
      `| ${plainText(name)} | ${sent} | ${completed} | ${failed} | ${hours.length === 0 ? '' : durationOf(median(hours))} |`,
  )
  if (rows.length === 0) return fixed('## Figures\n\nNo messages.')
  const head = [
    '## Figures\n',
    '| Agent | Sent | Completed | Failed | From sent to done, median |',
    '| --- | ---: | ---: | ---: | ---: |',
  ]
  const print = (shown: number): string => {
    if (shown === 0) return ''
    const more = rows.length > shown ? [`| and ${rows.length - shown} more |  |  |  |  |`] : []
    return [...head, ...rows.slice(0, shown), ...more].join('\n')
  }
  return { size: rows.length, first: 0, share: 3, print }
}

/** One line a day, the last ones where there is no room for all. */
export function timelineOf(messages: readonly ReportMessage[]): Part {
  const days = daysOf(messages)
  const print = (shown: number): string => {
    if (shown === 0) return ''
    const more = days.length > shown ? [`- and ${days.length - shown} days before that`] : []
    return ['## Timeline\n', ...more, ...days.slice(-shown)].join('\n')
  }
  return { size: days.length, first: 0, share: 3, print }
}

function daysOf(messages: readonly ReportMessage[]): string[] {
  const { of, rows } = tally()
  for (const { createdAt, finishedAt, status } of messages) {
    of(createdAt.slice(0, 10)).sent++
    const day = finishedAt === undefined ? undefined : new Date(finishedAt).toISOString().slice(0, 10)
    if (day !== undefined && (status === 'completed' || status === 'failed')) of(day)[status]++
  }
  return rows().map(
    ([day, { sent, completed, failed }]) =>
      `- ${plainText(day)}: ${sent} sent, ${completed} completed, ${failed} failed`,
  )
}

/** Counts by agent or by day. */
function tally() {
  const counts = new Map<string, { sent: number; completed: number; failed: number; hours: number[] }>()
  const of = (key: string) => {
    const known = counts.get(key) ?? { sent: 0, completed: 0, failed: 0, hours: [] }
    counts.set(key, known)
    return known
  }
  return { of, rows: () => [...counts].sort(([a], [b]) => compareTexts(a, b)) }
}

const mostNodes = 60
const leastNodes = 3

/** The graph of dependencies, which is added last, where the budget has room for it. */
export function graphOf(messages: readonly ReportMessage[]): Part {
  const linked = messages.filter(({ dependencies }) => dependencies.length > 0)
  const needed = new Set(
    linked.flatMap(({ id, dependencies }) => [id, ...dependencies.map((text) => text.replace(/^msg:/, ''))]),
  )
  const nodes = messages.filter(({ id }) => needed.has(id) || needed.has(id.slice(0, 8)))
  const size = Math.min(nodes.length, mostNodes)
  const print = (shown: number): string => {
    if (shown < Math.min(leastNodes, size) || shown === 0) return ''
    const drawn = nodes
      .slice(0, shown)
      .map(({ id, summary, to, state, dependencies }) => ({ id, summary, to, state, dependencies }))
    const more = nodes.length > shown ? `\n\nThe first ${shown} of ${nodes.length} are drawn.` : ''
    return `## Dependencies\n\n\`\`\`mermaid\n${drawGraph(drawn, 'mermaid').trimEnd()}\n\`\`\`${more}`
  }
  return { size, first: 0, share: 0, usual: size, print }
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!

const durationOf = (hours: number): string =>
  hours < 1 / 60
    ? 'under 1 min'
    : hours < 1
      ? `${Math.round(hours * 60)} min`
      : hours < 48
        ? `${hours.toFixed(1)} h`
        : `${(hours / 24).toFixed(1)} d`
