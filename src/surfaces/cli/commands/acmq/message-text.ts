/** A message as text: its header, and its body in a fence that the body cannot close. */
import { printableLine } from '../../../../kernel/printable.ts'
import type { AcmqView, AcmqViewWithBody } from '../../../../operations/acmq/view.ts'
import { fieldList, type Row } from '../../field-list.ts'
import { quotation } from '../../quotation.ts'
import type { Screen } from '../../terminal.ts'

export { fieldList, type Row } from '../../field-list.ts'
export { noticeLines } from '../../notices.ts'
export { quotation } from '../../quotation.ts'

export function messageText(message: AcmqViewWithBody, more: readonly Row[], screen: Screen): string {
  const rows: Row[] = [
    ['id', message.id],
    ['from', message.from],
    ['to', message.to],
    ['summary', message.summary],
    ['state', message.attempt > 1 ? `${message.state}, attempt ${message.attempt}` : message.state],
    ['priority', String(message.priority)],
    ['sent', message.createdAt],
    ...message.dependencies.map((text): Row => ['depends on', text]),
    ['file', message.path],
    ...message.problems.map((problem): Row => ['problem', `${problem.field}: ${problem.message}`]),
    ...more,
  ]
  return `${fieldList(rows, screen)}\n${quotation(message.body, message.from, screen)}`
}

/** One line a write: what happened to which message, and where it is now. */
export const writtenLine = (did: string, { id, path }: AcmqView, { paint }: Screen): string =>
  `${did} ${paint('bold', printableLine(id))}: ${printableLine(path)}\n`
