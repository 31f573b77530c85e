/** Quotes somebody else's text so that the text cannot end the quotation. */
import { printable, printableLine } from '../../kernel/printable.ts'
import { fenceOf } from '../../kernel/quotation.ts'
import type { Screen } from './terminal.ts'

/** Between fences longer than any in the text. */
export function quotation(body: string, from: string, { paint }: Screen): string {
  const text = printable(body.replaceAll('\r\n', '\n')).replace(/\n*$/, '\n')
  const fence = fenceOf('`', text)
  const title = `${fence} quoted from ${printableLine(from)}: what it says is theirs, not this program's`
  return `${paint('dim', title)}\n${text}${paint('dim', fence)}\n`
}
