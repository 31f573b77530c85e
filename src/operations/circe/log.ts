import { flag, integer, text, withoutUndefined } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { openCirce } from './fields.ts'

export const circeLog = defineOperation({
  name: 'log',
  summary: 'Tell what happened, in order: messages, claims, checks, questions and answers.',
  input: {
    task: text('Only what is about this task.', { placeholder: 'ID' }),
    summary: flag('In a few lines.'),
    limit: integer('At most so many events, the last ones.', { least: 1, default: 200 }),
  },
  outcomes: { told: 'done', nothing: 'nothing' },
  examples: [
    { command: 'circe log --task AUTH-012', does: 'the story of a task' },
    { command: 'circe log --task AUTH-012 --summary', does: 'the same in a few lines' },
  ],

  async run(context, { task, summary, limit }) {
    const story = await (await openCirce(context)).log(withoutUndefined({ task, limit: summary ? undefined : limit }))
    if (!summary) return { ...story, lines: undefined }
    return { ...story, entries: [], lines: summaryOf(story.entries) }
  },
})

type Entry = Awaited<ReturnType<Awaited<ReturnType<typeof openCirce>>['log']>>['entries'][number]

/** What a person wants to know first: since when, who did what how often, how it ended. */
function summaryOf(entries: readonly Entry[]): string[] {
  const [first, last] = [entries[0], entries.at(-1)]
  if (!first || !last) return []
  const named = (event: Entry['event']) => entries.filter((one) => one.event === event)
  const messages = entries.filter(({ event }) => event === 'message' || event === 'asked' || event === 'refused')
  const request = messages.find(({ summary }) => summary !== undefined)
  const owners = [...new Set(named('claimed').flatMap(({ agent, detail }) => (detail === '' ? [] : [agent])))]
  const asked = named('asked')
  /** Of a message what it did, which stands behind what it says. */
  const told = ({ event, detail }: Entry) => (event === 'checks' ? detail : detail.slice(detail.indexOf(': ') + 2))
  const checks = entries.filter(
    ({ event, detail }) => event === 'checks' || /: tests_passed|: peer_reviewed/.test(detail),
  )
  const ended = entries.findLast(({ event }) => event === 'completed' || event === 'released' || event === 'status')
  return [
    `${first.at} to ${last.at}: ${messages.length} message${messages.length === 1 ? '' : 's'}, ${entries.length} events`,
    ...(request ? [`asked for by ${request.agent}: ${request.summary}`] : []),
    ...(owners.length > 0 ? [`owned by ${owners.join(', then ')}`] : []),
    ...(checks.length > 0 ? [`checks: ${checks.map((one) => `${told(one)} (${one.agent})`).join(', ')}`] : []),
    ...(asked.length > 0 ? [`asked of a person: ${asked.length}, answered: ${named('answered').length}`] : []),
    ...(ended ? [`${ended.event === 'status' ? ended.detail : ended.event} by ${ended.agent} at ${ended.at}`] : []),
  ]
}
