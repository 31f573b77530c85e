import { printableLine } from '../../../../kernel/printable.ts'
import { mrBroadcast } from '../../../../operations/mr/broadcast.ts'
import { commandFace } from '../../command.ts'
import { grid } from '../../grid.ts'
import { noticesAndAlerts } from './asides.ts'

export const broadcastFace = commandFace(
  mrBroadcast,
  ({ outcome, messages }, screen) => {
    if (outcome === 'nobody') return 'There is nobody else yet. Make an agent: signalbox mr init AGENT\n'
    const rows = grid(
      messages,
      [{ text: ({ to }) => to, colour: () => 'bold' }, { text: ({ id, path }) => `${id}: ${path}` }],
      screen,
      '  ',
    )
    return `Sent to ${messages.length}:\n${rows}`
  },
  {
    aside(output, screen) {
      const failed = output.failed.map(
        ({ to, reason }) => `${screen.paint('red', 'failed:')} ${printableLine(to)}: ${printableLine(reason)}\n`,
      )
      const evicted = output.evicted.map(
        ({ to, id }) => `${screen.paint('yellow', 'evicted:')} ${printableLine(to)}: ${printableLine(id)}\n`,
      )
      return [...failed, ...evicted, noticesAndAlerts(output, screen)].join('')
    },
  },
)
