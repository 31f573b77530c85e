import { printableLine } from '../../../kernel/printable.ts'
import { humanAnswer, humanApprove, humanDeny, humanList } from '../../../operations/human.ts'
import { commandFace } from '../command.ts'
import { writtenLine } from '../lines.ts'
import { fieldList, quotation } from '../message.ts'

export const humanListFace = commandFace(humanList, ({ waiting }, screen) => {
  if (waiting.length === 0) return 'Nothing waits for you.\n'
  return waiting
    .map(({ id, from, summary, text, digest, facts, answers }) => {
      const rows: (readonly [string, string])[] = [['id', id], ...facts, ['summary', summary]]
      if (answers.includes('approve')) rows.push(['to let it go', `signalbox human approve ${id} --digest ${digest}`])
      return `${fieldList(rows, screen)}${quotation(text, from, screen)}`
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
