/** What left an inbox: the lists of it, what of it is not acknowledged, and the way back. */
import { mrEvicted, mrRejected, mrTaken } from '../../../../operations/mr/kept.ts'
import { mrRecover } from '../../../../operations/mr/recover.ts'
import { mrUnacked } from '../../../../operations/mr/unacked.ts'
import { type CommandFace, commandFace } from '../../command.ts'
import { grid } from '../../grid.ts'
import { ageOf, noticeLines, writtenLine } from '../../lines.ts'

/** The three lists differ by what they are called, and by what is said when they are empty. */
const keptFace = (operation: typeof mrTaken, moved: string, nothing: string): CommandFace =>
  commandFace(operation, ({ messages }, screen) =>
    messages.length === 0
      ? nothing
      : grid(
          messages,
          [
            { title: 'id', text: ({ id }) => id, colour: () => 'bold' },
            { title: moved, text: ({ movedAt }) => movedAt },
            { title: 'from', text: ({ message }) => message?.from ?? '?' },
            { title: 'type', text: ({ message }) => message?.type ?? '?' },
            { title: 'summary', text: ({ message, problem, path }) => message?.summary ?? problem ?? path },
          ],
          screen,
        ),
  )

export const takenFace = keptFace(mrTaken, 'taken', 'Nothing that was taken is kept.\n')
export const evictedFace = keptFace(mrEvicted, 'evicted', 'Nothing was evicted that is still kept.\n')
export const rejectedFace = keptFace(mrRejected, 'rejected', 'Nothing was rejected that is still kept.\n')

export const unackedFace = commandFace(mrUnacked, ({ unacked }, screen) =>
  unacked.length === 0
    ? 'Everything is acknowledged.\n'
    : grid(
        unacked,
        [
          { title: 'id', text: ({ id }) => id, colour: () => 'bold' },
          {
            title: 'missing is',
            text: ({ direction, from, to }) =>
              direction === 'sent' ? `the acknowledgement of ${to}` : `yours, to ${from}`,
            colour: ({ direction }) => (direction === 'taken' ? 'yellow' : undefined),
          },
          { title: 'since', text: ({ ageMs }) => ageOf(ageMs / 1000) },
          { title: 'type', text: ({ type }) => type },
        ],
        screen,
      ),
)

export const recoverFace = commandFace(
  mrRecover,
  ({ outcome, from, message }, screen) =>
    writtenLine(outcome === 'unchanged' ? 'Is in the inbox already:' : `Back from ${from}/:`, message, screen),
  { aside: noticeLines },
)
