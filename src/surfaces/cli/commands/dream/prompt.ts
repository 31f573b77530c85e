/** The commands for prompts, logs and documents. */
import { printable, printableLine } from '../../../../kernel/printable.ts'
import { dreamReflect, dreamReport, dreamState, supervisorShow } from '../../../../operations/dream/documents.ts'
import { governanceAdd, governanceQuery } from '../../../../operations/dream/governance.ts'
import { promptAsk, promptFetch, promptRender, promptStage } from '../../../../operations/dream/prompt.ts'
import { commandFace } from '../../command.ts'
import { tableFace } from '../../grid.ts'
import { noticeLines } from '../../lines.ts'
import { fieldList, quotation, type Row } from '../../message.ts'
import type { Screen } from '../../terminal.ts'

/** The text as it is: it is for a pipe. What could move a cursor is made visible on a terminal alone. */
export const renderFace = commandFace(promptRender, ({ text }, { isTerminal }) => {
  const ended = text === '' || text.endsWith('\n') ? text : `${text}\n`
  return isTerminal ? printable(ended) : ended
})

export const stageFace = commandFace(promptStage, ({ path, kept }) => {
  const before = kept === undefined ? '' : ` The one before is in ${printableLine(kept)}.`
  return `Staged ${printableLine(path)}.${before}\n`
})

interface Response {
  readonly response: unknown
  readonly path: string
  readonly dispatched?: string
}

function responseText({ response, path, dispatched }: Response, screen: Screen): string {
  const rows: Row[] = [
    ['file', path],
    ['handed to', dispatched],
  ]
  return `${fieldList(rows, screen)}${quotation(JSON.stringify(response, undefined, 2), 'the bridge', screen, path)}`
}

export const fetchFace = commandFace(
  promptFetch,
  (fetched, screen) => (fetched.outcome === 'nothing' ? 'There is no response.\n' : responseText(fetched, screen)),
  { aside: noticeLines },
)

export const askFace = commandFace(
  promptAsk,
  (fetched, screen) =>
    fetched.outcome === 'nothing'
      ? screen.next('There is no response yet. When it comes: signalbox dream prompt fetch\n')
      : responseText(fetched, screen),
  { aside: noticeLines },
)

export const addFace = commandFace(governanceAdd, ({ event }, { paint }) => `Added ${paint('bold', event.event_id)}\n`)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null))

export const queryFace = tableFace(
  governanceQuery,
  ({ events }) => events,
  'No such event.',
  [
    { title: 'when', text: ({ timestamp }) => textOf(timestamp) },
    { title: 'event', text: ({ event_type }) => textOf(event_type), colour: () => 'bold' },
    { title: 'agent', text: ({ agent_source }) => textOf(agent_source) },
    { title: 'details', text: ({ details }) => textOf(details) },
  ],
  { aside: noticeLines },
)

const written: Readonly<Record<string, string>> = {
  written: 'Wrote',
  added: 'Added to',
  unchanged: 'It says so already:',
}

const writtenText = ({ outcome, path }: { readonly outcome: string; readonly path: string }): string =>
  `${written[outcome]} ${printableLine(path)}\n`
const stateText = (state: unknown): string => `${printable(JSON.stringify(state, undefined, 2))}\n`

export const reflectFace = commandFace(dreamReflect, writtenText)
export const reportFace = commandFace(dreamReport, writtenText)

export const stateFace = commandFace(dreamState, (told) =>
  told.outcome === 'told' ? stateText(told.state) : writtenText(told),
)

export const supervisorFace = commandFace(supervisorShow, ({ state }) =>
  state === null ? 'The supervisor has done nothing yet.\n' : stateText(state),
)
