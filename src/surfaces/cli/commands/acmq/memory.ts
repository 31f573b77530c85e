/** The commands that read a mission as a whole: what was said, what belongs together. */
import { printable, printableLine } from '../../../../kernel/printable.ts'
import { bus } from '../../../../operations/acmq/bus.ts'
import { organize } from '../../../../operations/acmq/organize.ts'
import { report } from '../../../../operations/acmq/report.ts'
import { search } from '../../../../operations/acmq/search.ts'
import { snapshot } from '../../../../operations/acmq/snapshot.ts'
import { commandFace } from '../../command.ts'
import { tableFace } from '../../grid.ts'

export const searchFace = tableFace(search, ({ hits }) => hits, 'Nothing found.', [
  { title: 'id', text: ({ message }) => message.id, colour: () => 'bold' },
  { title: 'score', text: ({ score }) => score.toFixed(2) },
  { title: 'by', text: ({ by }) => by.join(', ') },
  { title: 'state', text: ({ message }) => message.state },
  { title: 'from', text: ({ message }) => message.from },
  { title: 'to', text: ({ message }) => message.to },
  { title: 'summary', text: ({ message }) => message.summary },
])

export const busFace = commandFace(bus, ({ outcome, documents }, { paint }) => {
  // Only a query can find nothing.
  if (outcome === 'nothing') return 'Nothing found.\n'
  if (documents.length === 0) return 'Nothing belongs together yet.\n'
  return documents
    .map(({ outcome, path, trigger, messages, asked }) => {
      const task = asked === undefined ? '' : `; summary asked for: ${asked}`
      const about = `(${trigger}, ${messages.length} message${messages.length === 1 ? '' : 's'}${task})`
      return `${paint(outcome === 'unchanged' ? 'dim' : 'green', outcome)} ${printableLine(path)} ${printableLine(about)}\n`
    })
    .join('')
})

export const snapshotFace = commandFace(snapshot, ({ snapshots }, { paint }) =>
  snapshots
    .map(
      ({ path, messages, detail }) =>
        `${paint('green', 'taken')} ${printableLine(path)} (${messages} messages, ${detail})\n`,
    )
    .join(''),
)

export const organizeFace = commandFace(
  organize,
  ({ outcome, moves }, { paint }) => {
    if (moves.length === 0) return outcome === 'unchanged' ? 'Nothing to move.\n' : 'Nothing moved.\n'
    const did = outcome === 'planned' ? 'would move' : outcome === 'undone' ? 'moved back' : 'moved'
    return moves.map(({ from, to }) => `${paint('green', did)} ${printableLine(`${from} → ${to}`)}\n`).join('')
  },
  {
    aside: ({ stay }, { paint }) =>
      stay.map(({ path, reason }) => `${paint('yellow', 'stays:')} ${printableLine(`${path}: ${reason}`)}\n`).join(''),
  },
)

export const reportFace = commandFace(
  report,
  ({ path, document, mode, tokens }, { paint }) =>
    path === undefined
      ? printable(document)
      : `${paint('green', 'kept')} ${printableLine(path)} (${mode}, about ${tokens} tokens)\n`,
  {
    aside: ({ asked }) => (asked === undefined ? '' : `Asked for: ${printableLine(asked)}\n`),
  },
)
