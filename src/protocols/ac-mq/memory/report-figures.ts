/** What a report counts and draws: who did how much, what happened on which day, and what depends on what. Pure. */
import { drawGraph } from '../graph.ts'
import { plainText } from './plain-text.ts'
import type { ReportMessage } from './report-picture.ts'

export function figuresOf(messages: readonly ReportMessage[], most: number): string {
  const agents = new Map<string, { sent: number; completed: number; failed: number; hours: number[] }>()
  const of = (name: string) => {
    const known = agents.get(name) ?? { sent: 0, completed: 0, failed: 0, hours: [] }
    agents.set(name, known)
    return known
  }
  for (const { from, to, status, createdAt, finishedAt } of messages) {
    of(from).sent++
    if (status === 'completed') of(to).completed++
    if (status === 'failed') of(to).failed++
    const began = Date.parse(createdAt)
    if (finishedAt !== undefined && Number.isFinite(began) && finishedAt >= began)
      of(to).hours.push((finishedAt - began) / 3_600_000)
  }
  const rows = [...agents]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, { sent, completed, failed, hours }]) =>
        `| ${plainText(name)} | ${sent} | ${completed} | ${failed} | ${hours.length === 0 ? '' : durationOf(median(hours))} |`,
    )
  if (rows.length === 0) return '## Figures\n\nNo messages.'
  const shown = rows.length > most ? [...rows.slice(0, most), `| and ${rows.length - most} more |  |  |  |  |`] : rows
  return [
    '## Figures\n',
    '| Agent | Sent | Completed | Failed | From sent to done, median |',
    '| --- | ---: | ---: | ---: | ---: |',
    ...shown,
  ].join('\n')
}

/** One line a day. */
export function daysOf(messages: readonly ReportMessage[]): string[] {
  const days = new Map<string, { sent: number; completed: number; failed: number }>()
  const at = (day: string) => {
    const known = days.get(day) ?? { sent: 0, completed: 0, failed: 0 }
    days.set(day, known)
    return known
  }
  for (const { createdAt, finishedAt, status } of messages) {
    at(createdAt.slice(0, 10)).sent++
    const day = finishedAt === undefined ? undefined : new Date(finishedAt).toISOString().slice(0, 10)
    if (day !== undefined && (status === 'completed' || status === 'failed')) at(day)[status]++
  }
  return [...days]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([day, { sent, completed, failed }]) =>
        `- ${plainText(day)}: ${sent} sent, ${completed} completed, ${failed} failed`,
    )
}

const mostNodes = 60

export function graphOf(messages: readonly ReportMessage[]): string {
  const linked = messages.filter(({ dependencies }) => dependencies.length > 0)
  if (linked.length === 0) return ''
  const needed = new Set(
    linked.flatMap(({ id, dependencies }) => [id, ...dependencies.map((text) => text.replace(/^msg:/, ''))]),
  )
  const nodes = messages.filter(({ id }) => needed.has(id) || needed.has(id.slice(0, 8)))
  const shown = nodes
    .slice(0, mostNodes)
    .map(({ id, summary, to, state, dependencies }) => ({ id, summary, to, state, dependencies }))
  const more = nodes.length > shown.length ? `\n\nThe first ${shown.length} of ${nodes.length} are drawn.` : ''
  return `## Dependencies\n\n\`\`\`mermaid\n${drawGraph(shown, 'mermaid').trimEnd()}\n\`\`\`${more}`
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
