/** The commands that tell of sessions. */
import { printableLine } from '../../../../kernel/printable.ts'
import { sessionInbox } from '../../../../operations/session/inbox.ts'
import { sessionLocks, sessionLog } from '../../../../operations/session/look.ts'
import { sessionEnd, sessionList, sessionStart } from '../../../../operations/session/sessions.ts'
import { commandFace } from '../../command.ts'
import { grid, named, tableFace } from '../../grid.ts'
import { mailText, shownText } from './arrival.ts'

export const startFace = commandFace(sessionStart, ({ outcome, session }, { paint }) =>
  outcome === 'started'
    ? `Started session ${paint('bold', session)}.\n`
    : `Session ${paint('bold', session)} goes on.\n`,
)

export const endFace = commandFace(sessionEnd, ({ outcome, session, stopped }, { paint }) =>
  outcome === 'ended'
    ? `Ended session ${paint('bold', session)}${stopped.length > 0 ? `, and stopped ${stopped.join(', ')}` : ''}.\n`
    : `Session ${paint('bold', session)} was not running.\n`,
)

export const listFace = tableFace(
  sessionList,
  ({ sessions }) => sessions,
  'There is no session yet. Start one: signalbox session start',
  [
    { title: 'session', text: ({ session }) => session, colour: () => 'bold' },
    {
      title: 'status',
      text: ({ status, isCurrent }) => (isCurrent ? `${status}, current` : status),
      colour: ({ status }) => (status === 'running' ? 'green' : 'dim'),
    },
    { title: 'started', text: ({ startedAt }) => startedAt },
    { title: 'keys', text: ({ keys }) => String(keys) },
    { title: 'tasks', text: ({ tasks }) => String(tasks) },
  ],
)

export const locksFace = tableFace(sessionLocks, ({ locks }) => locks, 'Nothing is locked.', [
  { title: 'resource', text: ({ resource }) => resource, colour: () => 'bold' },
  ...named('owner', 'until'),
  { title: 'fence', text: ({ fence }) => String(fence) },
  {
    title: 'waiting',
    text: ({ waiting }) => waiting.map(({ owner, priority }) => `${owner} (${priority})`).join(', ') || '·',
  },
])

export const logFace = commandFace(
  sessionLog,
  ({ changes, session }, screen) =>
    grid(
      changes,
      [
        { title: 'at', text: ({ at }) => at, colour: () => 'dim' },
        { title: 'by', text: ({ by }) => by, colour: () => 'bold' },
        { title: 'did', text: ({ did }) => did },
        { title: 'about', text: ({ about }) => about ?? '·' },
        { title: 'text', text: ({ text }) => (text === undefined ? '·' : shownText(text, session ?? '')) },
      ],
      screen,
    ) || 'Nothing has happened.\n',
)

export const inboxFace = commandFace(sessionInbox, ({ messages, session }, { paint }) =>
  messages.length === 0
    ? 'Nothing has come.\n'
    : messages
        .map((mail) => {
          const { from, channel, kind, about } = mail
          const where =
            channel === undefined ? `${kind.toLowerCase()}${about === undefined ? '' : ` ${about}`}` : `#${channel}`
          const who = `${paint('bold', printableLine(from))} ${paint('dim', printableLine(where))}`
          return `${who} ${mailText(mail, session)}\n`
        })
        .join(''),
)
