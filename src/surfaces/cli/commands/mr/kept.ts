/** The commands about messages that left an inbox: lists of them, those not acknowledged, and how to bring one back. */
import { mrUnacked } from '../../../../operations/mr/ack.ts'
import { mrEvicted, mrRejected, mrTaken } from '../../../../operations/mr/kept.ts'
import { mrRecover } from '../../../../operations/mr/recover.ts'
import { type CommandFace, commandFace } from '../../command.ts'
import { tableFace } from '../../grid.ts'
import { ageOf, noticeLines, writtenLine } from '../../lines.ts'

/** The three lists differ by what they are called, and by what is said when they are empty. */
const keptFace = (operation: typeof mrTaken, moved: string, nothing: string): CommandFace =>
  tableFace(operation, ({ messages }) => messages, nothing, [
    { title: 'id', text: ({ id }) => id, colour: () => 'bold' },
    { title: moved, text: ({ movedAt }) => movedAt },
    { title: 'from', text: ({ message }) => message?.from ?? '?' },
    { title: 'type', text: ({ message }) => message?.type ?? '?' },
    { title: 'summary', text: ({ message, problem, path }) => message?.summary ?? problem ?? path },
  ])

export const takenFace = keptFace(mrTaken, 'taken', 'Nothing that was taken is kept.')
export const evictedFace = keptFace(mrEvicted, 'evicted', 'Nothing was evicted that is still kept.')
export const rejectedFace = keptFace(mrRejected, 'rejected', 'Nothing was rejected that is still kept.')

export const unackedFace = tableFace(mrUnacked, ({ unacked }) => unacked, 'Everything is acknowledged.', [
  { title: 'id', text: ({ id }) => id, colour: () => 'bold' },
  {
    title: 'missing is',
    text: ({ direction, from, to }) => (direction === 'sent' ? `the acknowledgement of ${to}` : `yours, to ${from}`),
    colour: ({ direction }) => (direction === 'taken' ? 'yellow' : undefined),
  },
  { title: 'since', text: ({ ageMs }) => ageOf(ageMs / 1000) },
  { title: 'type', text: ({ type }) => type },
])

export const recoverFace = commandFace(
  mrRecover,
  ({ outcome, from, message }, screen) =>
    writtenLine(outcome === 'unchanged' ? 'Is in the inbox already:' : `Back from ${from}/:`, message, screen),
  { aside: noticeLines },
)
