/** The commands that look after a mission. */
import { printableLine } from '../../../../kernel/printable.ts'
import { archive } from '../../../../operations/acmq/archive.ts'
import { reconcile } from '../../../../operations/acmq/reconcile.ts'
import { type Supervised, supervise } from '../../../../operations/acmq/supervise.ts'
import { freedLine } from '../../../../operations/freed-line.ts'
import { commandFace } from '../../command.ts'
import { grid } from '../../grid.ts'
import { carriedSteps, noticeLines, stepLine } from '../../lines.ts'
import { fieldList } from '../../message.ts'
import type { Screen } from '../../terminal.ts'
import { hydrationText, leftOutLines } from './texts.ts'

export const superviseFace = commandFace(
  supervise,
  (output, screen) => (output.passes === undefined ? onePass(output, screen) : stopped(output)),
  {
    event: (pass, { paint }) =>
      stepsOf(pass)
        .map((step) => stepLine(step, paint))
        .join(''),
  },
)

function onePass(pass: Supervised, { paint }: Screen): string {
  const { outcome, stalled, freed, repairs, archived, archiveBusy, documents, snapshots, reports, moves } = pass
  if (outcome === 'nothing' && repairs.length === 0 && !archiveBusy) return 'Nothing had to be done.\n'
  const lines = stalled.map(({ message: { id, from, to }, investigation }) => {
    const asked = investigation === undefined ? '' : `; asked ${from} to look into it`
    return `${paint('yellow', 'stalled')} ${printableLine(`${id}: ${to} did not finish${asked}`)}`
  })
  lines.push(...freed.map((one) => `${paint('yellow', 'freed')} ${printableLine(freedLine(one))}`))
  lines.push(
    ...repairs.map(({ what, path, message }) => `${paint('cyan', what)} ${printableLine(`${path}: ${message}`)}`),
  )
  if (archived > 0) lines.push(`${paint('green', 'archived')} ${archived}`)
  for (const { path, reason } of snapshots)
    lines.push(`${paint('green', 'snapshot')} ${printableLine(`${path}: ${reason}`)}`)
  for (const { from, to } of moves) lines.push(`${paint('green', 'moved')} ${printableLine(`${from} → ${to}`)}`)
  for (const { path, writtenBy } of reports)
    lines.push(`${paint('green', 'renewed')} ${printableLine(`${path}: written by ${writtenBy}`)}`)
  for (const { outcome: did, path, query } of documents)
    lines.push(`${paint('green', did)} ${printableLine(`${path}: ${query}`)}`)
  if (archiveBusy) lines.push('Another process is archiving; the next pass looks again.')
  return lines.map((line) => `${line}\n`).join('')
}

function stepsOf({
  stalled,
  freed,
  carried,
  settled,
  repairs,
  archived,
  documents,
  snapshots,
  reports,
  moves,
}: Supervised): string[] {
  return [
    ...stalled.map(({ message, investigation }) => {
      const asked = investigation === undefined ? '' : `; asked ${message.from} to look into it`
      return `${message.to} stalled on ${message.id} (${message.summary})${asked}`
    }),
    ...freed.map((one) => `freed ${freedLine(one)}`),
    ...carriedSteps({ carried, settled }),
    ...repairs.map(({ what, path, message }) => `${what} ${path}: ${message}`),
    ...(archived > 0 ? [`archived ${archived}`] : []),
    ...snapshots.map(({ path, queue, reason }) => `took a snapshot of ${queue}, ${path}: ${reason}`),
    ...moves.map(({ from, to }) => `moved ${from} to ${to}, with what it belongs to`),
    ...reports.map(({ path, writtenBy }) => `renewed ${path}: written by ${writtenBy}`),
    ...documents.map(({ outcome, path, query }) => `${outcome} ${path}: ${query}`),
  ]
}

/** Everything was told when it happened. */
const stopped = ({ stalled, repairs, archived }: Supervised): string =>
  `Stopped. ${stalled.length} stalled, ${repairs.length} put in order, ${archived} archived.\n`

type Reconciled = Awaited<ReturnType<typeof reconcile.invoke>>

export const reconcileFace = commandFace(reconcile, reconciledText, {
  aside: ({ hydration, notices }, screen) =>
    `${noticeLines({ notices }, screen)}${hydration ? leftOutLines(hydration, screen) : ''}`,
})

function reconciledText({ mission, counts, manifest, mine, repairs, hydration }: Reconciled, screen: Screen): string {
  const { paint } = screen
  const queues = Object.entries(counts).map(([queue, count]) => `${count} ${queue}`)
  const goal = manifest?.objective.split('\n', 1)[0] ?? ''
  const facts = fieldList(
    [
      ['mission', mission],
      ['objective', goal || undefined],
      ['messages', queues.join(', ')],
    ],
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

export const archiveFace = commandFace(archive, ({ archived, mission }) =>
  archived === 0 ? 'Nothing is old enough.\n' : `Archived ${archived} of ${printableLine(mission)}.\n`,
)
