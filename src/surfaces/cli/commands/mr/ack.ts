import { printableLine } from '../../../../kernel/printable.ts'
import { mrAck } from '../../../../operations/mr/ack.ts'
import { commandFace } from '../../command.ts'
import { noticeLines, writtenLine } from '../../lines.ts'

export const ackFace = commandFace(
  mrAck,
  ({ outcome, message }, screen) =>
    outcome === 'unchanged'
      ? `Was acknowledged before, by ${printableLine(message.id)}.\n`
      : writtenLine(`Acknowledged to ${printableLine(message.to)} by`, message, screen),
  { aside: noticeLines },
)
