/** A message of Message Routing for people and for agents that read text: its header, and its payload as a quotation. */
import type { MrHeader, MrMessage } from '../../../../operations/mr/view.ts'
import { fieldList, quotation, type Row } from '../../message.ts'
import type { Screen } from '../../terminal.ts'

export function messageText(header: MrHeader, { payload }: MrMessage, more: readonly Row[], screen: Screen): string {
  const { id, from, to, type, sequence, priority, correlationId, createdAt, path, notices } = header
  const rows: Row[] = [
    ['id', id],
    ['from', `${from}, its number ${sequence} to ${to}`],
    ['type', type],
    ['answers', correlationId],
    ['priority', priority === 5 ? undefined : String(priority)],
    ['sent', createdAt],
    ['file', path],
    ...notices.map((notice): Row => ['note', notice]),
    ...more,
  ]
  return `${fieldList(rows, screen)}${quotation(JSON.stringify(payload, undefined, 2), from, screen, path)}`
}
