/** The commands that tell of sessions. */
import { printableLine } from '../../../../kernel/printable.ts'
import { sessionEnd } from '../../../../operations/session/end.ts'
import { sessionInbox } from '../../../../operations/session/inbox.ts'
import { sessionList } from '../../../../operations/session/list.ts'
import { sessionLocks } from '../../../../operations/session/locks.ts'
import { sessionLog } from '../../../../operations/session/log.ts'
import { sessionStart } from '../../../../operations/session/start.ts'
import { commandFace } from '../../command.ts'
import { grid } from '../../grid.ts'
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

export const listFace = commandFace(sessionList, ({ sessions }, screen) => {
  if (sessions.length === 0) return screen.next('There is no session yet. Start one: signalbox session start\n')
  return grid(
    sessions,
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
    screen,
  )
})

export const locksFace = commandFace(sessionLocks, ({ locks }, screen) => {
  if (locks.length === 0) return 'Nothing is locked.\n'
  return grid(
    locks,
    [
      { title: 'resource', text: ({ resource }) => resource, colour: () => 'bold' },
      { title: 'owner', text: ({ owner }) => owner },
      { title: 'until', text: ({ until }) => until },
      { title: 'fence', text: ({ fence }) => String(fence) },
      {
        title: 'waiting',
        text: ({ waiting }) => waiting.map(({ owner, priority }) => `${owner} (${priority})`).join(', ') || '·',
      },
    ],
    screen,
  )
})

export const logFace = commandFace(sessionLog, ({ changes, session }, screen) => {
  if (changes.length === 0) return 'Nothing has happened.\n'
  return grid(
    changes,
    [
      { title: 'at', text: ({ at }) => at, colour: () => 'dim' },
      { title: 'by', text: ({ by }) => by, colour: () => 'bold' },
      { title: 'did', text: ({ did }) => did },
      { title: 'about', text: ({ about }) => about ?? '·' },
      { title: 'text', text: ({ text }) => (text === undefined ? '·' : shownText(text, session)) },
    ],
    screen,
  )
})

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
