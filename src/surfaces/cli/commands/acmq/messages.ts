/** The commands that show messages and change nothing. */
import { printable } from '../../../../kernel/printable.ts'
import { findStalled } from '../../../../operations/acmq/find-stalled.ts'
import { graph } from '../../../../operations/acmq/graph.ts'
import { hydrate } from '../../../../operations/acmq/hydrate.ts'
import { list } from '../../../../operations/acmq/list.ts'
import { show } from '../../../../operations/acmq/show.ts'
import { commandFace } from '../../command.ts'
import { named } from '../../grid.ts'
import { ageOf, rejectedLines } from '../../lines.ts'
import { tableFace } from '../../table-face.ts'
import type { Colour } from '../../terminal.ts'
import { hydrationText, leftOutLines, messageText } from './texts.ts'

const colours: Readonly<Record<string, Colour>> = {
  processing: 'cyan',
  completed: 'green',
  failed: 'red',
  archived: 'dim',
}

export const listFace = tableFace(
  list,
  ({ messages }) => messages,
  'No messages.',
  [
    { title: 'id', text: ({ id }) => id, colour: () => 'bold' },
    {
      title: 'state',
      text: ({ state, blocked }) => (blocked === undefined ? state : 'blocked'),
      colour: ({ state, blocked }) => (blocked === undefined ? colours[state] : 'yellow'),
    },
    ...named('from', 'to'),
    { title: 'prio', text: ({ priority }) => (priority === undefined ? '' : String(priority)) },
    { title: 'sent', text: ({ createdAt }) => createdAt },
    {
      title: 'summary',
      text: ({ summary, blocked }) => (blocked === undefined ? summary : `${summary} · ${blocked}`),
    },
  ],
  { aside: rejectedLines },
)

export const showFace = commandFace(show, ({ message }, screen) => messageText(message, [], screen))

export const findStalledFace = tableFace(findStalled, ({ stalled }) => stalled, 'Nothing is stalled.', [
  { title: 'id', text: ({ message }) => message.id, colour: () => 'bold' },
  { title: 'agent', text: ({ message }) => message.to },
  { title: 'since', text: ({ since }) => since },
  { title: 'overdue', text: ({ overdueSeconds }) => ageOf(overdueSeconds), colour: () => 'yellow' },
  { title: 'summary', text: ({ message }) => message.summary },
])

export const graphFace = commandFace(graph, ({ graph: drawn }) => {
  const text = typeof drawn === 'string' ? drawn : JSON.stringify(drawn, undefined, 2)
  return printable(text).replace(/\n*$/, '\n')
})

export const hydrateFace = commandFace(hydrate, hydrationText, { aside: leftOutLines })
