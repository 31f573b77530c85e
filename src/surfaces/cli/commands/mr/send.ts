import { printableLine } from '../../../../kernel/printable.ts'
import { mrSend } from '../../../../operations/mr/send.ts'
import { commandFace } from '../../command.ts'
import { writtenLine } from '../../lines.ts'
import type { Screen } from '../../terminal.ts'
import { news } from './news.ts'

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
