/** The commands that send to everybody, or wait for an answer. */
import { printableLine } from '../../../../kernel/printable.ts'
import { mrAwait } from '../../../../operations/mr/await.ts'
import { mrBroadcast } from '../../../../operations/mr/broadcast.ts'
import { commandFace } from '../../command.ts'
import { grid } from '../../grid.ts'
import { ageOf, noticeLines } from '../../lines.ts'
import { messageText } from './message-text.ts'
import { news } from './news.ts'

export const broadcastFace = commandFace(
  mrBroadcast,
  ({ outcome, messages }, screen) => {
    if (outcome === 'nobody') return screen.next('There is nobody else yet. Make an agent: signalbox mr init coder-1\n')
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
      return [...failed, ...evicted, news(output, screen)].join('')
    },
  },
)

export const awaitFace = commandFace(
  mrAwait,
  (replied, screen) => {
    if (replied.outcome === 'received') return messageText(replied.message, replied.message.record, [], screen)
    return replied.waitedMs === 0 ? 'No reply yet.\n' : `No reply within ${ageOf(replied.waitedMs / 1000)}.\n`
  },
  { aside: noticeLines },
)
