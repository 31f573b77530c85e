import { printableLine } from '../../../kernel/printable.ts'
import { humanAnswer, humanApprove, humanDeny, humanList } from '../../../operations/human.ts'
import { commandFace } from '../command.ts'
import { fieldList } from '../field-list.ts'
import { writtenLine } from '../lines.ts'
import { quotation } from '../quotation.ts'

export const humanListFace = commandFace(humanList, ({ waiting }, screen) => {
  if (waiting.length === 0) return 'Nothing waits for you.\n'
  return waiting
    .map(({ mission, pattern, message }) => {
      const rows = [
        ['id', message.id],
        ['mission', mission],
        ['from', message.from],
        ['to', message.to],
        ['held by', pattern],
        ['summary', message.summary],
        ['to let it go', `signalbox human approve ${message.id}`],
      ] as const
      return `${fieldList(rows, screen)}${quotation(message.body, message.from, screen)}`
    })
    .join('\n')
})

export const humanApproveFace = commandFace(humanApprove, ({ message }, screen) =>
  writtenLine('Approved', message, screen),
)

export const humanDenyFace = commandFace(humanDeny, ({ outcome, message }, screen) =>
  writtenLine(outcome === 'denied' ? 'Denied' : 'Failed already:', message, screen),
)

export const humanAnswerFace = commandFace(humanAnswer, ({ outcome }) => `${printableLine(outcome)}\n`)
