/** A message and a hydration for people, and for agents that read text. */
import { printableLine } from '../../../../kernel/printable.ts'
import type { AcmqViewWithBody, Hydration } from '../../../../operations/acmq/mission.ts'
import { printedText } from '../../lines.ts'
import { fieldList, quotation, type Row } from '../../message.ts'
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
    ...message.notices.map((notice): Row => ['note', notice]),
    ...more,
  ]
  return `${fieldList(rows, screen)}\n${quotation(message.body, message.from, screen, message.path)}`
}

export const hydrationText = ({ document }: Pick<Hydration, 'document'>): string => printedText(document)

/** For standard error, one line each. */
export const leftOutLines = ({ leftOut }: Pick<Hydration, 'leftOut'>, { paint }: Screen): string =>
  leftOut
    .map(({ path, reason, detail }) => {
      const why = detail === undefined ? reason : `${reason} (${detail})`
      return `${paint('yellow', 'left out:')} ${printableLine(path)}: ${printableLine(why)}\n`
    })
    .join('')
