/** The commands that send one message: of one's own, or to acknowledge another. */
import { printableLine } from '../../../../kernel/printable.ts'
import { mrAck } from '../../../../operations/mr/ack.ts'
import { mrSend } from '../../../../operations/mr/send.ts'
import { commandFace } from '../../command.ts'
import { noticeLines, writtenLine } from '../../lines.ts'
import type { Screen } from '../../terminal.ts'
import { news } from './texts.ts'

export const sendFace = commandFace(
  mrSend,
  ({ message }, screen) => writtenLine(`Sent to ${printableLine(message.to)}`, message, screen),
  { aside: (output, screen) => evictedLine(output, screen) + news(output, screen) },
)

function evictedLine(
  { evicted, message }: { readonly evicted: readonly string[]; readonly message: { readonly to: string } },
  { paint }: Screen,
): string {
  if (evicted.length === 0) return ''
  const which = evicted.map(printableLine).join(', ')
  const agent = printableLine(message.to)
  return `${paint('yellow', 'evicted:')} The inbox of ${agent} was full; its oldest had to go: ${which}. Bring it back: signalbox mr recover ${agent} ${printableLine(evicted[0]!)}\n`
}

export const ackFace = commandFace(
  mrAck,
  ({ outcome, message }, screen) =>
    outcome === 'unchanged'
      ? `Was acknowledged before, by ${printableLine(message.id)}.\n`
      : writtenLine(`Acknowledged to ${printableLine(message.to)} by`, message, screen),
  { aside: noticeLines },
)
