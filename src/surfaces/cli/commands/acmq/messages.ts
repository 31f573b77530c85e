/** The commands that show messages, or wait for what becomes of them, and change nothing. */
import { printable, printableLine } from '../../../../kernel/printable.ts'
import { hydrate } from '../../../../operations/acmq/hydrate.ts'
import { findStalled, graph, list, show } from '../../../../operations/acmq/look.ts'
import { wait } from '../../../../operations/acmq/wait.ts'
import { commandFace } from '../../command.ts'
import { named, tableFace } from '../../grid.ts'
import { ageOf, printedText, rejectedLines } from '../../lines.ts'
import type { Colour, Screen } from '../../terminal.ts'
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

type Output = Awaited<ReturnType<typeof wait.invoke>>
type Ended = Output['messages'][number]

export const waitFace = commandFace(wait, ({ messages, unsettled }, screen) => {
  const waiting = unsettled.map((id) => `${screen.paint('yellow', 'not done')} ${printableLine(id)}\n`)
  return [...messages.map((message) => endedText(message, screen)), ...waiting].join('')
})

function endedText({ id, ended, to, result, failure }: Ended, { paint }: Screen): string {
  const heading = `${paint(ended === 'completed' ? 'green' : 'red', ended)} ${printableLine(`${id} by ${to}`)}`
  const texts = failure
    ? [failure.reason, failure.detail]
    : [result?.text, ...(result?.links ?? []).map((link) => `see ${link}`)]
  const lines = texts.flatMap((text) => (text ? printedText(text).trimEnd().split('\n') : []))
  return `${heading}\n${lines.map((line) => `  ${line}\n`).join('')}`
}
