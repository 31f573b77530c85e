import { findStalled } from '../../../../operations/acmq/find-stalled.ts'
import { ageOf } from '../../ages.ts'
import { commandFace } from '../../command.ts'
import { grid } from '../../grid.ts'

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
