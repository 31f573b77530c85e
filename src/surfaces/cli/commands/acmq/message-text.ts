/** A message for people and for agents that read text: its header, and its body as a quotation that it cannot end itself. */
import type { AcmqViewWithBody } from '../../../../operations/acmq/view.ts'
import { fieldList, type Row } from '../../field-list.ts'
import { quotation } from '../../quotation.ts'
import type { Screen } from '../../terminal.ts'

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
