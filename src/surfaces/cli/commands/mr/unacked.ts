import { mrUnacked } from '../../../../operations/mr/unacked.ts'
import { ageOf } from '../../ages.ts'
import { commandFace } from '../../command.ts'
import { grid } from '../../grid.ts'

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
