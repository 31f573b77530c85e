import { printableLine } from '../../../../kernel/printable.ts'
import { send } from '../../../../operations/acmq/send.ts'
import { commandFace } from '../../command.ts'
import { noticeLines, writtenLine } from '../../lines.ts'

export const sendFace = commandFace(
  send,
  ({ outcome, message }, screen) =>
    writtenLine(outcome === 'sent' ? `Sent to ${printableLine(message.to)}` : 'Sent before', message, screen),
  { aside: noticeLines },
)
