/** The commands for shared mailboxes. */
import { printableLine } from '../../../../kernel/printable.ts'
import {
  mailboxClaim,
  mailboxCompact,
  mailboxHeartbeat,
  mailboxInit,
  mailboxList,
  mailboxRelease,
} from '../../../../operations/dream/mailbox-life.ts'
import { mailboxDone, mailboxNext, mailboxSend } from '../../../../operations/dream/mailbox-messages.ts'
import { commandFace } from '../../command.ts'
import { tableFace } from '../../grid.ts'
import { noticeLines, writtenLine } from '../../lines.ts'
import { fieldList, quotation, type Row } from '../../message.ts'
import { shellWord } from '../../spelling.ts'

const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`

export const initFace = commandFace(mailboxInit, ({ made, mailboxes }) =>
  made.length === 0
    ? `The ${mailboxes.length === 1 ? 'mailbox is' : 'mailboxes are'} there already.\n`
    : `Made ${plural(made.length, 'mailbox').replace(/xs$/, 'xes')}: ${made.join(', ')}\n`,
)

export const claimFace = commandFace(mailboxClaim, (claimed, { paint, next }) => {
  if (claimed.outcome === 'nothing')
    return next('No mailbox is free. See whose they are: signalbox dream mailbox list\n')
  const box = paint('bold', `mailbox ${claimed.mailbox}`)
  const agent = printableLine(claimed.agent)
  if (claimed.outcome === 'unchanged') return `${agent} has ${box} already.\n`
  if (claimed.outcome === 'claimed') return `${agent} has ${box} now.\n`
  return `${agent} has ${box} now, taken over from ${printableLine(claimed.from ?? '?')}.\n`
})

export const heartbeatFace = commandFace(mailboxHeartbeat, ({ mailbox, count }) =>
  count === 0
    ? `Mailbox ${mailbox} is fresh.\n`
    : `Mailbox ${mailbox} is fresh, and ${plural(count, 'message')} in hand for longer.\n`,
)

export const releaseFace = commandFace(mailboxRelease, ({ outcome, mailbox, count }) => {
  if (outcome === 'unchanged') return `Mailbox ${mailbox} is nobody's.\n`
  return count === 0
    ? `Released mailbox ${mailbox}.\n`
    : `Released mailbox ${mailbox}; ${plural(count, 'message')} will be given again.\n`
})

export const compactFace = commandFace(
  mailboxCompact,
  ({ outcome, mailbox, count, notices = [] }) => {
    if (outcome === 'packed') return `Packed ${plural(count, 'message')} of mailbox ${mailbox}.\n`
    return notices.length > 0 ? 'Nothing in it can be packed.\n' : 'Nothing in it is old enough to be packed.\n'
  },
  { aside: noticeLines },
)

export const listFace = tableFace(
  mailboxList,
  ({ mailboxes }) => mailboxes,
  'There are no mailboxes yet. Make some: signalbox dream mailbox init 4',
  [
    { title: 'mailbox', text: ({ mailbox }) => String(mailbox), colour: () => 'bold' },
    {
      title: 'status',
      text: ({ status }) => status ?? '?',
      colour: ({ status }) => (status === 'offline' ? 'dim' : undefined),
    },
    { title: 'agent', text: ({ agent }) => agent ?? '·' },
    { title: 'last seen', text: ({ lastSeenAt }) => lastSeenAt ?? '·' },
    { title: 'waiting', text: ({ waiting }) => (waiting === 0 ? '·' : String(waiting)) },
    { title: 'in hand', text: ({ inHand }) => (inHand === 0 ? '·' : String(inHand)) },
    { title: 'processed', text: ({ processed }) => (processed === 0 ? '·' : String(processed)) },
  ],
  {
    aside: ({ mailboxes }, screen) =>
      noticeLines(
        {
          notices: mailboxes.flatMap(({ mailbox, notices }) => notices.map((one) => `Mailbox ${mailbox}: ${one}`)),
        },
        screen,
      ),
  },
)

export const sendFace = commandFace(
  mailboxSend,
  ({ message, mailbox }, screen) => writtenLine(`Sent to mailbox ${mailbox}`, message, screen),
  {
    aside: noticeLines,
  },
)

export const nextFace = commandFace(
  mailboxNext,
  (given, screen) => {
    if (given.outcome === 'nothing') return 'Nothing waits.\n'
    const { asRead, mailbox, path, agent, attempt, redelivered, until, notices } = given
    const { message_id: id, sender_agent_id: from, command, task_id: task, params } = asRead
    const which = `--mailbox ${mailbox} ${shellWord(id)} --as ${shellWord(agent)} --attempt ${attempt}`
    const rows: Row[] = [
      ['id', id],
      ['from', from],
      ['command', command],
      ['task', typeof task === 'string' ? task : undefined],
      ['attempt', redelivered ? `${attempt}: somebody had it before, and did not finish` : String(attempt)],
      ['yours until', until],
      ...notices.map((note): Row => ['note', note]),
      ['when done', screen.next(`signalbox dream mailbox done ${which} --output '{}'`)],
      ['or else', screen.next(`signalbox dream mailbox done ${which} --error '{}'`)],
    ]
    return `${fieldList(rows, screen)}${quotation(JSON.stringify(params, undefined, 2) ?? '', from, screen, path)}`
  },
  { aside: (given, screen) => (given.outcome === 'nothing' ? noticeLines(given, screen) : '') },
)

export const doneFace = commandFace(
  mailboxDone,
  ({ outcome, line }) =>
    outcome === 'unchanged' ? 'It had an outcome already.\n' : `Recorded: ${line?.status ?? ''}\n`,
  { aside: noticeLines },
)
