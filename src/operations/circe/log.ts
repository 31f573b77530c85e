import { flag, integer, text, withoutUndefined } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { type HistoryEntry, openCirce } from './fields.ts'

const history = {
  entries: [
    { at: 'time', event: 'text', agent: 'text', 'task?': 'text', 'file?': 'text', detail: 'text', 'summary?': 'text' },
  ],
  'lines?': ['text'],
  leftOut: 'integer',
} as const

export const circeLog = defineOperation({
  name: 'log',
  summary: 'Tell what happened, in order: messages, claims, checks, questions and answers.',
  input: {
    task: text('Only what is about this task.', { placeholder: 'ID' }),
    summary: flag('In a few lines.'),
    limit: integer('At most so many events, the last ones.', { least: 1, default: 200 }),
  },
  outcomes: { told: 'done', nothing: 'done' },
  output: { told: history, nothing: history },
  effects: 'reads',
  examples: [
    { command: 'circe log --task AUTH-012', does: 'the history of a task' },
    { command: 'circe log --task AUTH-012 --summary', does: 'the same in a few lines' },
  ],

  async run(context, { task, summary, limit }) {
    const history = await (await openCirce(context)).overview.log(
      withoutUndefined({ task, limit: summary ? undefined : limit }),
    )
    if (!summary) return { ...history, lines: undefined }
    return { ...history, entries: [], lines: summaryOf(history.entries) }
  },
})

/** What a person wants to know first: since when, who did what how often, how it ended. */
function summaryOf(all: readonly HistoryEntry[]): string[] {
  const [first, last] = [all[0], all.at(-1)]
  if (!first || !last) return []
  const again = openedAgainAt(all)
  // Owners, checks and end from before the task was opened again say nothing about its state.
  const entries = all.slice(again)
  const named = (event: HistoryEntry['event']) => entries.filter((one) => one.event === event)
  const request = entries.filter(isMessage).find(({ summary }) => summary !== undefined)
  const owners = [...new Set(entries.filter(isOwning).map(({ agent }) => agent))]
  const asked = named('asked')
  /** Without the part before the first colon; checks have no such part. */
  const told = ({ event, detail }: HistoryEntry) =>
    event === 'checks' ? detail : detail.slice(detail.indexOf(': ') + 2)
  // A claim begins with all checks false.
  const checks = entries
    .slice(entries.findLastIndex(isOwning) + 1)
    .filter(({ event, detail }) => event === 'checks' || /: tests_passed|: peer_reviewed/.test(detail))
  const ended = entries.findLast(({ event }) => event === 'completed' || event === 'released' || event === 'status')
  const count = all.filter(isMessage).length
  return [
    `${first.at} to ${last.at}: ${count} message${count === 1 ? '' : 's'}, ${all.length} events`,
    ...(again > 0 ? [`opened again by ${entries[0]!.agent} at ${entries[0]!.at}; before that it was over`] : []),
    ...(request ? [`asked for by ${request.agent}: ${request.summary}`] : []),
    ...(owners.length > 0 ? [`owned by ${owners.join(', then ')}`] : []),
    ...(checks.length > 0 ? [`checks: ${checks.map((one) => `${told(one)} (${one.agent})`).join(', ')}`] : []),
    ...(asked.length > 0 ? [`asked of a person: ${asked.length}, answered: ${named('answered').length}`] : []),
    ...(ended ? [`${ended.event === 'status' ? ended.detail : ended.event} by ${ended.agent} at ${ended.at}`] : []),
  ]
}

const isMessage = ({ event }: HistoryEntry): boolean => event === 'message' || event === 'asked' || event === 'refused'

/** A claim of the task, not only of a message. */
const isOwning = ({ event, detail }: HistoryEntry): boolean => event === 'claimed' && detail !== ''

/** The index of the message or claim that opened the task again after it had ended; 0 for a task that has not ended. */
function openedAgainAt(entries: readonly HistoryEntry[]): number {
  let at = 0
  let isOver = false
  for (const [n, entry] of entries.entries()) {
    const { event, detail } = entry
    const isOpening = (isMessage(entry) && detail.endsWith(': opened again')) || isOwning(entry)
    if (isOver && isOpening) [at, isOver] = [n, false]
    const isFailure = isMessage(entry) ? detail.endsWith(': failed') : event === 'status' && detail === 'failed'
    if (event === 'completed' || isFailure) isOver = true
  }
  return at
}
