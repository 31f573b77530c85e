import { list } from '../../../../operations/acmq/list.ts'
import { commandFace } from '../../command.ts'
import { grid } from '../../grid.ts'
import type { Colour } from '../../terminal.ts'
import { unreadableLines } from './unreadable.ts'

const colours: Readonly<Record<string, Colour>> = {
  processing: 'cyan',
  completed: 'green',
  failed: 'red',
  archived: 'dim',
}

export const listFace = commandFace(
  list,
  ({ messages, leftOut }, screen) => {
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
    const more = leftOut > 0 ? `… and ${leftOut} more\n` : ''
    return rows === '' ? 'No messages.\n' : `${rows}${more}`
  },
  { aside: ({ unreadable }, screen) => unreadableLines(unreadable, screen) },
)
