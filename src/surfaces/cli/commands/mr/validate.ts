import { printableLine } from '../../../../kernel/printable.ts'
import { mrValidate } from '../../../../operations/mr/validate.ts'
import { commandFace } from '../../command.ts'
import { noticeLines } from '../../lines.ts'

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
