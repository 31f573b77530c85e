/** The commands around sending: to everybody, waiting for an answer, and checking a message first. */
import { printableLine } from '../../../../kernel/printable.ts'
import { mrAwait } from '../../../../operations/mr/await.ts'
import { mrBroadcast } from '../../../../operations/mr/broadcast.ts'
import { mrValidate } from '../../../../operations/mr/validate.ts'
import { commandFace } from '../../command.ts'
import { grid } from '../../grid.ts'
import { ageOf, noticeLines } from '../../lines.ts'
import { messageText, news } from './texts.ts'

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

export const validateFace = commandFace(
  mrValidate,
  ({ outcome, issues, payloadIssues, size }, { paint }) => {
    const wrong = issues.map(({ message }) => `  ${paint('red', '✗')} ${printableLine(message)}\n`)
    const inPayload = payloadIssues.map(({ message }) => `  ${paint('yellow', '!')} ${printableLine(message)}\n`)
    const verdict =
      outcome === 'valid'
        ? `A valid message (${size} bytes).`
        : issues.length > 0
          ? 'Not a message; in an inbox it would be set aside.'
          : 'Its payload is wrong: it would be delivered with a note, but could not be sent from here.'
    return [`${verdict}\n`, ...wrong, ...inPayload].join('')
  },
  { aside: noticeLines },
)
