/** The commands that show messages and change nothing. */
import { printable } from '../../../../kernel/printable.ts'
import { findStalled } from '../../../../operations/acmq/find-stalled.ts'
import { graph } from '../../../../operations/acmq/graph.ts'
import { hydrate } from '../../../../operations/acmq/hydrate.ts'
import { list } from '../../../../operations/acmq/list.ts'
import { show } from '../../../../operations/acmq/show.ts'
import { commandFace } from '../../command.ts'
import { grid } from '../../grid.ts'
import { ageOf, unreadableLines } from '../../lines.ts'
import type { Colour } from '../../terminal.ts'
import { hydrationText, leftOutLines, messageText } from './texts.ts'

const colours: Readonly<Record<string, Colour>> = {
  processing: 'cyan',
  completed: 'green',
  failed: 'red',
  archived: 'dim',
}

export const listFace = commandFace(
  list,
  ({ messages }, screen) => {
    const rows = grid(
      messages,
      [
        { title: 'id', text: ({ id }) => id, colour: () => 'bold' },
        {
          title: 'state',
          text: ({ state, blocked }) => (blocked === undefined ? state : 'blocked'),
          colour: ({ state, blocked }) => (blocked === undefined ? colours[state] : 'yellow'),
        },
        { title: 'from', text: ({ from }) => from },
        { title: 'to', text: ({ to }) => to },
        { title: 'prio', text: ({ priority }) => (priority === undefined ? '' : String(priority)) },
        { title: 'sent', text: ({ createdAt }) => createdAt },
        {
          title: 'summary',
          text: ({ summary, blocked }) => (blocked === undefined ? summary : `${summary} · ${blocked}`),
        },
      ],
      screen,
    )
    return rows === '' ? 'No messages.\n' : rows
  },
  { aside: ({ rejected }, screen) => unreadableLines({ unreadable: rejected }, screen) },
)

export const showFace = commandFace(show, ({ message }, screen) => messageText(message, [], screen))

export const findStalledFace = commandFace(findStalled, ({ stalled }, screen) =>
  stalled.length === 0
    ? 'Nothing is stalled.\n'
    : grid(
        stalled,
        [
          { title: 'id', text: ({ message }) => message.id, colour: () => 'bold' },
          { title: 'agent', text: ({ message }) => message.to },
          { title: 'since', text: ({ since }) => since },
          { title: 'overdue', text: ({ overdueSeconds }) => ageOf(overdueSeconds), colour: () => 'yellow' },
          { title: 'summary', text: ({ message }) => message.summary },
        ],
        screen,
      ),
)

export const graphFace = commandFace(graph, ({ graph: drawn }) => {
  const text = typeof drawn === 'string' ? drawn : JSON.stringify(drawn, undefined, 2)
  return printable(text).replace(/\n*$/, '\n')
})

export const hydrateFace = commandFace(hydrate, hydrationText, { aside: leftOutLines })
